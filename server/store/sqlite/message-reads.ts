import { PRIORITIES, type Status } from '../../contract/messages.ts'
import { blob, integer, text } from '../columns.ts'
import { ATTEMPT, MEMBERS, MESSAGE, PROVIDER_CALL, UNSETTLED } from '../message-columns.ts'
import type { Message, MessageReads, MessageRef, QueuePlace } from '../messages.ts'
import type { Db } from './database.ts'
import { selecting } from './sql.ts'

export interface MessageStatements extends MessageReads {
  /** For use inside a transaction as well. */
  read(ref: MessageRef): Message | undefined
}

/** One message, or the few that somebody has to look after. */
export function createMessageReads(db: Db): MessageStatements {
  const messages = selecting(db, MESSAGE)
  const bySeq = messages<[number]>('FROM messages m WHERE m.seq = ?')
  const byId = messages<[string]>('FROM messages m WHERE m.id = ?')
  // One that was sent again has the id of the first: it gets what is reported, unless it ended
  // before it left. The plus keeps the planner from walking all messages of the sender, which are
  // in the wanted order already.
  const byProvider = messages<[{ providerMessageId: string; senderId: number }]>(
    `FROM messages m WHERE m.provider_message_id = @providerMessageId AND +m.lane_id = @senderId
     ORDER BY iif(m.status = 'cancelled' OR (m.status = 'failed' AND m.attempts = 0), 1, 0), m.seq DESC LIMIT 1`,
  )
  // One priority after the other: each is a piece of the index that is in order already.
  const dueOf = messages<[number, number, number, number]>(
    'FROM messages m WHERE m.lane_id = ? AND m.priority = ? AND m.next_at <= ? ORDER BY m.next_at, m.seq LIMIT ?',
  )
  const lanesDue = selecting<{ id: number }>(db, { id: integer('s.id') })<[number]>(
    `FROM senders s WHERE s.deleted_at IS NULL AND (SELECT m.seq FROM messages m
       WHERE m.lane_id = s.id AND m.priority IN (${[...PRIORITIES.keys()].join(', ')}) AND m.next_at <= ? LIMIT 1) IS NOT NULL`,
  )
  const sendingSince = selecting<{ id: number; count: number; since: number }>(db, {
    id: integer('lane_id'),
    count: integer('count(*)'),
    since: integer('min(occurred_at)'),
  })<[number]>("FROM messages WHERE status = 'sending' AND occurred_at <= ? GROUP BY lane_id")
  const afterOf = messages<[{ laneId: number; priority: number; limit: number } & QueuePlace]>(
    `FROM messages m WHERE m.lane_id = @laneId AND m.priority = @priority AND m.next_at IS NOT NULL
       AND (m.next_at, m.seq) > (@nextAt, @seq) ORDER BY m.next_at, m.seq LIMIT @limit`,
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
  const nextExpiry = selecting<{ at: number }>(db, { at: integer('expires_at') })<[number]>(
    `FROM messages INDEXED BY messages_expiry WHERE lane_id = ? AND next_at IS NOT NULL ORDER BY expires_at LIMIT 1`,
  )

  function due(laneId: number, at: number, limit: number): Message[] {
    const rows: Message[] = []
    for (const priority of PRIORITIES.keys()) {
      if (rows.length >= limit) break
      rows.push(...dueOf.all(laneId, priority, at, limit - rows.length))
    }
    return rows
  }

  /** By their times alone: what `read` gives of each priority, put together. */
  function byTime(limit: number, read: (priority: number) => Message[]): Message[] {
    const rows = [...PRIORITIES.keys()].flatMap(read)
    return rows.sort((a, b) => (a.nextAt ?? 0) - (b.nextAt ?? 0) || a.seq - b.seq).slice(0, limit)
  }

  // By status, because few rows are `sending` and a whole queue may be due.
  const repeats = messages<[number, number, number]>(
    `FROM messages m INDEXED BY messages_status
     WHERE m.status = 'sending' AND m.lane_id = ? AND m.next_at <= ? ORDER BY m.due_at, m.seq LIMIT ?`,
  )
  const interrupted = messages<[string]>(
    `FROM messages m JOIN message_attempts a ON a.message_seq = m.seq AND a.number = m.attempts
     WHERE m.status = 'sending' AND m.channel = ? AND a.ended_at IS NULL`,
  )
  const attempts = selecting(db, ATTEMPT)<[number]>('FROM message_attempts WHERE message_seq = ? ORDER BY number')
  const members = selecting(db, MEMBERS)<[number]>('FROM message_members WHERE message_seq = ?')
  const content = selecting<{ content: Buffer }>(db, { content: blob('content') })<[number]>(
    'FROM message_contents WHERE message_seq = ?',
  )
  const call = selecting(db, PROVIDER_CALL)<[number]>('FROM provider_calls WHERE message_seq = ?')
  const ids = selecting<{ id: string }>(db, { id: text('id') })
  const newest = selecting<{ id: string; seq: number }>(db, { id: text('id'), seq: integer('seq') })(
    'FROM messages ORDER BY seq DESC LIMIT 1',
  )
  // One that waited in a lane reached its status long after it came, and one that is tried again is
  // the lane's.
  const templatesIn = ids<[{ status: Status; ms: number; limit: number }]>(
    `FROM messages WHERE channel = 'template' AND status = @status AND created_at < @ms AND occurred_at < @ms
       AND next_at IS NULL ORDER BY seq LIMIT @limit`,
  )
  // One that waited in a lane was accepted by Meta long after it came.
  const silent = selecting<{ at: number }>(db, { at: integer('occurred_at') })<
    [{ laneId: number; from: number; to: number }]
  >(
    `FROM messages WHERE lane_id = @laneId AND channel = 'template' AND status = 'accepted' AND created_at >= @from
       AND created_at < @to AND occurred_at < @to ORDER BY created_at LIMIT 1`,
  )
  const unfinished = messages<[number, number]>(
    "FROM messages m WHERE m.sender_id = ? AND m.status IN ('accepted', 'sent', 'delivered') LIMIT ?",
  )
  const unsettled = selecting(
    db,
    UNSETTLED,
  )<[{ laneId: number; after: number; from: number; to: number; limit: number }]>(
    `FROM messages WHERE lane_id = @laneId AND channel = 'template' AND status IN ('accepted', 'sent')
       AND provider_message_id IS NOT NULL AND seq > @after AND created_at >= @from AND created_at < @to ORDER BY seq LIMIT @limit`,
  )

  function read(ref: MessageRef): Message | undefined {
    if ('seq' in ref) return bySeq.get(ref.seq)
    return 'id' in ref ? byId.get(ref.id) : byProvider.get(ref)
  }

  return {
    read,
    find: async (ref) => read(ref),
    due: async (laneId, at, limit) => due(laneId, at, limit),
    lanesDue: async (at) => new Set(lanesDue.all(at).map(({ id }) => id)),
    sendingSince: async (at) => new Map(sendingSince.all(at).map(({ id, count, since }) => [id, { count, since }])),
    waitingAfter: async (laneId, after, limit) =>
      byTime(limit, (priority) => afterOf.all({ laneId, priority, limit, ...after })),
    onOtherRoads: async (senderId, limit) => onOtherRoads.all(senderId, limit),
    overdue: async (laneId, at, limit) => overdue.all({ laneId, ...at, limit }),
    nextExpiry: async (laneId) => nextExpiry.get(laneId)?.at ?? null,
    repeats: async (laneId, at, limit) => repeats.all(laneId, at, limit),
    attempts: async (seq) => attempts.all(seq),
    content: async (seq) => content.get(seq)?.content,
    members: async (seq) => members.get(seq)?.members,
    providerCall: async (seq) => call.get(seq),
    interrupted: async (channel) => interrupted.all(channel),
    newest: async () => newest.get(),
    templatesIn: async (status, ms, limit) => templatesIn.all({ status, ms, limit }).map(({ id }) => id),
    silentSince: async (laneId, from, to) => silent.get({ laneId, from, to })?.at ?? null,
    unfinished: async (senderId, limit) => unfinished.all(senderId, limit),
    unsettled: async (laneId, after, from, to, limit) => unsettled.all({ laneId, after, from, to, limit }),
  }
}
