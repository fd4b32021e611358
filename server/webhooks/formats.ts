import { type CallbackError, EVENTS, type EventName } from '../contract/webhooks.ts'
import { isoTime } from '../lib/clock.ts'
import type { Message, SenderRow } from '../store/index.ts'
import { type Sign, signatureHeaders } from './sign.ts'

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

export const createFormats = (ofOthers: Record<string, CallbackFormat>): CallbackFormats =>
  new Map([[OWN_FORMAT, kurirFormat], ...Object.entries(ofOthers)])

/**
 * A callback that can be made, or why this one cannot. `webhookId` is the same over all attempts.
 */
export type Callback =
  | { webhookId: string; call: CallbackCall; sign: Sign }
  | { webhookId: string; error: string; errorCode: CallbackError }

/** An event in the form that an endpoint chose. */
export function callbackIn(formats: CallbackFormats, name: string, event: ReportedEvent): Callback {
  const { webhookId } = event
  const format = formats.get(name)
  if (format === undefined) {
    return { webhookId, error: `This version has no callbacks in the form "${name}".`, errorCode: 'format_unknown' }
  }
  if (!format.events.includes(event.type)) {
    return { webhookId, error: `${format.title} has no callback for ${event.type}.`, errorCode: 'not_in_format' }
  }
  return { webhookId, call: format.callOf(event), sign: format.sign ?? signatureHeaders }
}
