import { PRIORITIES } from '../contract/messages.ts'
import { blob, integer, text } from './columns.ts'
import { ATTEMPT, MEMBERS, MESSAGE, PROVIDER_CALL, UNSETTLED } from './message-columns.ts'
import type { MessageReads } from './messages.ts'
import type { Statements } from './statements.ts'

type OfEngine = 'due' | 'find' | 'nextExpiry' | 'onOtherRoads' | 'overdue' | 'repeats' | 'waitingAfter'

/** One message, or the few that somebody has to look after. */
export function createMessageReads({ rows, one }: Pick<Statements, 'rows' | 'one'>): Omit<MessageReads, OfEngine> {
  const lanesDue = rows(
    { id: integer('s.id') },
    `FROM senders s WHERE s.deleted_at IS NULL AND (SELECT m.seq FROM messages m
       WHERE m.lane_id = s.id AND m.priority IN (${[...PRIORITIES.keys()].join(', ')}) AND m.next_at <= $1 LIMIT 1) IS NOT NULL`,
  )
  const sendingSince = rows(
    { id: integer('lane_id'), count: integer('count(*)'), since: integer('min(occurred_at)') },
    "FROM messages WHERE status = 'sending' AND occurred_at <= $1 GROUP BY lane_id",
  )
  const members = one(MEMBERS, 'FROM message_members WHERE message_seq = $1')
  const content = one({ content: blob('content') }, 'FROM message_contents WHERE message_seq = $1')
  // One that waited in a lane reached its status long after it came, and one that is tried again is
  // the lane's.
  const templatesIn = rows(
    { id: text('id') },
    `FROM messages WHERE channel = 'template' AND status = $1 AND created_at < $2 AND occurred_at < $2
       AND next_at IS NULL ORDER BY seq LIMIT $3`,
  )
  // One that waited in a lane was accepted by Meta long after it came.
  const silent = one(
    { at: integer('occurred_at') },
    `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status = 'accepted' AND created_at >= $2
       AND created_at < $3 AND occurred_at < $3 ORDER BY created_at LIMIT 1`,
  )
  return {
    lanesDue: async (at) => new Set((await lanesDue(at)).map(({ id }) => id)),
    sendingSince: async (at) => new Map((await sendingSince(at)).map(({ id, count, since }) => [id, { count, since }])),
    attempts: rows(ATTEMPT, 'FROM message_attempts WHERE message_seq = $1 ORDER BY number'),
    members: async (seq) => (await members(seq))?.members,
    content: async (seq) => (await content(seq))?.content,
    providerCall: one(PROVIDER_CALL, 'FROM provider_calls WHERE message_seq = $1'),
    interrupted: rows(
      MESSAGE,
      `FROM messages m JOIN message_attempts a ON a.message_seq = m.seq AND a.number = m.attempts
       WHERE m.status = 'sending' AND m.channel = $1 AND a.ended_at IS NULL`,
    ),
    newest: one({ id: text('id'), seq: integer('seq') }, 'FROM messages ORDER BY seq DESC LIMIT 1'),
    templatesIn: async (status, ms, limit) => (await templatesIn(status, ms, limit)).map(({ id }) => id),
    silentSince: async (laneId, from, to) => (await silent(laneId, from, to))?.at ?? null,
    unfinished: rows(
      MESSAGE,
      "FROM messages m WHERE m.sender_id = $1 AND m.status IN ('accepted', 'sent', 'delivered') LIMIT $2",
    ),
    unsettled: rows(
      UNSETTLED,
      `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status IN ('accepted', 'sent')
         AND provider_message_id IS NOT NULL AND seq > $2 AND created_at >= $3 AND created_at < $4
       ORDER BY seq LIMIT $5`,
    ),
  }
}
