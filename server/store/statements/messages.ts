import { uploadedFileId } from '../../contract/files.ts'
import { KEPT_FOR } from '../../contract/idempotency.ts'
import { PRIORITIES, type Pricing, type Status } from '../../contract/messages.ts'
import type { EventName } from '../../contract/webhooks.ts'
import { localDay } from '../../lib/local-time.ts'
import {
  type Accepted,
  type AcceptOptions,
  type Also,
  type Change,
  type Changed,
  END_NAMED,
  type Message,
  type MessageStore,
  type NewMessage,
} from '../messages.ts'
import type { ContactStatements } from './contacts.ts'
import type { DailyCountStatements } from './daily-counts.ts'
import type { Db, InTurn, Remember, Tx, Write, WriteTogether } from './engine.ts'
import type { EventStatements } from './events.ts'
import type { IdempotencyStatements } from './idempotency.ts'
import type { MarketingHoldStatements } from './marketing-holds.ts'
import type { MessageReads } from './message-reads.ts'
import type { OutcomeStatements } from './outcomes.ts'
import type { PricingCountStatements } from './pricing-counts.ts'
import type { createProviderCalls } from './provider-calls.ts'
import type { SecondRoadStatements } from './second-roads.ts'
import type { SendingStateStatements } from './sending-state.ts'
import { inserting, integer, selecting, text, updating, type Written } from './sql.ts'
import type { SuppressionStatements } from './suppressions.ts'
import type { TallyStatements } from './tallies.ts'
import type { UploadStatements } from './uploads.ts'

/** Callers hear of these statuses. */
const EVENT: Partial<Record<Status, EventName>> = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
  cancelled: 'message.cancelled',
}

/** Columns that may change after the first write. */
const CHANGING: Written<
  Pick<
    Message,
    | 'laneId'
    | 'channel'
    | 'fileSha256'
    | 'priority'
    | 'template'
    | 'status'
    | 'dueAt'
    | 'expiresAt'
    | 'dueNamed'
    | 'endNamed'
    | 'nextAt'
    | 'providerMessageId'
  >
> = {
  lane_id: (m) => m.laneId,
  channel: (m) => m.channel,
  file_sha256: (m) => m.fileSha256,
  priority: (m) => PRIORITIES.indexOf(m.priority),
  template: (m) => m.template,
  template_name: (m) => m.template?.name ?? null,
  status: (m) => m.status,
  due_at: (m) => m.dueAt,
  expires_at: (m) => m.expiresAt,
  due_named: (m) => Number(m.dueNamed),
  end_named: (m) => END_NAMED.indexOf(m.endNamed),
  next_at: (m) => m.nextAt,
  provider_message_id: (m) => m.providerMessageId,
}

const INSERTED: Written<NewMessage> = {
  ...CHANGING,
  id: (m) => m.id,
  sender_id: (m) => m.senderId,
  key_number: (m) => m.keyNumber,
  recipient: (m) => m.recipient,
  body: (m) => m.body,
  file: (m) => m.file,
  filename: (m) => m.filename,
  purpose: (m) => m.purpose,
  reference_id: (m) => m.referenceId,
  metadata: (m) => m.metadata,
  unknown_members: (m) => m.unknownMembers,
  created_at: (m) => m.createdAt,
  occurred_at: (m) => m.createdAt,
  attempts: (m) => (m.attemptBegins ? 1 : 0),
}

const UPDATED: Written<Message> = {
  ...CHANGING,
  attempts: (m) => m.attempts,
  occurred_at: (m) => m.occurredAt,
  recipient_user_id: (m) => m.recipientUserId,
  pricing: (m) => m.pricing,
  error: (m) => m.error,
}

