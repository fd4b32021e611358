import { PRIORITIES } from '../../contract/messages.ts'
import { uploadedFileId } from '../../contract/send.ts'
import type { IdempotencyKey, IdempotencyRecord } from '../access.ts'
import { integer, text } from '../columns.ts'
import { isUnwanted } from '../contacts.ts'
import { noteChange, noteMessage, noteSecondRoad } from '../figures.ts'
import { changed, eventOf, partsOf, statementOf } from '../message-changes.ts'
import { INSERTED, type QueueStore, UPDATED } from '../message-reads.ts'
import type { Accepted, AcceptOptions, Also, Change, Changed, Message, MessageStore, NewMessage } from '../messages.ts'
import { type KeptSenders, NOTHING_SENT, putSendingState, SENDING_STATE, type SendingState } from '../senders.ts'
import type { SuppressionStatements } from './contacts.ts'
import type { Events } from './events.ts'
import type { Tx } from './group-commit.ts'
import type { ReadMessage } from './message-reads.ts'
import { type Context, inserting, selecting, updating } from './sql.ts'

export type UpdateSendingState = (tx: Tx, senderId: number, next: (state: SendingState) => SendingState) => void

export function updatingSendingState({ db, run }: Context): UpdateSendingState {
  const select = selecting(db, SENDING_STATE)<[number]>('FROM sending_state WHERE sender_id = ?')
  return (_tx, senderId, next) => void run(putSendingState({ senderId, ...next(select.get(senderId) ?? NOTHING_SENT) }))
}

export interface MessageWriteDeps {
  read: ReadMessage
  events: Events
  updateSendingState: UpdateSendingState
  suppressions: SuppressionStatements
  senders: KeptSenders
}

/** Members by which equal messages are recognised. */
type Compared =
  | 'recipient'
  | 'senderId'
  | 'body'
  | 'file'
  | 'fileSha256'
  | 'filename'
  | 'referenceId'
  | 'dueAt'
  | 'createdAt'

