import { uploadedFileId } from '../../contract/files.ts'
import { PRIORITIES } from '../../contract/messages.ts'
import { integer, text } from '../columns.ts'
import { noteChange, noteMessage, noteSecondRoad } from '../figures.ts'
import { changed, eventOf, isUnwanted } from '../message-changes.ts'
import { INSERTED, UPDATED } from '../message-columns.ts'
import type { Accepted, AcceptOptions, Also, Change, Changed, Message, MessageStore, NewMessage } from '../messages.ts'
import type { ContactStatements } from './contacts.ts'
import type { Db } from './database.ts'
import type { EventStatements } from './events.ts'
import type { Tx, Write } from './group-commit.ts'
import type { IdempotencyStatements } from './idempotency.ts'
import type { MarketingHoldStatements } from './marketing-holds.ts'
import type { MessageStatements } from './message-reads.ts'
import type { createProviderCalls } from './provider-calls.ts'
import type { SendingStateStatements } from './sending-state.ts'
import { inserting, selecting, updating } from './sql.ts'
import type { SuppressionStatements } from './suppressions.ts'
import type { UploadStatements } from './uploads.ts'

export interface MessageWriteDeps {
  db: Db
  write: Write
  reads: Pick<MessageStatements, 'read'>
  events: Pick<EventStatements, 'insert'>
  calls: ReturnType<typeof createProviderCalls>
  idempotency: Pick<IdempotencyStatements, 'isUsed' | 'take' | 'conclude'>
  sendingState: Pick<SendingStateStatements, 'update'>
  marketingHolds: Pick<MarketingHoldStatements, 'put'>
  contacts: Pick<ContactStatements, 'know'>
  suppressions: Pick<SuppressionStatements, 'scopeFor'>
  uploads: Pick<UploadStatements, 'exists'>
  /** Its messages count nowhere. */
  isSandbox: (senderId: number) => boolean
  /** True if a sender is not deleted, as the transaction sees it. */
  isThere: (senderId: number) => boolean
  codeOf: (senderId: number) => string
}

