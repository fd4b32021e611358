import { AT, bodyOf, type Case, CUSTOMER, change, entry, NUMBER, SECONDS } from './case.ts'

const metadata = { display_phone_number: '622155501234', phone_number_id: NUMBER }
const PREFERENCES = 'Meta, webhooks reference: user_preferences'

const preference = (value: string, more: object = {}) =>
  change('user_preferences', {
    ...{ messaging_product: 'whatsapp', metadata },
    contacts: [{ profile: { name: 'Rahasia' }, wa_id: '6281234567890', user_id: 'ID.7' }],
    user_preferences: [
      {
        ...{ wa_id: '6281234567890', user_id: 'ID.7', detail: 'Rahasia', category: 'marketing_messages', value },
        ...{ timestamp: SECONDS, ...more },
      },
    ],
  })

const wish = (wants: boolean): Case['updates'] => [
  {
    ...{ kind: 'preference', phoneNumberId: NUMBER, recipient: '6281234567890', recipientUserId: 'ID.7' },
    ...{ occurredAt: AT, wants },
  },
]

/** Fields and forms that nothing is done about. */
const ignored = (name: string, source: string, body: unknown, ...fields: string[]): Case => ({
  ...{ name, source, body, updates: [], ignored: fields },
})

const echo = { from: '622155501234', to: CUSTOMER, id: 'wamid.e', type: 'text', text: { body: 'Rahasia' } }

export const OTHERS: Case[] = [
  { name: 'no more marketing', source: PREFERENCES, body: preference('stop'), updates: wish(false) },
  { name: 'marketing again', source: PREFERENCES, body: preference('resume'), updates: wish(true) },
  {
    ...{ name: 'marketing, by a sign-up link', source: PREFERENCES },
    ...{ body: preference('signup', { signup_id: '13' }), updates: wish(true) },
  },
  ignored('a wish of another kind', PREFERENCES, preference('stop', { category: 'calls' }), 'user_preferences'),
  ignored('a wish in other terms', PREFERENCES, preference('perhaps'), 'user_preferences'),
  ignored(
    'what the owner wrote in the WhatsApp Business app',
    'Meta, webhooks reference: smb_message_echoes',
    change('smb_message_echoes', { metadata, message_echoes: [echo] }),
    'smb_message_echoes',
  ),
  ignored(
    'the chats of half a year',
    'Meta, webhooks reference: history',
    change('history', {
      metadata,
      history: [{ metadata: { phase: 0 }, threads: [{ id: CUSTOMER, messages: [{ ...echo, from: CUSTOMER }] }] }],
    }),
    'history',
  ),
  ignored(
    'the address book of the owner',
    'Meta, webhooks reference: smb_app_state_sync',
    change('smb_app_state_sync', {
      metadata,
      state_sync: [{ type: 'contact', contact: { full_name: 'Rahasia', phone_number: CUSTOMER }, action: 'add' }],
    }),
    'smb_app_state_sync',
  ),
  ignored(
    'a call',
    'Meta, calling: webhooks',
    change('calls', {
      metadata,
      contacts: [{ profile: { name: 'Rahasia' }, wa_id: CUSTOMER }],
      calls: [{ id: 'wacid.1', from: CUSTOMER, event: 'connect', session: { sdp: 'Rahasia' } }],
    }),
    'calls',
  ),
  ignored(
    'the state of a flow',
    'Meta, flows: webhooks',
    change('flows', { event: 'FLOW_STATUS_CHANGE', message: 'x', flow_id: '1' }),
    'flows',
  ),
  ignored(
    'a payment configuration',
    'Meta, webhooks reference: payment_configuration_update',
    change('payment_configuration_update', { configuration_name: 'x', provider_name: 'y' }),
    'payment_configuration_update',
  ),
  ignored(
    'a review of the account',
    'Meta, webhooks reference: account_review_update',
    change('account_review_update', { decision: 'APPROVED' }),
    'account_review_update',
  ),
  ignored('a field of the future', 'none', change('some_new_field', { text: 'Rahasia' }), 'some_new_field'),
  ignored('a field that is no name', 'none', change('Rahasia: dari pelanggan', { text: 'Rahasia' }), 'unknown'),
  ignored('a field named like a part of every object', 'none', change('constructor', {}), 'constructor'),
  ignored('a change without a field', 'other gateways', bodyOf(entry([{ value: { text: 'Rahasia' } }])), 'unknown'),
  ignored('a change that is none', 'none', bodyOf(entry([7 as unknown as object, {}])), 'unknown'),
  ignored('an entry that is none', 'none', { entry: ['Rahasia', null, { id: '1' }] }, 'unknown'),
  ignored('messages that are none', 'none', change('messages', 'Rahasia'), 'messages'),
  ignored(
    'lists that are none',
    'none',
    change('messages', { metadata: 'Rahasia', statuses: 'Rahasia', messages: { a: 'Rahasia' }, errors: 1 }),
  ),
  ignored(
    'members that are none',
    'none',
    change('messages', { statuses: [null, 7], messages: ['Rahasia'] }),
    'messages.status',
    'messages.notice',
  ),
  ignored('wishes that are none', 'none', change('user_preferences', 'Rahasia'), 'user_preferences'),
  ignored('a body that is no envelope', 'none', { hello: 'Rahasia' }, 'unknown'),
  ignored('a body that is a number', 'none', 7, 'unknown'),
  ignored('nothing at all', 'none', { object: 'whatsapp_business_account', entry: [] }),
]