/** Creates the transitions of messages, and counts how many wait because of them. */
export function createMessageWrites({ db, write, run, now }: Context, deps: MessageWriteDeps) {
  const { read, events, senders } = deps
  const insert = inserting(db, 'messages', INSERTED)
  const byReference = selecting(db, { id: text('id') })<[string, number]>(
    'FROM messages WHERE reference_id = ? AND key_number = ? ORDER BY seq LIMIT 1',
  )
  // Files are compared by content if their bytes are here, otherwise by address. Rows after `until`
  // were written before the clock was set back.
  const sameContent = selecting(db, { id: text('id') })<
    [Pick<NewMessage, Compared> & { isNamed: number; inAll: number; since: number; until: number }]
  >(
    `FROM messages INDEXED BY messages_recipient WHERE recipient = @recipient
       AND @senderId IN (sender_id, moved_from) AND created_at BETWEEN @since AND @until
       AND status NOT IN ('failed', 'cancelled') AND body IS @body
       AND (file IS @file OR (file_id IS NOT NULL AND file_sha256 = @fileSha256))
       AND (NOT @inAll OR filename IS @filename AND reference_id IS @referenceId
         AND (due_named + @isNamed = 0 OR max(due_at, @createdAt) = max(@dueAt, @createdAt))) ORDER BY seq LIMIT 1`,
  )
  const update = updating(db, 'messages', UPDATED, 'seq')
  const releaseOf = db.prepare(
    `UPDATE messages SET next_at = due_at WHERE seq IN (SELECT seq FROM messages INDEXED BY messages_priority
       WHERE lane_id = @laneId AND priority = @priority AND next_at > @now AND +status = 'queued' AND due_at <= @now
       LIMIT @limit)`,
  )
  const sender = selecting(db, { id: integer('id') })<[number]>('FROM senders WHERE id = ? AND deleted_at IS NULL')
  const beginAttempt = db.prepare('INSERT INTO message_attempts (message_seq, number, at) VALUES (?, 1, ?)')
  const taken = selecting(db, { key: text('key') })<[IdempotencyKey & { since: number }]>(
    'FROM idempotency WHERE scope = @scope AND key = @key AND created_at >= @since',
  )
  const putKey = db.prepare(
    `INSERT INTO idempotency (scope, key, body_hash, message_id, status, answer, created_at)
     VALUES (@scope, @key, @hash, @messageId, @status, @answer, @at)
     ON CONFLICT DO UPDATE SET body_hash = excluded.body_hash, message_id = excluded.message_id, status = excluded.status,
       answer = excluded.answer, created_at = excluded.created_at WHERE idempotency.created_at < @since`,
  )
  const keptFile = selecting(db, { id: text('id') })<[string]>('FROM files WHERE id = ?')
  const waitingOf = selecting(db, {
    senderId: integer('lane_id'),
    count: integer('count(*)'),
  })('FROM messages WHERE next_at IS NOT NULL GROUP BY lane_id')

  // Counting a long queue with every accept would be slow, so rows are counted at the start, and
  // later changes are added.
  const waiting = new Map(waitingOf.all().map(({ senderId, count }) => [senderId, count]))
  function addWaiting(senderId: number, by: number): void {
    waiting.set(senderId, (waiting.get(senderId) ?? 0) + by)
  }

  function insertMessage(message: NewMessage): number {
    const seq = insert(message)
    if (message.attemptBegins) beginAttempt.run(seq, message.createdAt)
    return seq
  }

  function takeKey({ scope, key, hash, answer, since }: IdempotencyRecord, messageId: string, at: number): boolean {
    const [status, body] = [answer?.status ?? null, answer?.body ?? null]
    return putKey.run({ scope, key, hash, messageId, status, answer: body, at, since }).changes > 0
  }

  function sameSince(message: NewMessage, since: number | null, inAll: boolean): { id: string } | undefined {
    if (since === null) return undefined
    const { recipient, senderId, body, file, fileSha256, filename, referenceId, dueAt, dueNamed, createdAt } = message
    const content = { recipient, senderId, body, file, fileSha256, filename, referenceId, dueAt, createdAt }
    const span = { since, until: createdAt + (createdAt - since) }
    return sameContent.get({ ...content, ...span, isNamed: Number(dueNamed), inAll: Number(inAll) })
  }

  function accept(
    tx: Tx,
    message: NewMessage,
    { unique, sameContentSince = null, repeatedSince = null, idempotency: record }: AcceptOptions,
  ): Accepted {
    const { id, createdAt, referenceId, keyNumber } = message
    if (sender.get(message.senderId) === undefined) return { kind: 'sender_deleted' }
    if (record !== undefined && taken.get({ scope: record.scope, key: record.key, since: record.since }) !== undefined)
      return { kind: 'key_in_use' }
    const repeated = sameSince(message, repeatedSince, true)
    if (repeated !== undefined) return { kind: 'repeated', id: repeated.id }
    if (unique && referenceId !== null && keyNumber !== null) {
      const first = byReference.get(referenceId, keyNumber)
      if (first !== undefined) return { kind: 'duplicate_reference', id: first.id }
    }
    const same = sameSince(message, sameContentSince, false)
    if (same !== undefined) return { kind: 'duplicate_content', id: same.id }
    const scope = deps.suppressions.scopeFor(tx, message.senderId, message.recipient)
    if (isUnwanted(scope, message.purpose)) return { kind: 'opted_out', scope }
    const fileId = uploadedFileId(message.file)
    if (fileId !== undefined && keptFile.get(fileId) === undefined) return { kind: 'file_gone' }
    if (record !== undefined && !takeKey(record, id, createdAt)) return { kind: 'key_in_use' }
    if (!senders.isSandbox(message.senderId)) noteMessage(tx.noted, message, 1)
    return { kind: 'accepted', seq: insertMessage(message) }
  }

  function writeAlso(tx: Tx, message: Message, also: Also): void {
    if (also.kind === 'sending_state') deps.updateSendingState(tx, message.laneId, also.update)
    else if (also.kind === 'second_road') noteSecondRoad(tx.noted, message.senderId, also.month, also.by)
    else run(statementOf(message, also, now()))
  }

  function apply(tx: Tx, before: Message, change: Change): Changed {
    const after = changed(before, change)
    update(before, after, after.seq)
    for (const part of partsOf(before, after, change)) run(part)
    const event = eventOf(before, after, change, senders.reads.codeOf)
    const endpoints = event === null ? [] : events.announce(tx, event)
    for (const also of change.also ?? []) writeAlso(tx, before, also)
    if (!senders.isSandbox(after.senderId)) noteChange(tx.noted, before, after, change.at)
    return { before, after, endpoints }
  }

  const messages = {
    async accept(message, options) {
      const counts = message.nextAt === null ? 0 : 1
      // Count before the message is on disk, so that simultaneous accepts cannot exceed the limit
      // together.
      addWaiting(message.laneId, counts)
      let accepted: Accepted | undefined
      try {
        accepted = await write((tx) => accept(tx, message, options))
        return accepted
      } finally {
        if (accepted?.kind !== 'accepted') addWaiting(message.laneId, -counts)
      }
    },

    async change(ref, decide, urgency) {
      const result = await write((tx) => {
        const before = read(ref)
        const change = before === undefined ? null : decide(before)
        return before === undefined || change === null ? undefined : apply(tx, before, change)
      }, urgency)
      if (result !== undefined) {
        if (result.before.nextAt !== null) addWaiting(result.before.laneId, -1)
        if (result.after.nextAt !== null) addWaiting(result.after.laneId, 1)
      }
      return result
    },
  } satisfies Partial<MessageStore>

  const queues = {
    waiting: (senderId) => waiting.get(senderId) ?? 0,
    release: (laneId, at, limit) =>
      write(() => {
        let released = 0
        for (const priority of PRIORITIES.keys())
          released += releaseOf.run({ laneId, priority, now: at, limit: limit - released }).changes
        return released
      }),
  } satisfies Partial<QueueStore>

  return { messages, queues }
}