export interface MessageWriteDeps {
  db: Db
  write: Write
  writeTogether: WriteTogether
  remember: Remember
  inTurn: InTurn
  fence: (tx: Tx, senderId: number) => void
  reads: Pick<MessageReads, 'read'>
  events: Pick<EventStatements, 'insert'>
  calls: ReturnType<typeof createProviderCalls>
  idempotency: Pick<IdempotencyStatements, 'isUsed' | 'take' | 'conclude'>
  sendingState: Pick<SendingStateStatements, 'update'>
  marketingHolds: Pick<MarketingHoldStatements, 'put'>
  pricingCounts: Pick<PricingCountStatements, 'add'>
  secondRoads: Pick<SecondRoadStatements, 'add'>
  contacts: Pick<ContactStatements, 'know'>
  suppressions: Pick<SuppressionStatements, 'scopeFor'>
  uploads: Pick<UploadStatements, 'exists'>
  outcomes: Pick<OutcomeStatements, 'noteAccepted' | 'noteChange'>
  dailyCounts: Pick<DailyCountStatements, 'noteChange'>
  tallies: Pick<TallyStatements, 'noteChange'>
  now: () => number
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
  // In one statement, which sees one moment: what waits, less those of these ids.
  const waitingOf = selecting<{ senderId: number; count: number }>(db, {
    senderId: integer('lane_id'),
    count: integer('count'),
  })<[string]>(
    `FROM (SELECT lane_id, count(*) AS count FROM messages WHERE next_at IS NOT NULL GROUP BY lane_id
       UNION ALL SELECT lane_id, -count(*) FROM messages
       WHERE id IN (SELECT value FROM json_each(?)) AND next_at IS NOT NULL GROUP BY lane_id) AS counted`,
  )

