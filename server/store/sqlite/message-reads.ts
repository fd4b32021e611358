import { PRIORITIES } from '../../contract/messages.ts'
import { integer } from '../columns.ts'
import { LAST_PLACE, MESSAGE, type QueuePlace, type QueueStore } from '../message-reads.ts'
import type { Message, MessageRef } from '../messages.ts'
import type { Db } from './database.ts'
import { selecting } from './sql.ts'

/** Reads one message, inside a transaction as well. */
export type ReadMessage = (ref: MessageRef) => Message | undefined

/** Reads messages of a lane, with statements that name their index, and single messages. */
export function createLaneReads(db: Db) {
  const messages = selecting(db, MESSAGE)
  const bySeq = messages<[number]>('FROM messages m WHERE m.seq = ?')
  const byId = messages<[string]>('FROM messages m WHERE m.id = ?')
  // A message that was sent again keeps the provider's id of the first one. Reports belong to the
  // newer message, unless it ended before it left. The plus keeps the planner from walking all
  // messages of the sender, which are already in the wanted order.
  const byProvider = messages<[{ providerMessageId: string; senderId: number }]>(
    `FROM messages m WHERE m.provider_message_id = @providerMessageId AND +m.lane_id = @senderId
     ORDER BY iif(m.status = 'cancelled' OR (m.status = 'failed' AND m.attempts = 0), 1, 0), m.seq DESC LIMIT 1`,
  )
  // One priority after the other, because each is a piece of the index that is in order.
  const dueOf = messages<[number, number, number, number]>(
    'FROM messages m WHERE m.lane_id = ? AND m.priority = ? AND m.next_at <= ? ORDER BY m.next_at, m.seq LIMIT ?',
  )
  const afterOf = messages<[{ laneId: number; priority: number; limit: number } & QueuePlace]>(
    `FROM messages m WHERE m.lane_id = @laneId AND m.priority = @priority AND m.next_at IS NOT NULL
       AND (m.next_at, m.seq) > (@nextAt, @seq) ORDER BY m.next_at, m.seq LIMIT @limit`,
  )
  const before = selecting(db, { count: integer('count(*)') })<
    [{ laneId: number; priority: number; at: number } & QueuePlace]
  >(
    `FROM messages WHERE lane_id = @laneId AND priority = @priority AND next_at <= @at
       AND (next_at, seq) < (@nextAt, @seq)`,
  )
  const onOtherRoads = messages<[number, number]>(
    `FROM messages m WHERE m.lane_id IN (SELECT id FROM senders WHERE kind = 'official') AND m.next_at IS NOT NULL
       AND +m.sender_id = ? AND +m.lane_id <> m.sender_id AND +m.status = 'queued' LIMIT ?`,
  )
  const overdue = messages<[{ laneId: number; now: number; ended: number; limit: number }]>(
    `FROM messages m INDEXED BY messages_expiry
     WHERE m.lane_id = @laneId AND m.next_at IS NOT NULL AND m.expires_at <= @now
       AND (m.end_named > 0 OR m.expires_at <= @ended) ORDER BY m.expires_at LIMIT @limit`,
  )
  const nextExpiry = selecting(db, { at: integer('expires_at') })<[number]>(
    `FROM messages INDEXED BY messages_expiry WHERE lane_id = ? AND next_at IS NOT NULL ORDER BY expires_at LIMIT 1`,
  )

  /** Merges messages of all priorities, ordered by time alone. */
  function byTime(limit: number, read: (priority: number) => Message[]): Message[] {
    const rows = [...PRIORITIES.keys()].flatMap(read)
    return rows.sort((a, b) => (a.nextAt ?? 0) - (b.nextAt ?? 0) || a.seq - b.seq).slice(0, limit)
  }

  // By status, because few rows are `sending`, while a whole queue may be due.
  const repeats = messages<[number, number, number]>(
    `FROM messages m INDEXED BY messages_status
     WHERE m.status = 'sending' AND m.lane_id = ? AND m.next_at <= ? ORDER BY m.due_at, m.seq LIMIT ?`,
  )
  function read(ref: MessageRef): Message | undefined {
    if ('seq' in ref) return bySeq.get(ref.seq)
    return 'id' in ref ? byId.get(ref.id) : byProvider.get(ref)
  }

  return {
    read,
    find: async (ref: MessageRef) => read(ref),
    queues: {
      async due(laneId, at, limit) {
        const rows: Message[] = []
        for (const priority of PRIORITIES.keys())
          if (rows.length < limit) rows.push(...dueOf.all(laneId, priority, at, limit - rows.length))
        return rows
      },
      waitingAfter: async (laneId, after, limit) =>
        byTime(limit, (priority) => afterOf.all({ laneId, priority, limit, ...after })),
      async dueBefore(laneId, { priority: last, nextAt, seq }, at) {
        let count = 0
        for (const [priority, name] of PRIORITIES.entries()) {
          if (name === last) return count + (before.get({ laneId, priority, at, nextAt, seq })?.count ?? 0)
          count += before.get({ laneId, priority, at, nextAt: LAST_PLACE.nextAt, seq: LAST_PLACE.seq })?.count ?? 0
        }
        return count
      },
      onOtherRoads: async (senderId, limit) => onOtherRoads.all(senderId, limit),
      overdue: async (laneId, at, limit) => overdue.all({ laneId, ...at, limit }),
      nextExpiry: async (laneId) => nextExpiry.get(laneId)?.at ?? null,
      repeats: async (laneId, at, limit) => repeats.all(laneId, at, limit),
    } satisfies Partial<QueueStore>,
  }
}
