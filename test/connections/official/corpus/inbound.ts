import { AT, type Case, CUSTOMER, CUSTOMER_ID, change, inbound, NUMBER, SECONDS } from './case.ts'

const SOURCE = 'Meta, webhooks reference: messages'
const from = { phoneNumberId: NUMBER, from: CUSTOMER, fromUserId: null, occurredAt: AT }
const file = {
  mime_type: 'image/jpeg',
  sha256: 'Rahasia+8g=',
  id: '65463453',
  url: 'https://lookaside.example/?Rahasia',
}

/** A kind of message of which its kind and its caption are passed on. */
const kind = (
  type: string,
  content: { caption?: string; [member: string]: unknown },
  source: string = SOURCE,
): Case => ({
  ...{ name: `a customer’s ${type}`, source, body: inbound({ type, [type]: content }), updates: [] },
  received: [{ ...from, type, text: content.caption ?? null, replyTo: null }],
})

export const INBOUND: Case[] = [
  {
    name: 'a customer’s text',
    source: `${SOURCE}, text`,
    body: inbound({ type: 'text', text: { body: 'Rahasia: alamat saya Jl. Mawar 1' } }),
    updates: [],
    received: [{ ...from, type: 'text', text: 'Rahasia: alamat saya Jl. Mawar 1', replyTo: null }],
  },
  {
    name: 'a text that answers one of ours',
    source: `${SOURCE}, text`,
    body: inbound({
      ...{ type: 'text', text: { body: 'Rahasia ya' }, context: { from: '622155501234', id: 'wamid.ours' } },
    }),
    updates: [],
    received: [{ ...from, type: 'text', text: 'Rahasia ya', replyTo: 'wamid.ours' }],
  },
  {
    name: 'a forwarded text',
    source: `${SOURCE}, text`,
    body: inbound({ type: 'text', text: { body: 'Rahasia' }, context: { frequently_forwarded: true } }),
    updates: [],
    received: [{ ...from, type: 'text', text: 'Rahasia', replyTo: null }],
  },
  {
    name: 'a text after a click on an advertisement',
    source: `${SOURCE}, text (referral)`,
    body: inbound({
      type: 'text',
      text: { body: 'Rahasia' },
      referral: { source_url: 'https://fb.me/x', headline: 'Promo', body: 'Rahasia', ctwa_clid: 'Rahasia' },
    }),
    updates: [],
    received: [{ ...from, type: 'text', text: 'Rahasia' }],
  },
  {
    name: 'a text from a person who shows no phone number',
    source: 'Meta, business-scoped user IDs: webhooks',
    body: change('messages', {
      metadata: { phone_number_id: NUMBER },
      contacts: [{ profile: { name: 'Rahasia', username: 'rahasia' }, user_id: CUSTOMER_ID }],
      messages: [
        {
          ...{ from_user_id: CUSTOMER_ID, id: 'wamid.c', timestamp: String(SECONDS), type: 'text' },
          text: { body: 'Rahasia' },
        },
      ],
    }),
    updates: [],
    received: [{ phoneNumberId: NUMBER, from: null, fromUserId: CUSTOMER_ID, type: 'text', text: 'Rahasia' }],
  },
  kind('image', { ...file, caption: 'Rahasia bukti bayar' }),
  kind('video', { ...file, caption: 'Rahasia' }),
  kind('audio', { ...file, voice: true }),
  kind('document', { ...file, caption: 'Rahasia', filename: 'Rahasia.pdf' }),
  kind('sticker', { ...file, animated: false }),
  kind('location', { latitude: -6.2, longitude: 106.8, name: 'Rumah Rahasia', address: 'Jl. Rahasia 1' }),
  kind('reaction', { message_id: 'wamid.ours', emoji: '👍 Rahasia' }),
  kind('order', {
    ...{ catalog_id: '1', text: 'Rahasia' },
    product_items: [{ product_retailer_id: 'Rahasia', quantity: 1, item_price: 5, currency: 'IDR' }],
  }),
  kind('unsupported', { type: 'poll', title: 'Rahasia' }),
  {
    name: 'a customer’s address book entries',
    source: `${SOURCE}, contacts`,
    body: inbound({
      type: 'contacts',
      contacts: [{ name: { formatted_name: 'Rahasia' }, phones: [{ phone: '+62 811 0000', wa_id: '628110000' }] }],
    }),
    updates: [],
    received: [{ ...from, type: 'contacts', text: null }],
  },
  {
    name: 'a tap on a button of a template',
    source: `${SOURCE}, button`,
    body: inbound({
      ...{ type: 'button', context: { from: '622155501234', id: 'wamid.ours' } },
      button: { payload: 'Rahasia-payload', text: 'Rahasia Stop promo' },
    }),
    updates: [],
    received: [{ ...from, type: 'button', text: 'Rahasia Stop promo', replyTo: 'wamid.ours' }],
  },
  {
    name: 'a tap on a button of an interactive message',
    source: `${SOURCE}, interactive`,
    body: inbound({
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: 'Rahasia', title: 'Rahasia Ya' } },
    }),
    updates: [],
    received: [{ ...from, type: 'interactive', text: 'Rahasia Ya' }],
  },
  {
    name: 'a row that was chosen from a list',
    source: `${SOURCE}, interactive`,
    body: inbound({
      type: 'interactive',
      interactive: {
        type: 'list_reply',
        list_reply: { id: 'Rahasia', title: 'Rahasia besok', description: 'Rahasia jam 9' },
      },
    }),
    updates: [],
    received: [{ ...from, type: 'interactive', text: 'Rahasia besok' }],
  },
  {
    name: 'the answers of a flow',
    source: 'Meta, flows: response message webhook',
    body: inbound({
      type: 'interactive',
      interactive: {
        type: 'nfm_reply',
        nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"alamat":"Rahasia","flow_token":"x"}' },
      },
    }),
    updates: [],
    received: [{ ...from, type: 'interactive', text: null }],
  },
  {
    name: 'whether the business may call',
    source: 'Meta, calling: user call permissions',
    body: inbound({
      type: 'interactive',
      interactive: { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } },
    }),
    updates: [],
    received: [{ ...from, type: 'interactive', text: null }],
  },
  {
    name: 'a message that was edited',
    source: `${SOURCE}, edit`,
    body: inbound({
      type: 'edit',
      edit: { original_message_id: 'wamid.c', message: { type: 'text', text: { body: 'Rahasia' } } },
    }),
    updates: [],
    received: [{ ...from, type: 'edit', text: 'Rahasia' }],
  },
  {
    name: 'a message that was taken back',
    source: `${SOURCE}, revoke`,
    body: inbound({ type: 'revoke', revoke: { original_message_id: 'wamid.c' } }),
    updates: [],
    received: [{ ...from, type: 'revoke', text: null }],
  },
  {
    name: 'a chat that was opened for the first time',
    source: `${SOURCE}, request_welcome`,
    body: inbound({ type: 'request_welcome' }),
    updates: [],
    received: [{ ...from, type: 'request_welcome', text: null }],
  },
  {
    name: 'a message that Meta could not read, with the fault beside it',
    source: `${SOURCE}, unsupported`,
    body: inbound(
      { type: 'unsupported', errors: [{ code: 131051, title: 'Rahasia', error_data: { details: 'Rahasia' } }] },
      { errors: [{ code: 131000, title: 'Rahasia went wrong', error_data: { details: 'Rahasia' } }] },
    ),
    updates: [],
    received: [{ ...from, type: 'unsupported', text: null }],
  },
  {
    name: 'the notice that a customer has a new number',
    source: `${SOURCE}, system`,
    body: inbound({
      type: 'system',
      system: { body: 'Rahasia changed from 6289912345678 to 62', wa_id: '62', type: 'user_changed_number' },
    }),
    updates: [],
  },
  {
    name: 'the notice that a customer has a new phone',
    source: `${SOURCE}, system`,
    body: inbound({
      ...{ type: 'system', identity: { hash: 'Rahasia', created_timestamp: String(SECONDS) } },
      system: { body: 'Rahasia identity changed', type: 'customer_identity_changed' },
    }),
    updates: [],
    ignored: ['messages.notice'],
  },
  {
    name: 'a text in a group',
    source: 'Meta, groups: messages webhook',
    body: inbound({ type: 'text', group_id: 'group-1', text: { body: 'Rahasia' } }),
    updates: [],
    ignored: ['messages.notice'],
  },
  {
    name: 'a text beside a status of ours',
    source: 'Meta, webhooks: batching',
    body: inbound(
      { type: 'text', text: { body: 'Rahasia' } },
      { statuses: [{ id: 'wamid.ours', status: 'read', timestamp: String(SECONDS), recipient_id: '6281234567890' }] },
    ),
    updates: [{ kind: 'status', status: 'read', providerMessageId: 'wamid.ours' }],
    received: [{ ...from, type: 'text', text: 'Rahasia' }],
  },
]
