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
  /** The same over all attempts. */
  webhookId: string
  recordedAt: number
  /** As Kurir's own form has it. */
  data: unknown
  /** As it was when the event happened. */
  message: Message | undefined
  /** Undefined where the event belongs to none, or where it was deleted. */
  sender: SenderRow | undefined
}

/** One call to an endpoint. */
export interface CallbackCall {
  /** Default: POST. */
  method?: 'GET'
  /** Added to the endpoint's address. */
  query?: Record<string, string>
  /** Empty for GET. */
  body: string
  /** Default: JSON. */
  contentType?: string
  /** The text that a receiver must answer to show that it is the right one. */
  expects?: string
}

/** A form of callbacks, as another gateway makes them. */
export interface CallbackFormat {
  /** Name of the gateway, as its users know it. */
  title: string
  /** The events that the form has; `webhook.test` is one of them. */
  events: readonly EventName[]
  /** Called with its own events only. */
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

/** By the names that endpoints choose; Kurir's own is one of them. */
export type CallbackFormats = ReadonlyMap<string, CallbackFormat>

export const createFormats = (ofOthers: readonly [name: string, format: CallbackFormat][]): CallbackFormats =>
  new Map([[OWN_FORMAT, kurirFormat], ...ofOthers])

/** A callback that can be made, or why this one cannot. */
export type Callback =
  /** `headersAt`: the headers of an attempt at that time, which sign it. */
  | { call: CallbackCall; headersAt: (at: number) => Record<string, string> }
  | { error: string; errorCode: CallbackError }

/** Context of callbacks. */
export interface WebhookContext {
  store: Store
  vault: Vault
  formats: CallbackFormats
  /** Why a target cannot be used; null if it can. */
  refuseTarget: (url: string) => Promise<string | null>
  bus: Bus
  clock: Clock
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime: () => number
}

/** A callback in the form that its endpoint chose; undefined if its event is gone. */
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

/** The secrets that sign now, newest first: a replaced one goes on for a day. */
function secretsOf({ vault, endTime }: WebhookContext, { id, secret, replacedSecrets }: EndpointRow): string[] {
  const replaced = replacedSecrets.filter(({ until }) => until > endTime()).map((old) => old.secret)
  return [secret, ...replaced.toReversed()].map((sealed) => vault.open(sealed, PLACES.endpoint(id)).toString())
}

/** A message as its event keeps it: the message goes on changing. */
const messageEvent = z.object({
  status,
  provider_message_id: z.string().nullable(),
  error: failure.nullable(),
})
/** Events of senders and of what customers write name their sender. */
const ofSender = z.object({ sender_code: z.string() })

/**
 * The identity of a callback, the same over all its attempts; it survives a restored backup, which
 * repeats row numbers.
 */
const webhookId = (event: EventRow, message: Message | undefined): string =>
  message === undefined ? `evt_${event.recordedAt}_${event.seq}` : `evt_${message.id}_${event.type.replace('.', '_')}`

/** The message as it was when the event happened. */
function messageAt(event: EventRow, message: Message): Message {
  const { status, provider_message_id: providerMessageId, error } = messageEvent.parse(event.data)
  return { ...message, status, providerMessageId, error, occurredAt: event.at }
}

/** Data of an event that belongs to no message; undefined where it was deleted. */
async function dataOf({ store, vault }: WebhookContext, event: EventRow): Promise<unknown> {
  if (event.type !== 'message.received') return event.data
  const sealed = await store.replies.body(event.seq)
  return sealed === undefined ? undefined : JSON.parse(vault.open(sealed, PLACES.reply).toString('utf8'))
}

/** An event for its callbacks; undefined where it was deleted. */
async function readEvent(context: WebhookContext, seq: number): Promise<ReportedEvent | undefined> {
  const { events, messages, senders } = context.store
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
  const data = await dataOf(context, row)
  if (data === undefined) return undefined
  const named = ofSender.safeParse(data)
  const sender = named.success ? senders.byCode(named.data.sender_code) : undefined
  return { type, webhookId: webhookId(row, undefined), recordedAt, data, message: undefined, sender }
}

const PREFIX = 'whsec_'

/** Headers that a receiver checks, named by Standard Webhooks 1.0.0. */
export type SignatureHeaders = {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/** Signs one attempt: see `signatureHeaders`. */
export type Sign = (id: string, at: number, body: string, secrets: readonly string[]) => Record<string, string>

/** A new endpoint secret: `whsec_` and 32 random bytes in base64. */
export const createSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/**
 * Signs one attempt. `id` stays the same over all attempts of a delivery, `at` (milliseconds) is
 * the attempt's own time. Each secret adds a signature, so that during a rotation a receiver may
 * know either.
 */
export function signatureHeaders(id: string, at: number, body: string, secrets: readonly string[]): SignatureHeaders {
  const timestamp = Math.floor(at / 1000).toString()
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': secrets.map(sign).join(' ') }
}
