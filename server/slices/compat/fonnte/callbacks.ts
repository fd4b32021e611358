import type { FailureCode } from '../../../contract/failures.ts'
import { type EventName, receivedEventData, senderEventData } from '../../../contract/webhooks.ts'
import type { Message, SenderRow } from '../../../store/index.ts'
import type { CallbackFormat, ReportedEvent } from '../../../webhooks/callback.ts'
import { LINK_EVENTS, MESSAGE_EVENTS } from '../mouth.ts'

/** Fonnte's words for failures (docs.fonnte.com, "API Check Message Status"). Others: `invalid`. */
const OF_FAILURE: Partial<Record<FailureCode, string>> = {
  expired: 'expired',
  media_unreachable: 'url unreachable',
  media_blocked: 'url unreachable',
}

/**
 * Returns Fonnte's word for a message's status. Fonnte has none for a cancelled message; `expired`
 * says, too, that it will not be sent.
 */
export function fonnteStatus({ status, error, dueAt, attempts }: Message, now: number): string {
  switch (status) {
    case 'sent':
    case 'delivered':
    case 'read':
      return 'sent'
    case 'failed':
      return (error && OF_FAILURE[error.code]) ?? 'invalid'
    case 'cancelled':
      return 'expired'
    case 'sending':
      return 'processing'
    default:
      return dueAt > now && attempts === 0 ? 'waiting' : 'pending'
  }
}

const deviceOf = (sender: SenderRow | undefined): string => sender?.phone ?? sender?.code ?? ''

/**
 * Builds the body of a status callback. Fonnte's sample finds the message by `id`, and tests
 * `stateid` with isset(), which is false for null (docs.fonnte.com, "Webhook Update Message
 * Status").
 */
function statusCall(message: Message, sender: SenderRow | undefined) {
  const { seq, status, providerMessageId, occurredAt } = message
  const isWithWhatsApp = status === 'sent' || status === 'delivered' || status === 'read'
  return {
    device: deviceOf(sender),
    id: String(seq),
    stateid: providerMessageId,
    status: fonnteStatus(message, occurredAt),
    state: isWithWhatsApp ? status : null,
  }
}

/** Builds the body for a customer's message. Kurir passes on no names and no files. */
function replyCall({ data, recordedAt, sender }: ReportedEvent) {
  const { from, from_user_id, text } = receivedEventData.parse(data)
  return {
    device: deviceOf(sender),
    sender: from ?? from_user_id ?? '',
    message: text ?? '',
    text: '',
    member: '',
    name: '',
    location: '',
    pollname: '',
    choices: '',
    timestamp: Math.floor(recordedAt / 1000),
    inboxid: 0,
  }
}

const OF_DEVICE: Partial<Record<EventName, 'connect' | 'disconnect'>> = {
  'sender.linked': 'connect',
  'sender.disconnected': 'disconnect',
  'sender.unlinked': 'disconnect',
}

/** Builds the body for a change of a sender's link. `token` is empty: Kurir gives out no keys. */
function deviceCall(status: 'connect' | 'disconnect', { data, recordedAt, sender }: ReportedEvent) {
  const { reason } = senderEventData.pick({ reason: true }).parse(data)
  return {
    device: deviceOf(sender),
    status,
    token: '',
    timestamp: Math.floor(recordedAt / 1000),
    ...(status === 'disconnect' ? { reason: reason ?? status } : {}),
  }
}

/** Body of a test callback: the status of a message that no program knows. */
const TEST = { device: '', id: '0', stateid: null, status: 'sent', state: null }

function bodyOf(event: ReportedEvent): object {
  const { type, message, sender } = event
  if (message !== undefined) return statusCall(message, sender)
  const device = OF_DEVICE[type]
  if (device !== undefined) return deviceCall(device, event)
  return type === 'webhook.test' ? TEST : replyCall(event)
}

export const fonnteFormat: CallbackFormat = {
  title: 'Fonnte',
  events: [...MESSAGE_EVENTS, ...LINK_EVENTS, 'webhook.test'],
  callOf: (event) => ({ body: JSON.stringify(bodyOf(event)) }),
}