  // Counting a long queue with every accept would read it: rows are counted now and then, and what
  // changes is added.
  let counted = new Map<number, number>()
  let changes = new Map<number, number>()
  /**
   * Accepts under way, by the ids of their messages: a count may see their rows or not, so it
   * leaves them out.
   */
  const coming = new Map<string, number>()
  /** The count under way: whom it leaves out, and the changes since it began. */
  let counting: { without: string; changes: Map<number, number> } | undefined
  deps.remember([], () => {
    // PostgreSQL calls this again until the answer of the count is there.
    if (counting === undefined) {
      counting = { without: JSON.stringify([...coming.keys()]), changes: new Map() }
      for (const senderId of coming.values()) add(counting.changes, senderId, 1)
    }
    const rows = waitingOf.all(counting.without)
    counted = new Map()
    for (const { senderId, count } of rows) add(counted, senderId, count)
    changes = counting.changes
    counting = undefined
  })
  function add(counts: Map<number, number>, senderId: number, by: number): void {
    counts.set(senderId, (counts.get(senderId) ?? 0) + by)
  }
  function addWaiting(senderId: number, by: number): void {
    add(changes, senderId, by)
    if (counting !== undefined) add(counting.changes, senderId, by)
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
    notTwice: readonly string[],
  ): Accepted {
    const { id, createdAt, referenceId, keyNumber } = message
    // Before anything is looked for, so that a repeat of the same call finds its idempotency key
    // first, and not its own reference.
    for (const name of notTwice) deps.inTurn(tx, name)
    if (!deps.isThere(message.senderId)) return { kind: 'sender_deleted' }
    const since = createdAt - KEPT_FOR
    if (record !== undefined && idempotency.isUsed(tx, record, since)) return { kind: 'key_in_use' }
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
    if (scope === 'all' || (scope !== null && message.purpose === 'marketing')) return { kind: 'opted_out', scope }
    const fileId = uploadedFileId(message.file)
    if (fileId !== undefined && !deps.uploads.exists(tx, fileId)) return { kind: 'file_gone' }
    if (record !== undefined && !idempotency.take(tx, record, id, createdAt, since)) return { kind: 'key_in_use' }
    const seq = insertMessage(message)
    return { kind: 'accepted', seq }
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
        deps.secondRoads.add(tx, senderId, also.month, also.by)
        break
      case 'provider_call':
        calls.put(tx, seq, also.call)
        break
      case 'idempotency_answer':
        idempotency.conclude(tx, also.key, also.answer)
    }
  }

  function apply(tx: Tx, before: Message, change: Change, now: number): Changed {
    const after = changed(before, change)
    update(before, after, after.seq)
    if (change.attemptBegins) beginAttempt.run(after.seq, after.attempts, change.at)
    if (change.attemptEnds) {
      endAttempt.run({ ...change.attemptEnds, at: change.at, seq: after.seq, number: before.attempts })
    }
    if (change.content) putContent.run(after.seq, change.content)
    const endpoints = announce(tx, before, after, change)
    // Last, what other messages share: on PostgreSQL such a row stays locked until the commit,
    // which follows at once.
    for (const also of change.also ?? []) writeAlso(tx, before, also)
    // Meta bills what it delivered.
    if (isBilled(after) && !isBilled(before))
      deps.pricingCounts.add(tx, after.laneId, after.pricing, localDay(change.at))
    deps.dailyCounts.noteChange(before, after)
    deps.tallies.noteChange(tx, before, after, now)
    return { before, after, endpoints }
  }

  /** Writes what callers hear of a change. Returns the endpoints that get it. */
  function announce(tx: Tx, before: Message, after: Message, change: Change): number[] {
    const type = change.revoked ? 'message.revoked' : after.status !== before.status ? EVENT[after.status] : undefined
    if (type === undefined) return []
    const deliveries = events.insert(tx, {
      type,
      messageSeq: after.seq,
      senderCode: deps.codeOf(after.senderId),
      at: change.at,
      data: { status: after.status, provider_message_id: after.providerMessageId, error: after.error },
    })
    return deliveries.map(({ endpointId }) => endpointId)
  }

  return {
    waiting: (senderId) => (counted.get(senderId) ?? 0) + (changes.get(senderId) ?? 0),

    async accept(message, options) {
      const counts = message.nextAt === null ? 0 : 1
      // Counted before it is on disk, so that accepts of one moment cannot pass the limit together.
      addWaiting(message.laneId, counts)
      if (counts > 0) coming.set(message.id, message.laneId)
      let accepted: Accepted | undefined
      try {
        const notTwice = refusedTwice(message, options)
        const { idempotency: key } = options
        const apart = key === undefined ? notTwice : [`key ${key.scope} ${key.key}`, ...notTwice]
        accepted = await deps.writeTogether((tx) => accept(tx, message, options, notTwice), apart)
        if (accepted.kind === 'accepted') deps.outcomes.noteAccepted(message.senderId, message.createdAt)
        return accepted
      } finally {
        coming.delete(message.id)
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

    async change(ref, decide, { urgency, inOrderOf, asHolder = false } = {}) {
      const now = deps.now()
      const result = await write(
        (tx) => {
          const before = reads.read(ref)
          const change = before === undefined ? null : decide(before)
          if (before === undefined || change === null) return undefined
          if (asHolder) deps.fence(tx, before.laneId)
          return apply(tx, before, change, now)
        },
        urgency,
        inOrderOf,
      )
      if (result !== undefined) {
        if (result.before.nextAt !== null) addWaiting(result.before.laneId, -1)
        if (result.after.nextAt !== null) addWaiting(result.after.laneId, 1)
        deps.outcomes.noteChange(result.before, result.after)
      }
      return result
    },
  }
}

/**
 * Names of what no other message may have for this one to be accepted; files with the same text may
 * be the same.
 */
function refusedTwice(message: NewMessage, { unique, sameContentSince = null }: AcceptOptions): string[] {
  const { senderId, recipient, body, referenceId, keyNumber } = message
  const names: string[] = []
  if (unique && referenceId !== null && keyNumber !== null) names.push(`reference ${keyNumber} ${referenceId}`)
  if (sameContentSince !== null) names.push(`content ${senderId} ${recipient} ${body}`)
  return names
}

const isBilled = (message: Message): message is Message & { pricing: Pricing } =>
  message.pricing !== null && (message.status === 'delivered' || message.status === 'read')

/** A message after a change. Pure. */
function changed(before: Message, change: Change): Message {
  return {
    ...before,
    status: change.status ?? before.status,
    attempts: before.attempts + (change.attemptBegins ? 1 : 0) - (change.attemptReturned ? 1 : 0),
    nextAt: change.nextAt === undefined ? before.nextAt : change.nextAt,
    dueAt: change.dueAt ?? before.dueAt,
    expiresAt: change.expiresAt ?? before.expiresAt,
    dueNamed: change.dueNamed ?? before.dueNamed,
    endNamed: change.endNamed ?? before.endNamed,
    priority: change.priority ?? before.priority,
    fileSha256: change.fileSha256 ?? before.fileSha256,
    occurredAt: change.status === undefined || change.status === before.status ? before.occurredAt : change.at,
    providerMessageId: change.providerMessageId ?? before.providerMessageId,
    recipientUserId: change.recipientUserId ?? before.recipientUserId,
    pricing: change.pricing ?? before.pricing,
    ...change.road,
    error: change.error === undefined ? before.error : change.error,
  }
}
