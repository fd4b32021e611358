import { AT, bodyOf, type Case, CUSTOMER_ID, change, entry, NUMBER, SECONDS, statuses, WABA } from './case.ts'

const SOURCE = 'Meta, webhooks reference: messages, status'
const PRICING = 'Meta, pricing: per-message pricing in webhooks'

const status = (name: string, more: object = {}) => ({
  ...{ id: 'wamid.ours', status: name, timestamp: String(SECONDS), recipient_id: '6281234567890' },
  ...more,
})
const error = (code: number | string, title: string, details: string) => ({
  ...{ code, title, message: title, error_data: { details } },
  href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
})

export const STATUSES: Case[] = [
  {
    name: 'sent, billed per conversation as until July 2025',
    source: SOURCE,
    body: statuses(
      status('sent', {
        conversation: { id: 'c1', expiration_timestamp: '1795334400', origin: { type: 'utility' } },
        pricing: { billable: true, pricing_model: 'CBP', category: 'utility' },
      }),
    ),
    updates: [
      {
        ...{ kind: 'status', wabaId: WABA, phoneNumberId: NUMBER, providerMessageId: 'wamid.ours', status: 'sent' },
        ...{ occurredAt: AT, recipient: '6281234567890', recipientUserId: null, callbackData: null, errors: [] },
        pricing: { billable: true, pricing_model: 'CBP', type: null, category: 'utility' },
      },
    ],
  },
  {
    name: 'delivered, billed per message',
    source: PRICING,
    body: statuses(
      status('delivered', {
        biz_opaque_callback_data: '0194f0c0-our-id',
        pricing: { billable: true, pricing_model: 'PMP', category: 'marketing', type: 'regular' },
      }),
    ),
    updates: [
      {
        ...{ kind: 'status', status: 'delivered', callbackData: '0194f0c0-our-id' },
        pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' },
      },
    ],
  },
  {
    name: 'read, free inside a customer service window',
    source: PRICING,
    body: statuses(
      status('read', {
        pricing: { billable: false, pricing_model: 'PMP', category: 'utility', type: 'free_customer_service' },
      }),
    ),
    updates: [
      {
        ...{ kind: 'status', status: 'read' },
        pricing: { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'utility' },
      },
    ],
  },
  {
    name: 'sent at an international rate',
    source: PRICING,
    body: statuses(status('sent', { pricing: { billable: true, category: 'authentication_international' } })),
    updates: [
      {
        kind: 'status',
        pricing: { billable: true, pricing_model: null, type: null, category: 'authentication_international' },
      },
    ],
  },
  {
    name: 'failed: no WhatsApp',
    source: SOURCE,
    body: statuses(status('failed', { errors: [error(131026, 'Message undeliverable', 'Message Undeliverable.')] })),
    updates: [
      {
        ...{ kind: 'status', status: 'failed', pricing: null },
        errors: [
          {
            ...{ code: 131026, title: 'Message undeliverable', message: 'Message undeliverable' },
            details: 'Message Undeliverable.',
          },
        ],
      },
    ],
  },
  {
    name: 'failed: enough marketing for this person, with the code as a string',
    source: 'Meta, webhooks reference: messages, status (error 131049)',
    body: statuses(status('failed', { errors: [error('131049', 'Not delivered', 'To keep a healthy ecosystem.')] })),
    updates: [{ kind: 'status', status: 'failed', errors: [expectError(131049)] }],
  },
  {
    name: 'to a user ID, without any phone number',
    source: 'Meta, business-scoped user IDs: webhooks',
    body: statuses({
      ...{ id: 'wamid.ours', status: 'delivered', timestamp: String(SECONDS), recipient_user_id: CUSTOMER_ID },
      recipient_parent_user_id: 'ID.ENT.11815799212886844830',
    }),
    updates: [{ kind: 'status', status: 'delivered', recipient: null, recipientUserId: CUSTOMER_ID }],
  },
  {
    name: 'with contacts beside it, as since business-scoped user IDs',
    source: 'Meta, business-scoped user IDs: webhooks',
    body: change('messages', {
      ...{ messaging_product: 'whatsapp', metadata: { display_phone_number: '62', phone_number_id: NUMBER } },
      contacts: [{ profile: { name: 'Rahasia Wijaya', username: 'rahasia' }, wa_id: '6281234567890' }],
      statuses: [status('read')],
    }),
    updates: [{ kind: 'status', status: 'read' }],
  },
  {
    name: 'played: a voice message was listened to',
    source: SOURCE,
    body: statuses(status('played')),
    updates: [],
    ignored: ['messages.status'],
  },
  {
    name: 'deleted by the recipient',
    source: SOURCE,
    body: statuses(status('deleted')),
    updates: [],
    ignored: ['messages.status'],
  },
  {
    name: 'one that nobody documents, among those that are',
    source: SOURCE,
    body: statuses(status('sent'), status('in_orbit'), status('read')),
    updates: [
      { kind: 'status', status: 'sent' },
      { kind: 'status', status: 'read' },
    ],
    ignored: ['messages.status'],
  },
  {
    name: 'two accounts and three changes in one body',
    source: 'Meta, webhooks: batching',
    body: bodyOf(
      entry([{ field: 'messages', value: { metadata: { phone_number_id: NUMBER }, statuses: [status('sent')] } }]),
      entry(
        [
          { field: 'messages', value: { metadata: { phone_number_id: '7' }, statuses: [status('read')] } },
          { field: 'messages', value: { metadata: { phone_number_id: '7' }, statuses: [status('delivered')] } },
        ],
        '8',
      ),
    ),
    updates: [
      { kind: 'status', wabaId: WABA, phoneNumberId: NUMBER, status: 'sent' },
      { kind: 'status', wabaId: '8', phoneNumberId: '7', status: 'read' },
      { kind: 'status', wabaId: '8', phoneNumberId: '7', status: 'delivered' },
    ],
  },
  {
    name: 'in a group',
    source: 'Meta, groups: message statuses',
    body: statuses(
      status('read', { recipient_id: 'group-1', recipient_type: 'group', recipient_participant_id: '6281234567890' }),
    ),
    updates: [{ kind: 'status', status: 'read', recipient: 'group-1' }],
  },
  {
    name: 'without a time and without an account',
    source: 'bodies that other gateways pass on',
    body: {
      entry: [{ changes: [{ field: 'messages', value: { statuses: [{ id: 'wamid.ours', status: 'sent' }] } }] }],
    },
    updates: [{ kind: 'status', wabaId: null, phoneNumberId: null, occurredAt: null, status: 'sent' }],
  },
]

function expectError(code: number) {
  return { code, title: 'Not delivered', message: 'Not delivered', details: 'To keep a healthy ecosystem.' }
}
