import { PRIORITIES } from '../../contract/messages.ts'
import { blob, integer, text } from '../columns.ts'
import { ATTEMPT, MEMBERS, MESSAGE, PROVIDER_CALL, UNSETTLED } from '../message-columns.ts'
import type { MessageReads, MessageRef } from '../messages.ts'
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

/**
 * Rows of each priority, which is a piece of the index that is in order. `$1` is the lane, `$2` the
 * limit.
 */
const ofEachPriority = (condition: string): string =>
  `FROM unnest(ARRAY[${ALL_PRIORITIES}]::bigint[]) AS p (priority) CROSS JOIN LATERAL (
     SELECT * FROM messages WHERE lane_id = $1 AND priority = p.priority AND ${condition}
     ORDER BY next_at, seq LIMIT $2) AS m`

/** One message, or the few that somebody has to look after. */
export function createMessageReads(db: Sql): MessageReads {
  return {
    find: (ref) => db.one(MESSAGE, ...messageBy(ref)),
    due: (laneId, at, limit) =>
      db.rows(MESSAGE, `${ofEachPriority('next_at <= $3')} ORDER BY m.priority, m.next_at, m.seq LIMIT $2`, [
        laneId,
        limit,
        at,
      ]),
    async lanesDue(at) {
      const rows = await db.rows(
        { id: integer('s.id') },
        `FROM senders s WHERE s.deleted_at IS NULL AND EXISTS (SELECT 1 FROM messages m
           WHERE m.lane_id = s.id AND m.priority = ANY (ARRAY[${ALL_PRIORITIES}]) AND m.next_at <= $1)`,
        [at],
      )
      return new Set(rows.map(({ id }) => id))
    },
    async sendingSince(at) {
      const rows = await db.rows(
        { id: integer('lane_id'), count: integer('count(*)'), since: integer('min(occurred_at)') },
        `FROM messages WHERE status = 'sending' AND occurred_at <= $1 GROUP BY lane_id`,
        [at],
      )
      return new Map(rows.map(({ id, count, since }) => [id, { count, since }]))
    },
    waitingAfter: (laneId, { nextAt, seq }, limit) =>
      db.rows(MESSAGE, `${ofEachPriority('(next_at, seq) > ($3, $4)')} ORDER BY m.next_at, m.seq LIMIT $2`, [
        ...[laneId, limit, nextAt, seq],
      ]),
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
    attempts: (seq) => db.rows(ATTEMPT, 'FROM message_attempts WHERE message_seq = $1 ORDER BY number', [seq]),
    members: async (seq) => (await db.one(MEMBERS, 'FROM message_members WHERE message_seq = $1', [seq]))?.members,
    content: async (seq) =>
      (await db.one({ content: blob('content') }, 'FROM message_contents WHERE message_seq = $1', [seq]))?.content,
    providerCall: (seq) => db.one(PROVIDER_CALL, 'FROM provider_calls WHERE message_seq = $1', [seq]),
    interrupted: (channel) =>
      db.rows(
        MESSAGE,
        `FROM messages m JOIN message_attempts a ON a.message_seq = m.seq AND a.number = m.attempts
         WHERE m.status = 'sending' AND m.channel = $1 AND a.ended_at IS NULL`,
        [channel],
      ),
    newest: () => db.one({ id: text('id'), seq: integer('seq') }, 'FROM messages ORDER BY seq DESC LIMIT 1'),
    async templatesIn(status, ms, limit) {
      const rows = await db.rows(
        { id: text('id') },
        `FROM messages WHERE channel = 'template' AND status = $1 AND created_at < $2 AND occurred_at < $2
           AND next_at IS NULL ORDER BY seq LIMIT $3`,
        [status, ms, limit],
      )
      return rows.map(({ id }) => id)
    },
    async silentSince(laneId, from, to) {
      const row = await db.one(
        { at: integer('occurred_at') },
        `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status = 'accepted' AND created_at >= $2
           AND created_at < $3 AND occurred_at < $3 ORDER BY created_at LIMIT 1`,
        [laneId, from, to],
      )
      return row?.at ?? null
    },
    unfinished: (senderId, limit) =>
      db.rows(
        MESSAGE,
        `FROM messages m WHERE m.sender_id = $1 AND m.status IN ('accepted', 'sent', 'delivered') LIMIT $2`,
        [senderId, limit],
      ),
    unsettled: (laneId, after, from, to, limit) =>
      db.rows(
        UNSETTLED,
        `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status IN ('accepted', 'sent')
           AND provider_message_id IS NOT NULL AND seq > $2 AND created_at >= $3 AND created_at < $4
         ORDER BY seq LIMIT $5`,
        [laneId, after, from, to, limit],
      ),
  }
}
