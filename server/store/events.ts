import { z } from 'zod'
import type { EventName } from '../contract/webhooks.ts'
import { DAY } from '../lib/clock.ts'
import { blob, type Columns, integer, integerOrNull, json, text } from './columns.ts'
import { type Bound, bound, type Statements } from './statements.ts'
import { type EndpointRow, wanting } from './webhooks.ts'

export interface EventRow {
  seq: number
  type: EventName
  messageSeq: number | null
  /** When it happened, by the clock of the one who reported it. */
  at: number
  recordedAt: number
  data: unknown
}

export interface SenderEvent {
  type: EventName
  /** Endpoints may be limited to some senders; null: the event belongs to none. */
  senderCode: string | null
  at: number
  data: object
}

export interface NewEvent extends SenderEvent {
  messageSeq: number | null
  /** The sender that its message waited for first: its endpoints go on hearing of it. */
  formerCode?: string
}

export interface NewDelivery {
  id: number
  endpointId: number
  eventSeq: number
}

/**
 * The timeline. An event is written, with its deliveries, in the transaction of what it reports.
 */
export interface EventStore {
  ofMessage(messageSeq: number): Promise<EventRow[]>
  get(seq: number): Promise<EventRow | undefined>
  /** Messages that changed after an event, oldest change first. */
  messagesSince(seq: number, limit: number): Promise<{ messageSeq: number; seq: number }[]>
  newest(): Promise<number>
  /**
   * Writes an event for one endpoint alone, whatever that endpoint subscribed to; resolves with the
   * id of its delivery.
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
    get: one(EVENT, 'FROM events WHERE seq = $1'),
    messagesSince: rows(
      { messageSeq: integer('message_seq'), seq: integer('max(seq)') },
      'FROM events WHERE seq > $1 AND message_seq IS NOT NULL GROUP BY message_seq ORDER BY 2 LIMIT $2',
    ),
    newest: async () => (await newest())?.seq ?? 0,
  } satisfies Partial<EventStore>
}

/**
 * Bounds of waiting replies: of one author, and of all in bytes. Ours: a customer writes a few in
 * the day for which they wait, and nobody fills the disk of a shop whose receiver is down. All of
 * them are on the owner's phone.
 */
export const MOST_REPLIES_OF_AUTHOR = 200
export const MOST_REPLY_BYTES = 50 * 1024 * 1024

/** A message of a customer on its way to the endpoints that asked for it. */
interface NewReply {
  senderId: number
  senderCode: string
  /** The one of WhatsApp or Meta, by which a repeated one is known. */
  providerMessageId: string | null
  at: number
  /** The same for all that one customer writes to this sender; it says nothing of who that is. */
  author: number
  /** Sealed: nothing that a customer writes is readable in a file. */
  body: Buffer
  /** Nothing of it is kept after this. */
  expiresAt: number
}

/** Noted of a message, by its id: its wish is `obeyed`. Of a recipient: `opted_in`. */
type Heard = 'obeyed' | 'opted_in'

/** Replies of customers: passed on and not kept. */
export interface ReplyStore {
  /**
   * Writes the event with its deliveries, once for each message; resolves with the endpoints to
   * wake, or with `full`, and keeps nothing, where too much waits already.
   */
  add(reply: NewReply): Promise<number[] | 'full'>
  /** When a wish was obeyed, or a recipient wanted marketing again; null: never. */
  heardAt(senderId: number, done: Heard, of: string): Promise<number | null>
  /** An earlier time changes nothing. */
  hear(senderId: number, done: Heard, of: string, at: number): Promise<void>
  /** Undefined once it was delivered everywhere, or is too old. */
  body(eventSeq: number): Promise<Buffer | undefined>
  /**
   * Removes what expired before `now` with its deliveries, at most `batch`; resolves with how many
   * were removed.
   */
  expire(now: number, batch: number): Promise<number>
}

// WhatsApp keeps what a device did not fetch for about a month; Meta repeats for a week.
const SEEN_FOR = 31 * DAY

/** True if one more would be too many. @param bytes of all, with it */
export const areTooManyReplies = ({ ofAuthor, bytes }: { ofAuthor: number; bytes: number }): boolean =>
  ofAuthor >= MOST_REPLIES_OF_AUTHOR || bytes > MOST_REPLY_BYTES

const REPLY_EVENT = 'message.received'

/** True if one of these endpoints asks for the messages of a sender. */
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

/** Notes that a message is passed on; changes nothing where that is noted. */
export const seeReply = (senderId: number, providerMessageId: string, at: number): Bound =>
  bound(
    `INSERT INTO replies_seen (sender_id, provider_message_id, done, at) VALUES ($1, $2, 'passed_on', $3)
     ON CONFLICT DO NOTHING`,
    ...[senderId, providerMessageId, at],
  )

/** After a delivery of a reply ended: forgets the body that no other one needs. */
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
  const body = one({ body: blob('body') }, 'FROM replies WHERE event_seq = $1')
  const forgetSeen = bind('DELETE FROM replies_seen WHERE at < $1')
  // With its deliveries: nothing of it could be sent again.
  const remove = bind('DELETE FROM events WHERE seq IN (SELECT event_seq FROM replies WHERE expires_at <= $1 LIMIT $2)')
  return {
    heardAt: async (senderId, done, of) => (await seen(senderId, of, done))?.at ?? null,
    async hear(senderId, done, of, at) {
      await write(hear(senderId, of, done, at))
    },
    body: async (eventSeq) => (await body(eventSeq))?.body,
    expire: (now, batch) => write(forgetSeen(now - SEEN_FOR), remove(now, batch)),
  } satisfies Partial<ReplyStore>
}
