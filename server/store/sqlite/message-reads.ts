import type { AttemptRow, Message, MessageRef, MessageStore, UnsettledRow } from '../messages.ts'
import type { Db } from './database.ts'
import { MESSAGE } from './message-rows.ts'
import type { createProviderCalls } from './provider-calls.ts'
import { blob, type Columns, integer, integerOrNull, selecting, text, textOrNull } from './sql.ts'

const ATTEMPT: Columns<AttemptRow> = {
  number: integer('number'),
  at: integer('at'),
  endedAt: integerOrNull('ended_at'),
  outcome: textOrNull('outcome'),
  reason: textOrNull('reason'),
}

const UNSETTLED: Columns<UnsettledRow> = { seq: integer('seq'), providerMessageId: text('provider_message_id') }

type Reads = Pick<
  MessageStore,
  | 'find'
  | 'due'
  | 'repeats'
  | 'attempts'
  | 'content'
  | 'providerCall'
  | 'interrupted'
  | 'newestId'
  | 'templatesIn'
  | 'silentSince'
  | 'unsettled'
>

export interface MessageReads extends Reads {
  /** For use inside a transaction as well. */
  read(ref: MessageRef): Message | undefined
  isSent(providerMessageId: string, senderId: number): boolean
}

/** One message, or the few that somebody has to look after. */
export function createMessageReads(db: Db, calls: ReturnType<typeof createProviderCalls>): MessageReads {
  const messages = selecting(db, MESSAGE)
  const bySeq = messages<[number]>('FROM messages m WHERE m.seq = ?')
  const byId = messages<[string]>('FROM messages m WHERE m.id = ?')
  // The plus keeps the planner from walking all messages of the sender, which are in the wanted order already.
  const byProvider = messages<[{ providerMessageId: string; senderId: number }]>(
    `FROM messages m WHERE m.provider_message_id = @providerMessageId AND +m.sender_id = @senderId
     ORDER BY m.seq DESC LIMIT 1`,
  )
  const due = messages<[number, number, number]>(
    'FROM messages m WHERE m.sender_id = ? AND m.next_at <= ? ORDER BY m.next_at, m.seq LIMIT ?',
  )
  // By status, because few rows are `sending` and a whole queue may be due.
  const repeats = messages<[number, number, number]>(
    `FROM messages m INDEXED BY messages_status
     WHERE m.status = 'sending' AND m.sender_id = ? AND m.next_at <= ? ORDER BY m.due_at, m.seq LIMIT ?`,
  )
  const interrupted = messages<[string]>(
    `FROM messages m JOIN message_attempts a ON a.message_seq = m.seq AND a.number = m.attempts
     WHERE m.status = 'sending' AND m.channel = ? AND a.ended_at IS NULL`,
  )
  const attempts = selecting(db, ATTEMPT)<[number]>('FROM message_attempts WHERE message_seq = ? ORDER BY number')
  const content = selecting<{ content: Buffer }>(db, { content: blob('content') })<[number]>(
    'FROM message_contents WHERE message_seq = ?',
  )
  const ids = selecting<{ id: string }>(db, { id: text('id') })
  const newest = ids('FROM messages ORDER BY seq DESC LIMIT 1')
  const templatesIn = ids<[string, number, number]>(
    `FROM messages WHERE channel = 'template' AND status = ? AND created_at < ? ORDER BY seq LIMIT ?`,
  )
  const silent = selecting<{ at: number }>(db, { at: integer('created_at') })<[number, number, number]>(
    `FROM messages WHERE sender_id = ? AND channel = 'template' AND status = 'accepted' AND created_at >= ? AND created_at < ?
     ORDER BY created_at LIMIT 1`,
  )
  const unsettled = selecting(
    db,
    UNSETTLED,
  )<[{ senderId: number; after: number; from: number; to: number; limit: number }]>(
    `FROM messages WHERE sender_id = @senderId AND channel = 'template' AND status IN ('accepted', 'sent')
       AND provider_message_id IS NOT NULL AND seq > @after AND created_at >= @from AND created_at < @to ORDER BY seq LIMIT @limit`,
  )

  function read(ref: MessageRef): Message | undefined {
    if ('seq' in ref) return bySeq.get(ref.seq)
    return 'id' in ref ? byId.get(ref.id) : byProvider.get(ref)
  }

  return {
    read,
    isSent: (providerMessageId, senderId) => byProvider.get({ providerMessageId, senderId }) !== undefined,
    find: async (ref) => read(ref),
    due: async (senderId, at, limit) => due.all(senderId, at, limit),
    repeats: async (senderId, at, limit) => repeats.all(senderId, at, limit),
    attempts: async (seq) => attempts.all(seq),
    content: async (seq) => content.get(seq)?.content,
    providerCall: async (seq) => calls.get(seq),
    interrupted: async (channel) => interrupted.all(channel),
    newestId: async () => newest.get()?.id ?? null,
    templatesIn: async (status, ms, limit) => templatesIn.all(status, ms, limit).map(({ id }) => id),
    silentSince: async (senderId, from, to) => silent.get(senderId, from, to)?.at ?? null,
    unsettled: async (senderId, after, from, to, limit) => unsettled.all({ senderId, after, from, to, limit }),
  }
}
