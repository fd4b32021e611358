import { type ChannelName, PRIORITIES, type Priority } from '../contract/messages.ts'
import { integer } from './columns.ts'
import { MESSAGE } from './message-columns.ts'
import type { Message } from './messages.ts'
import type { Statements } from './statements.ts'

/** A place in a lane's queue. */
export interface QueuePlace {
  nextAt: number
  seq: number
}

/** A place in a lane's queue by the order in which messages leave. */
export interface LanePlace extends QueuePlace {
  priority: Priority
}

/** The place behind everything that is due. */
export const LAST_PLACE: LanePlace = {
  priority: 'low',
  nextAt: Number.MAX_SAFE_INTEGER,
  seq: Number.MAX_SAFE_INTEGER,
}

/** Messages that wait in the lanes of senders. */
export interface QueueStore {
  /**
   * How many wait in the lane of a sender. Kept in memory; may be a second old in an engine that is
   * shared, ten with long queues.
   */
  waiting(senderId: number): number
  /**
   * Messages of one lane, with `nextAt` at or before `at`: in the order of their priority, of
   * `nextAt`, of arrival.
   */
  due(laneId: number, at: number, limit: number): Promise<Message[]>
  /** Senders in whose lanes a message has `nextAt` at or before `at`. */
  withDue(at: number): Promise<ReadonlySet<number>>
  /**
   * Counts by lane the messages that have been *sending* since `at` or longer, with the time of the
   * first.
   */
  sendingSince(at: number): Promise<ReadonlyMap<number, { count: number; since: number }>>
  /**
   * All messages that wait in one lane, in the order of `nextAt`, then of arrival, after a place in
   * it.
   */
  waitingAfter(laneId: number, after: QueuePlace, limit: number): Promise<Message[]>
  /** How many that are due at `at` leave a lane before this place. */
  dueBefore(laneId: number, place: LanePlace, at: number): Promise<number>
  /** Messages of one sender that wait in the lane of another and are not being sent. */
  onOtherRoads(senderId: number, limit: number): Promise<Message[]>
  /**
   * Messages of one lane that wait and whose time was over at `now`; where no caller named it, at
   * `ended`.
   */
  overdue(laneId: number, at: { now: number; ended: number }, limit: number): Promise<Message[]>
  /** When the next one of those that wait is over; null: none waits. */
  nextExpiry(laneId: number): Promise<number | null>
  /** Those that are due for another attempt, in their original order. */
  repeats(laneId: number, at: number, limit: number): Promise<Message[]>
  /** Those that were in the middle of an attempt when the last run ended. */
  interrupted(channel: ChannelName): Promise<Message[]>
  /**
   * Makes queued ones of one lane that were put off due again, in their order; not those whose own
   * time has not come. At most `limit`; resolves with how many.
   */
  release(laneId: number, now: number, limit: number): Promise<number>
}

/** Reads of queues, as far as their statements are the same in both engines. */
export function createQueueReads({ rows }: Statements) {
  const withDue = rows(
    { id: integer('s.id') },
    `FROM senders s WHERE s.deleted_at IS NULL AND (SELECT m.seq FROM messages m
       WHERE m.lane_id = s.id AND m.priority IN (${[...PRIORITIES.keys()].join(', ')}) AND m.next_at <= $1 LIMIT 1) IS NOT NULL`,
  )
  const sendingSince = rows(
    { id: integer('lane_id'), count: integer('count(*)'), since: integer('min(occurred_at)') },
    "FROM messages WHERE status = 'sending' AND occurred_at <= $1 GROUP BY lane_id",
  )
  return {
    withDue: async (at) => new Set((await withDue(at)).map(({ id }) => id)),
    sendingSince: async (at) => new Map((await sendingSince(at)).map(({ id, count, since }) => [id, { count, since }])),
    interrupted: rows(
      MESSAGE,
      `FROM messages m JOIN message_attempts a ON a.message_seq = m.seq AND a.number = m.attempts
       WHERE m.status = 'sending' AND m.channel = $1 AND a.ended_at IS NULL`,
    ),
  } satisfies Partial<QueueStore>
}
