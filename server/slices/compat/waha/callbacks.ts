import { createHash, createHmac } from 'node:crypto'
import type { Status } from '../../../contract/messages.ts'
import { receivedEventData, senderEventData } from '../../../contract/webhooks.ts'
import type { Message, SenderStore } from '../../../store/index.ts'
import type { CallbackFormat, ReportedEvent, Sign } from '../../../webhooks/callback.ts'
import { LINK_EVENTS, MESSAGE_EVENTS } from '../mouth.ts'
import { ENGINE, meOf, messageIdOf, personOf, sessionName, statusOf, TIER, WAHA_VERSION } from './terms.ts'

/** WAHA's words for the statuses of messages that left. All others are reported as `NEVER`. */
const ACKS: Partial<Record<Status, { ack: number; ackName: string }>> = {
  sent: { ack: 1, ackName: 'SERVER' },
  delivered: { ack: 2, ackName: 'DEVICE' },
  read: { ack: 3, ackName: 'READ' },
}
const NEVER = { ack: -1, ackName: 'ERROR' }

/** Returns hex digits for WAHA's ids (ULIDs), always the same ones for the same event. */
const digitsOf = ({ webhookId }: ReportedEvent): string => createHash('sha256').update(webhookId).digest('hex')

/** Builds an acknowledgement. In WAHA's samples `from` is the chat ("Events", message.ack). */
function ackOf(message: Message) {
  const { remote, _serialized } = messageIdOf(message)
  const { status, error } = message
  const word = ACKS[status] ?? NEVER
  return {
    id: _serialized,
    from: remote,
    to: remote,
    participant: null,
    fromMe: true,
    ...word,
    _data: { status, error },
  }
}

/** Builds the payload for a customer's message. Kurir passes on no names and no files. */
function messageOf(event: ReportedEvent) {
  const { from, from_user_id, text, reply_to, occurred_at } = receivedEventData.parse(event.data)
  const customer = from ?? from_user_id ?? ''
  const chat = personOf(customer)
  const quoted = reply_to === null ? undefined : messageIdOf({ id: reply_to, recipient: customer })._serialized
  return {
    id: `false_${chat}_${digitsOf(event).slice(0, 32).toUpperCase()}`,
    timestamp: Math.floor(Date.parse(occurred_at) / 1000),
    from: chat,
    fromMe: false,
    source: 'app',
    to: event.sender === undefined ? null : (meOf(event.sender)?.id ?? personOf(event.sender.code)),
    participant: null,
    body: text ?? '',
    hasMedia: false,
    media: null,
    ack: 1,
    ackName: 'SERVER',
    vCards: [],
    replyTo: quoted === undefined ? null : { id: quoted },
    _data: {},
  }
}

function stateOf({ data, recordedAt }: ReportedEvent, name: string) {
  const status = statusOf(senderEventData.pick({ state: true }).parse(data).state)
  return { name, status, statuses: [{ status, timestamp: recordedAt }], data: null }
}

/** Payload of a test callback: an acknowledgement of a message that no program knows. */
const TEST = {
  id: 'true_0@c.us_TEST',
  from: '0@c.us',
  to: '0@c.us',
  participant: null,
  fromMe: true,
  ack: 0,
  ackName: 'PENDING',
}

function eventOf(event: ReportedEvent, session: string): { event: string; payload: object } {
  if (event.message !== undefined) return { event: 'message.ack', payload: ackOf(event.message) }
  if (event.type === 'message.received') return { event: 'message', payload: messageOf(event) }
  if (event.type === 'webhook.test') return { event: 'message.ack', payload: TEST }
  return { event: 'session.status', payload: stateOf(event, session) }
}

/** WAHA's headers have one signature. While a secret is being replaced, the new one signs. */
const sign: Sign = (id, now, body, [secret = '']) => ({
  'x-webhook-request-id': id,
  'x-webhook-timestamp': String(now),
  'x-webhook-hmac': createHmac('sha512', secret).update(body).digest('hex'),
  'x-webhook-hmac-algorithm': 'sha512',
})

/** Callbacks as WAHA makes them (waha.devlike.pro, "Events"). */
export function wahaFormat(senders: SenderStore): CallbackFormat {
  function bodyOf(event: ReportedEvent) {
    const { sender } = event
    const session = sender === undefined ? 'default' : sessionName(senders, sender, null)
    return {
      id: `evt_01${digitsOf(event).slice(0, 24)}`,
      timestamp: event.recordedAt,
      session,
      metadata: {},
      me: sender === undefined ? null : meOf(sender),
      ...eventOf(event, session),
      environment: { version: WAHA_VERSION, engine: ENGINE, tier: TIER, browser: null },
      engine: ENGINE,
    }
  }

  return {
    title: 'WAHA',
    events: [...MESSAGE_EVENTS, ...LINK_EVENTS, 'sender.restricted', 'sender.unrestricted', 'webhook.test'],
    callOf: (event) => ({ body: JSON.stringify(bodyOf(event)) }),
    sign,
  }
}
