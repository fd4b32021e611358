import { type EventName, receivedEventData, senderEventData } from '../../../contract/webhooks.ts'
import { isoTime } from '../../../lib/clock.ts'
import type { Message, SenderRow } from '../../../store/index.ts'
import type { CallbackFormat, ReportedEvent } from '../../../webhooks/callback.ts'
import { LINK_EVENTS, MESSAGE_EVENTS } from '../mouth.ts'

const STATUS: Partial<Record<Message['status'], string>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'reject',
  cancelled: 'cancel',
}

const OF_DEVICE: Partial<Record<EventName, 'connected' | 'disconnected'>> = {
  'sender.linked': 'connected',
  'sender.disconnected': 'disconnected',
  'sender.unlinked': 'disconnected',
}

/** Wablas' answers say `device_id`, its callbacks `deviceId`. Programs read either. */
const ourSide = (sender: SenderRow | undefined) => ({
  sender: sender?.phone ?? '',
  deviceId: sender?.code ?? '',
  device_id: sender?.code ?? '',
})

const tracking = ({ id, recipient, status, error }: Message, sender: SenderRow | undefined) => ({
  id,
  phone: recipient,
  status: STATUS[status] ?? 'pending',
  note: error?.message ?? '',
  ...ourSide(sender),
})

/**
 * Builds the body for a customer's message. Kurir passes on no names and no files. `phone` is the
 * customer's number, `sender` the shop's.
 */
function inbound({ data, sender }: ReportedEvent, webhookId: string) {
  const { from, from_user_id, type, text, occurred_at } = receivedEventData.parse(data)
  return {
    id: webhookId,
    pushName: '',
    isGroup: false,
    group: { sender: '', subject: '', owner: '', desc: '', participants: null },
    message: text ?? '',
    phone: from ?? from_user_id ?? '',
    messageType: type,
    file: '',
    url: '',
    mimeType: '',
    ...ourSide(sender),
    isFromMe: false,
    timestamp: occurred_at,
    profileImage: '',
  }
}

function device(status: 'connected' | 'disconnected', { data, recordedAt, sender }: ReportedEvent) {
  const { reason } = senderEventData.pick({ reason: true }).parse(data)
  return {
    ...ourSide(sender),
    deviceName: sender?.settings.name ?? '',
    status,
    note: status === 'connected' ? 'ready to use' : (reason ?? ''),
    timestamp: isoTime(recordedAt),
  }
}

/** Body of a test callback: the status of a message that no program knows. */
const TEST = { id: 'test', phone: '', status: 'pending', note: 'test', ...ourSide(undefined) }

function bodyOf(event: ReportedEvent): object {
  const { type, webhookId, message, sender } = event
  if (message !== undefined) return tracking(message, sender)
  const state = OF_DEVICE[type]
  if (state !== undefined) return device(state, event)
  return type === 'webhook.test' ? TEST : inbound(event, webhookId)
}

/** Callbacks as Wablas makes them (wablas.com/documentation/api, "Webhook"). */
export const wablasFormat: CallbackFormat = {
  title: 'Wablas',
  events: [...MESSAGE_EVENTS, ...LINK_EVENTS, 'webhook.test'],
  callOf: (event) => ({ body: JSON.stringify(bodyOf(event)) }),
}
