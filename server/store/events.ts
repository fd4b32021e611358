import { z } from 'zod'
import type { EventName } from '../contract/webhooks.ts'
import { blobOrNull, type Columns, integer, integerOrNull, json, text } from './columns.ts'
import { type Bound, bound, type Statements } from './statements.ts'
import { type EndpointRow, wanting } from './webhooks.ts'

export interface EventRow {
  seq: number
  type: EventName
  messageSeq: number | null
  /** When the event happened, by the clock of the party that reported it. */
  at: number
  recordedAt: number
  data: unknown
}

export interface SenderEvent {
  type: EventName
  /** The sender of the event, because endpoints may be limited to some senders; null: none. */
  senderCode: string | null
  at: number
  data: object
}

export interface NewEvent extends SenderEvent {
  messageSeq: number | null
  /** The first sender of a message that was moved: its endpoints still hear of the message. */
  formerCode?: string
}

export interface NewDelivery {
  id: number
  endpointId: number
  eventSeq: number
}

/**
 * The timeline. An event and its deliveries are written in the transaction of the change that the
 * event reports.
 */
export interface EventStore {
  ofMessage(messageSeq: number): Promise<EventRow[]>
  /** `reply` is the sealed body of a reply; null: none, or delivered everywhere, or too old. */
  get(seq: number): Promise<(EventRow & { reply: Buffer | null }) | undefined>
  /** Messages that changed after an event, oldest change first. */
  messagesSince(seq: number, limit: number): Promise<{ messageSeq: number; seq: number }[]>
  newest(): Promise<number>
  /**
   * Writes an event for one endpoint, whatever the endpoint subscribed to; resolves with the id of
   * its delivery.
   */
  addFor(endpointId: number, event: NewEvent): Promise<number>
}

const EVENT: Columns<EventRow> = {
  seq: integer('seq'),
  type: text('type'),
  messageSeq: integerOrNull('message_seq'),
  at: integer('at'),
  recordedAt: integer('recorded_at'),
  data: json('data', z.unknown()),
}

export function createEventReads({ rows, one }: Statements) {
  const newest = one({ seq: integer('coalesce(max(seq), 0)') }, 'FROM events')
  return {
    ofMessage: rows(EVENT, 'FROM events WHERE message_seq = $1 ORDER BY seq'),
    get: one(
      { ...EVENT, reply: blobOrNull('r.body') },
      'FROM events LEFT JOIN replies r ON r.event_seq = seq WHERE seq = $1',
    ),
    messagesSince: rows(
      { messageSeq: integer('message_seq'), seq: integer('max(seq)') },
      'FROM events WHERE seq > $1 AND message_seq IS NOT NULL GROUP BY message_seq ORDER BY 2 LIMIT $2',
    ),
    newest: async () => (await newest())?.seq ?? 0,
  } satisfies Partial<EventStore>
}

/**
 * Limits of waiting replies: number of one author's, and bytes of all. Our own limits: a customer
 * writes a few replies in the day for which they wait, and replies must not fill the disk of a shop
 * whose receiver is down. The owner's phone has all of them.
 */
export const MOST_REPLIES_OF_AUTHOR = 200
export const MOST_REPLY_BYTES = 50 * 1024 * 1024

/** A customer's message on its way to the endpoints that asked for it. */
interface NewReply {
  senderId: number
  senderCode: string
  /** Id at WhatsApp or Meta, by which a repeated message is recognised. */
  providerMessageId: string | null
  at: number
  /** Number of the customer at this sender, which does not reveal who that is. */
  author: number
  /** Sealed, so that nothing a customer writes is readable in a file. */
  body: Buffer
  /** Time at which the reply is removed. */
  expiresAt: number
}

/**
 * Facts to remember: `obeyed` of a message id, whose wish was carried out; `opted_in` of a
 * recipient.
 */
type Heard = 'obeyed' | 'opted_in'

/** Customers' replies, which Kurir passes on and does not keep. */
export interface ReplyStore {
  /**
   * Writes an event with its deliveries, once for each message; resolves with the endpoints to
   * wake. Resolves with `full`, and stores nothing, if too much waits already.
   */
  add(reply: NewReply): Promise<number[] | 'full'>
  /** When a wish was carried out, or a recipient wanted marketing again; null: never. */
  heardAt(senderId: number, done: Heard, of: string): Promise<number | null>
  /** Notes a fact. A time before the stored one changes nothing. */
  hear(senderId: number, done: Heard, of: string, at: number): Promise<void>
}

/**
 * True if another reply would exceed a limit.
 * @param bytes of all waiting replies, including the new one
 */
export const areTooManyReplies = ({ ofAuthor, bytes }: { ofAuthor: number; bytes: number }): boolean =>
  ofAuthor >= MOST_REPLIES_OF_AUTHOR || bytes > MOST_REPLY_BYTES

const REPLY_EVENT = 'message.received'

export const isReplyWanted = (endpoints: readonly EndpointRow[], senderCode: string): boolean =>
  wanting(endpoints, REPLY_EVENT, senderCode).length > 0

export const eventOfReply = ({ senderCode, at }: NewReply): NewEvent => ({
  ...{ type: REPLY_EVENT, messageSeq: null, senderCode, at, data: {} },
})

export const putReply = ({ author, body, expiresAt }: NewReply, eventSeq: number): Bound =>
  bound(
    'INSERT INTO replies (event_seq, author, bytes, body, expires_at) VALUES ($1, $2, $3, $4, $5)',
    ...[eventSeq, author, body.length, body, expiresAt],
  )

/** Notes that a reply is passed on; changes no row if that was noted before. */
export const seeReply = (senderId: number, providerMessageId: string, at: number): Bound =>
  bound(
    `INSERT INTO replies_seen (sender_id, provider_message_id, done, at) VALUES ($1, $2, 'passed_on', $3)
     ON CONFLICT DO NOTHING`,
    ...[senderId, providerMessageId, at],
  )

/**
 * Forgets the body of a reply after one of its deliveries ended, unless another delivery needs the
 * body.
 */
export const settleReply = (eventSeq: number): Bound =>
  bound(
    `DELETE FROM replies WHERE event_seq = $1 AND NOT EXISTS (
       SELECT 1 FROM webhook_deliveries WHERE event_seq = $1 AND state = 'pending')`,
    eventSeq,
  )

export function createReplies({ one, bind, write }: Statements) {
  const seen = one(
    { at: integer('at') },
    'FROM replies_seen WHERE sender_id = $1 AND provider_message_id = $2 AND done = $3',
  )
  const hear = bind(
    `INSERT INTO replies_seen (sender_id, provider_message_id, done, at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (sender_id, provider_message_id, done) DO UPDATE SET at = excluded.at
     WHERE replies_seen.at < excluded.at`,
  )
  return {
    heardAt: async (senderId, done, of) => (await seen(senderId, of, done))?.at ?? null,
    async hear(senderId, done, of, at) {
      await write(hear(senderId, of, done, at))
    },
  } satisfies Partial<ReplyStore>
}
