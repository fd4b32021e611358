import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { failure } from '../contract/failures.ts'
import { status } from '../contract/messages.ts'
import { type CallbackError, EVENTS, type EventName } from '../contract/webhooks.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Vault } from '../lib/vault.ts'
import { messageData } from '../messages/view.ts'
import {
  type DeliveryRow,
  type EndpointRow,
  type EventRow,
  type Message,
  PLACES,
  type SenderRow,
  type Store,
} from '../store/index.ts'

/** An event on its way to an endpoint. */
export interface ReportedEvent {
  type: EventName
  /** Identical in all attempts. */
  webhookId: string
  recordedAt: number
  /** Data in Kurir's own format. */
  data: unknown
  /** Message as it was when the event happened. */
  message: Message | undefined
  /** Undefined if the event has no sender or the sender was deleted. */
  sender: SenderRow | undefined
}

export interface CallbackCall {
  /** Default: POST. */
  method?: 'GET'
  /** Added to the endpoint's address. */
  query?: Record<string, string>
  /** Empty for GET. */
  body: string
  /** Default: JSON. */
  contentType?: string
  /** Text that the receiver must answer to prove that it is the right one. */
  expects?: string
}

/** Format of callbacks, Kurir's own or another gateway's. */
export interface CallbackFormat {
  /** Name of the gateway, as its users know it. */
  title: string
  /** Events that the format supports, among them `webhook.test`. */
  events: readonly EventName[]
  /** Called only with supported events. */
  callOf: (event: ReportedEvent) => CallbackCall
  /** Headers that a receiver checks. Default: those of Standard Webhooks. */
  sign?: Sign
  /** True if the window offers it. Default: always. */
  isOffered?: () => boolean
}

export const OWN_FORMAT = 'kurir'

const kurirFormat: CallbackFormat = {
  title: 'Kurir',
  events: EVENTS,
  callOf: ({ type, recordedAt, data }) => ({ body: JSON.stringify({ type, timestamp: isoTime(recordedAt), data }) }),
}

/** Formats by the names that endpoints choose, including Kurir's own. */
export type CallbackFormats = ReadonlyMap<string, CallbackFormat>

export const createFormats = (ofOthers: readonly [name: string, format: CallbackFormat][]): CallbackFormats =>
  new Map([[OWN_FORMAT, kurirFormat], ...ofOthers])

/** A callback to make, or the reason why it cannot be made. */
export type Callback =
  /** `headersAt` returns the headers that sign an attempt at a time. */
  | { call: CallbackCall; headersAt: (at: number) => Record<string, string> }
  | { error: string; errorCode: CallbackError }

export interface WebhookContext {
  store: Store
  vault: Vault
  formats: CallbackFormats
  /** Resolves with the reason why a target cannot be used; null if it can. */
  refuseTarget: (url: string) => Promise<string | null>
  bus: Bus
  clock: Clock
  /** The present time; shortly after a start, the time when Kurir last ran. */
  endTime: () => number
}

/** Resolves with the callback in the endpoint's format; undefined if the event was deleted. */
export async function callbackOf(context: WebhookContext, delivery: DeliveryRow): Promise<Callback | undefined> {
  const event = await readEvent(context, delivery.eventSeq)
  const endpoint = context.store.endpoints.get(delivery.endpointId)
  return event && callbackIn(context, endpoint, event)
}

function callbackIn(context: WebhookContext, endpoint: EndpointRow | undefined, event: ReportedEvent): Callback {
  const name = endpoint?.format ?? OWN_FORMAT
  const format = context.formats.get(name)
  if (format === undefined) {
    return { error: `This version has no callbacks in the form "${name}".`, errorCode: 'format_unknown' }
  }
  if (!format.events.includes(event.type)) {
    return { error: `${format.title} has no callback for ${event.type}.`, errorCode: 'not_in_format' }
  }
  const call = format.callOf(event)
  const sign = format.sign ?? signatureHeaders
  const secrets = () => (endpoint === undefined ? [] : secretsOf(context, endpoint))
  return { call, headersAt: (at) => sign(event.webhookId, at, call.body, secrets()) }
}

/** Returns the secrets to sign with, newest first. Replaced secrets sign for one more day. */
function secretsOf({ vault, endTime }: WebhookContext, { id, secret, replacedSecrets }: EndpointRow): string[] {
  const replaced = replacedSecrets.filter(({ until }) => until > endTime()).map((old) => old.secret)
  return [secret, ...replaced.toReversed()].map((sealed) => vault.open(sealed, PLACES.endpoint(id)).toString())
}

/** State of a message that is stored with its event, because the message changes later. */
const messageEvent = z.object({
  status,
  provider_message_id: z.string().nullable(),
  error: failure.nullable(),
})
/** Data of events of senders and of customers' messages, which name the sender. */
const ofSender = z.object({ sender_code: z.string() })

/**
 * Returns the id of a callback, which is identical in all attempts. Not the row number alone,
 * because a restored backup uses row numbers again.
 */
const webhookId = (event: EventRow, message: Message | undefined): string =>
  message === undefined ? `evt_${event.recordedAt}_${event.seq}` : `evt_${message.id}_${event.type.replace('.', '_')}`

/** Returns the message as it was when the event happened. */
function messageAt(event: EventRow, message: Message): Message {
  const { status, provider_message_id: providerMessageId, error } = messageEvent.parse(event.data)
  return { ...message, status, providerMessageId, error, occurredAt: event.at }
}

/** Reads an event for its callbacks; undefined if the event was deleted. */
async function readEvent({ store, vault }: WebhookContext, seq: number): Promise<ReportedEvent | undefined> {
  const { events, messages, senders } = store
  const row = await events.get(seq)
  if (row === undefined) return undefined
  const { type, recordedAt } = row
  const current = row.messageSeq === null ? undefined : await messages.find({ seq: row.messageSeq })
  if (current !== undefined) {
    const message = messageAt(row, current)
    const data = messageData(message, senders.codeOf(message.senderId))
    const sender = senders.get(message.senderId)
    return { type, webhookId: webhookId(row, message), recordedAt, data, message, sender }
  }
  if (type === 'message.received' && row.reply === null) return undefined
  const data = row.reply === null ? row.data : JSON.parse(vault.open(row.reply, PLACES.reply).toString('utf8'))
  const named = ofSender.safeParse(data)
  const sender = named.success ? senders.byCode(named.data.sender_code) : undefined
  return { type, webhookId: webhookId(row, undefined), recordedAt, data, message: undefined, sender }
}

const PREFIX = 'whsec_'

/** Headers of Standard Webhooks 1.0.0, which a receiver checks. */
export type SignatureHeaders = {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

export type Sign = (id: string, at: number, body: string, secrets: readonly string[]) => Record<string, string>

/** Returns a new endpoint secret: `whsec_` and 32 random bytes in base64. */
export const createSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/**
 * Signs one attempt. Adds a signature for each secret, so that during a rotation a receiver may
 * know either.
 * @param id identical in all attempts of a delivery
 * @param at time of the attempt, in milliseconds since 1970
 */
export function signatureHeaders(id: string, at: number, body: string, secrets: readonly string[]): SignatureHeaders {
  const timestamp = Math.floor(at / 1000).toString()
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': secrets.map(sign).join(' ') }
}
