import { PRIORITIES } from '../../contract/messages.ts'
import { integer } from '../columns.ts'
import { MESSAGE, type QueueStore } from '../message-reads.ts'
import type { MessageRef } from '../messages.ts'

import type { Sql, Value } from './sql.ts'

const ALL_PRIORITIES = [...PRIORITIES.keys()]

/** One message: the rest of its SELECT from FROM on, with its values. */
export function messageBy(ref: MessageRef): [rest: string, values: Value[]] {
  if ('seq' in ref) return ['FROM messages m WHERE m.seq = $1', [ref.seq]]
  if ('id' in ref) return ['FROM messages m WHERE m.id = $1', [ref.id]]
  // One that was sent again has the id of the first: it gets what is reported, unless it ended
  // before it left.
  return [
    `FROM messages m WHERE m.provider_message_id = $1 AND m.lane_id = $2
     ORDER BY (m.status = 'cancelled' OR (m.status = 'failed' AND m.attempts = 0))::int, m.seq DESC LIMIT 1`,
    [ref.providerMessageId, ref.senderId],
  ]
}

/** Changes of one subject are written one after the other. */
export const subjectOf = (ref: MessageRef): string | undefined =>
  ('providerMessageId' in ref ? ref.providerMessageId : null) ?? undefined

/**
 * Rows of each priority, which is a piece of the index that is in order. `$1` is the lane, `$2` the
 * limit.
 */
const ofEachPriority = (condition: string): string =>
  `FROM unnest(ARRAY[${ALL_PRIORITIES}]::bigint[]) AS p (priority) CROSS JOIN LATERAL (
     SELECT * FROM messages WHERE lane_id = $1 AND priority = p.priority AND ${condition}
     ORDER BY next_at, seq LIMIT $2) AS m`

/** Messages of a lane. */
export function createLaneReads(db: Sql) {
  return {
    due: (laneId, at, limit) =>
      db.rows(MESSAGE, `${ofEachPriority('next_at <= $3')} ORDER BY m.priority, m.next_at, m.seq LIMIT $2`, [
        laneId,
        limit,
        at,
      ]),
    waitingAfter: (laneId, { nextAt, seq }, limit) =>
      db.rows(MESSAGE, `${ofEachPriority('(next_at, seq) > ($3, $4)')} ORDER BY m.next_at, m.seq LIMIT $2`, [
        ...[laneId, limit, nextAt, seq],
      ]),
    async dueBefore(laneId, { priority, nextAt, seq }, at) {
      const row = await db.one(
        { count: integer('count(*)') },
        `FROM messages WHERE lane_id = $1 AND priority = ANY (ARRAY[${ALL_PRIORITIES}]) AND next_at <= $2
           AND (priority, next_at, seq) < ($3, $4, $5)`,
        [laneId, at, PRIORITIES.indexOf(priority), nextAt, seq],
      )
      return row?.count ?? 0
    },
    onOtherRoads: (senderId, limit) =>
      db.rows(
        MESSAGE,
        `FROM messages m WHERE m.lane_id IN (SELECT id FROM senders WHERE kind = 'official') AND m.next_at IS NOT NULL
           AND m.sender_id = $1 AND m.lane_id <> m.sender_id AND m.status = 'queued' LIMIT $2`,
        [senderId, limit],
      ),
    overdue: (laneId, { now, ended }, limit) =>
      db.rows(
        MESSAGE,
        `FROM messages m WHERE m.lane_id = $1 AND m.next_at IS NOT NULL AND m.expires_at <= $2
           AND (m.end_named > 0 OR m.expires_at <= $3) ORDER BY m.expires_at LIMIT $4`,
        [laneId, now, ended, limit],
      ),
    async nextExpiry(laneId) {
      const from = 'FROM messages WHERE lane_id = $1 AND next_at IS NOT NULL ORDER BY expires_at LIMIT 1'
      return (await db.one({ at: integer('expires_at') }, from, [laneId]))?.at ?? null
    },
    repeats: (laneId, at, limit) =>
      db.rows(
        MESSAGE,
        `FROM messages m WHERE m.status = 'sending' AND m.lane_id = $1 AND m.next_at <= $2
         ORDER BY m.due_at, m.seq LIMIT $3`,
        [laneId, at, limit],
      ),
  } satisfies Partial<QueueStore>
}