/** The transitions of messages, and how many wait because of them. */
export function createMessageWrites(
  deps: MessageWriteDeps,
): Pick<MessageStore, 'accept' | 'change' | 'release' | 'waiting'> {
  const { db, write, reads, events, calls, idempotency } = deps
  const insert = inserting(db, 'messages', INSERTED)
  const byReference = selecting<{ id: string }>(db, { id: text('id') })<[string, number]>(
    'FROM messages WHERE reference_id = ? AND key_number = ? ORDER BY seq LIMIT 1',
  )
  // By content where the bytes are here, else by address. What is far ahead came before the clock
  // was set back.
  const sameContent = selecting<{ id: string }>(db, { id: text('id') })<
    [Pick<NewMessage, 'recipient' | 'senderId' | 'body' | 'file' | 'fileSha256'> & { since: number; until: number }]
  >(
    `FROM messages INDEXED BY messages_recipient WHERE recipient = @recipient AND sender_id = @senderId
       AND created_at BETWEEN @since AND @until AND status NOT IN ('failed', 'cancelled') AND body IS @body
       AND (file IS @file OR (file_id IS NOT NULL AND file_sha256 = @fileSha256)) ORDER BY seq LIMIT 1`,
  )
  const update = updating(db, 'messages', UPDATED, 'seq')
  const releaseOf = db.prepare(
    `UPDATE messages SET next_at = due_at WHERE seq IN (SELECT seq FROM messages INDEXED BY messages_priority
       WHERE lane_id = @laneId AND priority = @priority AND next_at > @now AND +status = 'queued' AND due_at <= @now
       LIMIT @limit)`,
  )
  // One that did not count has its number and its end already.
  const beginAttempt = db.prepare(
    `INSERT OR REPLACE INTO message_attempts (message_seq, number, at, ended_at, outcome, reason)
     VALUES (?, ?, ?, NULL, NULL, NULL)`,
  )
  const endAttempt = db.prepare(
    `UPDATE message_attempts SET ended_at = @at, outcome = @outcome, reason = @reason
     WHERE message_seq = @seq AND number = @number AND ended_at IS NULL`,
  )
  const putContent = db.prepare('INSERT OR REPLACE INTO message_contents (message_seq, content) VALUES (?, ?)')
  const putMembers = db.prepare('INSERT OR IGNORE INTO message_members (message_seq, members) VALUES (?, ?)')
  const waitingOf = selecting<{ senderId: number; count: number }>(db, {
    senderId: integer('lane_id'),
    count: integer('count(*)'),
  })('FROM messages WHERE next_at IS NOT NULL GROUP BY lane_id')

  // Counting a long queue with every accept would read it: rows are counted at the start, and what
  // changes is added.
  const waiting = new Map(waitingOf.all().map(({ senderId, count }) => [senderId, count]))
  function addWaiting(senderId: number, by: number): void {
    waiting.set(senderId, (waiting.get(senderId) ?? 0) + by)
  }

  function insertMessage(message: NewMessage): number {
    const seq = insert(message)
    if (message.attemptBegins) beginAttempt.run(seq, 1, message.createdAt)
    return seq
  }

  function accept(
    tx: Tx,
    message: NewMessage,
    { unique, sameContentSince = null, idempotency: record }: AcceptOptions,
  ): Accepted {
    const { id, createdAt, referenceId, keyNumber } = message
    if (!deps.isThere(message.senderId)) return { kind: 'sender_deleted' }
    if (record !== undefined && idempotency.isUsed(tx, record)) return { kind: 'key_in_use' }
    if (unique && referenceId !== null && keyNumber !== null) {
      const first = byReference.get(referenceId, keyNumber)
      if (first !== undefined) return { kind: 'duplicate_reference', id: first.id }
    }
    if (sameContentSince !== null) {
      const { recipient, senderId, body, file, fileSha256 } = message
      const span = { since: sameContentSince, until: createdAt + (createdAt - sameContentSince) }
      const first = sameContent.get({ recipient, senderId, body, file, fileSha256, ...span })
      if (first !== undefined) return { kind: 'duplicate_content', id: first.id }
    }
    const scope = deps.suppressions.scopeFor(tx, message.senderId, message.recipient)
    if (isUnwanted(scope, message)) return { kind: 'opted_out', scope }
    const fileId = uploadedFileId(message.file)
    if (fileId !== undefined && !deps.uploads.exists(tx, fileId)) return { kind: 'file_gone' }
    if (record !== undefined && !idempotency.take(tx, record, id, createdAt)) return { kind: 'key_in_use' }
    if (!deps.isSandbox(message.senderId)) noteMessage(tx.noted, message, 1)
    return { kind: 'accepted', seq: insertMessage(message) }
  }

  function writeAlso(tx: Tx, { seq, senderId, laneId, recipient }: Message, also: Also): void {
    switch (also.kind) {
      case 'sending_state':
        deps.sendingState.update(tx, laneId, also.update)
        break
      case 'known_contact':
        deps.contacts.know(tx, laneId, recipient)
        break
      case 'marketing_hold':
        deps.marketingHolds.put(tx, laneId, recipient, also.until)
        break
      case 'second_road':
        noteSecondRoad(tx.noted, senderId, also.month, also.by)
        break
      case 'provider_call':
        calls.put(tx, seq, also.call)
        break
      case 'idempotency_answer':
        idempotency.conclude(tx, also.key, also.answer)
    }
  }

  function apply(tx: Tx, before: Message, change: Change): Changed {
    const after = changed(before, change)
    update(before, after, after.seq)
    if (change.attemptBegins) beginAttempt.run(after.seq, after.attempts, change.at)
    if (change.attemptEnds) {
      endAttempt.run({ ...change.attemptEnds, at: change.at, seq: after.seq, number: before.attempts })
    }
    if (change.content) putContent.run(after.seq, change.content)
    if (change.members) putMembers.run(after.seq, JSON.stringify(change.members))
    const event = eventOf(before, after, change, deps.codeOf(after.senderId))
    const deliveries = event === null ? [] : events.insert(tx, event)
    for (const also of change.also ?? []) writeAlso(tx, before, also)
    if (!deps.isSandbox(after.senderId)) noteChange(tx.noted, before, after, change.at)
    return { before, after, endpoints: deliveries.map(({ endpointId }) => endpointId) }
  }

  return {
    waiting: (senderId) => waiting.get(senderId) ?? 0,

    async accept(message, options) {
      const counts = message.nextAt === null ? 0 : 1
      // Counted before it is on disk, so that accepts of one moment cannot pass the limit together.
      addWaiting(message.laneId, counts)
      let accepted: Accepted | undefined
      try {
        accepted = await write((tx) => accept(tx, message, options))
        return accepted
      } finally {
        if (accepted?.kind !== 'accepted') addWaiting(message.laneId, -counts)
      }
    },

    release: (laneId, now, limit) =>
      write(() => {
        let released = 0
        for (const priority of PRIORITIES.keys())
          released += releaseOf.run({ laneId, priority, now, limit: limit - released }).changes
        return released
      }),

    async change(ref, decide, { urgency } = {}) {
      const result = await write((tx) => {
        const before = reads.read(ref)
        const change = before === undefined ? null : decide(before)
        return before === undefined || change === null ? undefined : apply(tx, before, change)
      }, urgency)
      if (result !== undefined) {
        if (result.before.nextAt !== null) addWaiting(result.before.laneId, -1)
        if (result.after.nextAt !== null) addWaiting(result.after.laneId, 1)
      }
      return result
    },
  }
}
