import { createHash, createHmac } from 'node:crypto'
import type { FailureCode } from '../../../contract/failures.ts'
import type { Status } from '../../../contract/messages.ts'
import { isGroupId } from '../../../contract/phone.ts'
import { receivedEventData } from '../../../contract/webhooks.ts'
import { metadataOf } from '../../../messages/view.ts'
import type { Message, SenderRow } from '../../../store/index.ts'
import type { CallbackCall, CallbackFormat, ReportedEvent, Sign } from '../../../webhooks/callback.ts'
import { MESSAGE_EVENTS } from '../mouth.ts'
import { wamidOf } from './requests.ts'

const STATUSES: Partial<Record<Status, string>> = { sent: 'sent', delivered: 'delivered', read: 'read' }

const UNDELIVERABLE = { code: 131026, title: 'Message undeliverable' }
/** The group does not exist, or the sender is not in it. */
const NO_GROUP = { code: 131041, title: 'Group unknown' }
const MEDIA = { code: 131053, title: 'Media upload error' }

/** Meta's codes for Kurir's failures (developers.facebook.com, "Error codes"). */
const OF_FAILURE: Partial<Record<FailureCode, { code: number; title: string }>> = {
  recipient_opted_out: { code: 131050, title: 'User has opted out of messages' },
  not_in_group: NO_GROUP,
  group_unknown: NO_GROUP,
  account_restricted: { code: 131031, title: 'Account has been locked' },
  media_unreachable: { code: 131052, title: 'Media download error' },
  media_blocked: { code: 131052, title: 'Media download error' },
  media_too_large: MEDIA,
  media_invalid: MEDIA,
  media_gone: MEDIA,
  template_not_sendable: { code: 132001, title: 'Template does not exist' },
}

/** Returns why a message was not sent, in Meta's form. Meta's own code is passed on. */
function errorsOf({ error, status }: Message) {
  const own = Number(error?.provider_code ?? Number.NaN)
  const known = (error && OF_FAILURE[error.code]) ?? UNDELIVERABLE
  const { code, title } = Number.isInteger(own) ? { code: own, title: error?.message ?? '' } : known
  return [{ code, title, message: title, error_data: { details: error?.message ?? `It was ${status}.` } }]
}

const seconds = (ms: number): string => String(Math.floor(ms / 1000))

function statusOf(message: Message) {
  const { biz_opaque_callback_data: tracker } = metadataOf(message.metadata)
  const status = STATUSES[message.status]
  return {
    id: wamidOf(message.id),
    status: status ?? 'failed',
    timestamp: seconds(message.occurredAt),
    recipient_id: message.recipient,
    ...(isGroupId(message.recipient) ? { recipient_type: 'group' } : {}),
    ...(status === undefined ? { errors: errorsOf(message) } : {}),
    ...(typeof tracker === 'string' ? { biz_opaque_callback_data: tracker } : {}),
  }
}

const UNSUPPORTED = [{ code: 131051, title: 'Message type is not supported', message: 'Message type is not supported' }]

/** Builds the value for a customer's message. Kurir passes on no files. */
function messageOf({ webhookId, data }: ReportedEvent) {
  const { from, from_user_id, text, reply_to, occurred_at } = receivedEventData.parse(data)
  const customer = from ?? from_user_id ?? ''
  const id = createHash('sha256').update(webhookId).digest('hex').slice(0, 32)
  return {
    contacts: [{ profile: { name: '' }, wa_id: customer }],
    messages: [
      {
        from: customer,
        id: wamidOf(id),
        timestamp: seconds(Date.parse(occurred_at)),
        ...(reply_to === null ? {} : { context: { id: wamidOf(reply_to) } }),
        ...(text === null ? { type: 'unsupported', errors: UNSUPPORTED } : { type: 'text', text: { body: text } }),
      },
    ],
  }
}

/** Returns Meta's id of a number. A linked number has its digits instead, or its code. */
const numberOf = (sender: SenderRow | undefined) => ({
  display_phone_number: sender?.phone ?? '',
  phone_number_id: sender?.official?.phone_number_id ?? sender?.phone ?? sender?.code ?? '',
})

function bodyOf(event: ReportedEvent) {
  const { sender, message } = event
  const content = message === undefined ? messageOf(event) : { statuses: [statusOf(message)] }
  const value = { messaging_product: 'whatsapp', metadata: numberOf(sender), ...content }
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: sender?.official?.waba_id ?? '0', changes: [{ value, field: 'messages' }] }],
  }
}

/**
 * Writes JSON as Meta does: ASCII only, slashes escaped. Some receivers check the signature over
 * JSON that they parsed and wrote again.
 */
const asMetaWrites = (body: object): string =>
  JSON.stringify(body)
    .replaceAll('/', '\\/')
    .replace(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Builds Meta's check of a new receiver, which must answer with the challenge. The endpoint's
 * address already has the token for the check, as `hub.verify_token`.
 */
function handshake({ recordedAt }: ReportedEvent): CallbackCall {
  const challenge = String(recordedAt)
  return {
    method: 'GET',
    query: { 'hub.mode': 'subscribe', 'hub.challenge': challenge },
    body: '',
    expects: challenge,
  }
}

/** Meta's header has one signature. While a secret is being replaced, the new one signs. */
const sign: Sign = (_id, _now, body, [secret = '']) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
})

/** Callbacks as Meta's Cloud API makes them (developers.facebook.com, "Webhooks"). */
export const cloudFormat: CallbackFormat = {
  title: 'Cloud API',
  events: [...MESSAGE_EVENTS, 'webhook.test'],
  callOf: (event) => (event.type === 'webhook.test' ? handshake(event) : { body: asMetaWrites(bodyOf(event)) }),
  sign,
}
