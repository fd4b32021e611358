import { z } from 'zod'
import type { EventName } from '../contract/webhooks.ts'
import { type Columns, integer, integerOrNull, json, text } from './columns.ts'
import type { Statements } from './statements.ts'

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
