import type { Failure } from '../../contract/failures.ts'
import type { ChannelName } from '../../contract/messages.ts'
import { EVENTS } from '../../contract/webhooks.ts'
import { localDay } from '../../lib/local-time.ts'
import type { AttemptRow, Change, Message, MessageRef, NewMessage } from '../rows.ts'
import type { Db } from './database.ts'
import type { Events } from './events.ts'
import type { Urgency, Write } from './group-commit.ts'

export const MESSAGE_COLUMNS = `m.seq, m.id, m.sender_id AS senderId, m.channel, m.recipient, m.body, m.file, m.template,
  m.reference_id AS referenceId, m.metadata, m.status, m.attempts, m.created_at AS createdAt, m.due_at AS dueAt,
  m.expires_at AS expiresAt, m.next_at AS nextAt, m.occurred_at AS occurredAt, m.provider_message_id AS providerMessageId,
  m.pricing_category AS pricingCategory, m.error`

export type RawMessage = Omit<Message, 'error'> & { error: string | null }

export const parseMessage = (raw: RawMessage): Message => ({
  ...raw,
  error: raw.error === null ? null : (JSON.parse(raw.error) as Failure),
})

const CALLBACKS = new Set<string>(EVENTS)

/** An answer that is remembered together with the message that it tells of. */
export interface Remembered {
  scope: string
  key: string
  bodyHash: Uint8Array
  status: number | null
  answer: string | null
}

export type Accepted = { kind: 'accepted'; seq: number } | { kind: 'duplicate_reference'; id: string }

export interface Changed {
  before: Message
  after: Message
  /** Endpoints that will hear of it. */
  endpoints: number[]
}

export type Messages = ReturnType<typeof createMessages>

/** Every method that writes is one atomic transition; its promise resolves when it is on disk. */
export function createMessages(db: Db, write: Write, events: Events, codeOf: (senderId: number) => string) {
  const insert = db.prepare(
    `INSERT INTO messages (id, sender_id, key_number, channel, recipient, body, file, template, template_name, reference_id,
       metadata, status, created_at, due_at, expires_at, next_at, occurred_at, provider_message_id, attempts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const remember = db.prepare(
    'INSERT OR REPLACE INTO idempotency (scope, key, body_hash, message_id, status, answer, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const byReference = db.prepare<[string, number], { id: string }>(
    'SELECT id FROM messages WHERE reference_id = ? AND key_number = ? ORDER BY seq LIMIT 1',
  )
  const select = {
    seq: db.prepare<[number], RawMessage>(`SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.seq = ?`),
    id: db.prepare<[string], RawMessage>(`SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.id = ?`),
    provider: db.prepare<[{ providerMessageId: string; senderId: number | null }], RawMessage>(
      `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.provider_message_id = @providerMessageId
         AND (@senderId IS NULL OR m.sender_id = @senderId) ORDER BY m.seq DESC LIMIT 1`,
    ),
    due: db.prepare<[number, number, number], RawMessage>(
      `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.sender_id = ? AND m.next_at <= ? ORDER BY m.next_at, m.seq LIMIT ?`,
    ),
  }
  // By status: those few, not the whole queue behind which they would stand.
  const repeats = db.prepare<[number, number, number], RawMessage>(
    `SELECT ${MESSAGE_COLUMNS} FROM messages m INDEXED BY messages_status
     WHERE m.status = 'sending' AND m.sender_id = ? AND m.next_at <= ? ORDER BY m.due_at, m.seq LIMIT ?`,
  )
  const update = db.prepare(
    `UPDATE messages SET status = ?, attempts = ?, next_at = ?, occurred_at = ?, provider_message_id = ?,
       pricing_category = ?, error = ? WHERE seq = ?`,
  )
  const beginAttempt = db.prepare('INSERT OR REPLACE INTO message_attempts (message_seq, number, at) VALUES (?, ?, ?)')
  const endAttempt = db.prepare(
    'UPDATE message_attempts SET ended_at = ?, outcome = ?, reason = ? WHERE message_seq = ? AND number = ? AND ended_at IS NULL',
  )
  const attempts = db.prepare<[number], AttemptRow>(
    'SELECT number, at, ended_at AS endedAt, outcome, reason FROM message_attempts WHERE message_seq = ? ORDER BY number',
  )
  const putContent = db.prepare('INSERT OR REPLACE INTO message_contents (message_seq, content) VALUES (?, ?)')
  const content = db.prepare<[number], { content: Buffer }>(
    'SELECT content FROM message_contents WHERE message_seq = ?',
  )
  const count = db.prepare(
    'INSERT INTO daily_counts (day, status, count) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1',
  )
  const interrupted = db.prepare<[ChannelName], RawMessage>(
    `SELECT ${MESSAGE_COLUMNS} FROM messages m JOIN message_attempts a ON a.message_seq = m.seq AND a.number = m.attempts
     WHERE m.status = 'sending' AND m.channel = ? AND a.ended_at IS NULL`,
  )
  const waitingOf = db.prepare<[], { senderId: number; count: number }>(
    'SELECT sender_id AS senderId, count(*) AS count FROM messages WHERE next_at IS NOT NULL GROUP BY sender_id',
  )
  const newest = db.prepare<[], { id: string }>('SELECT id FROM messages ORDER BY seq DESC LIMIT 1')

  // Counting a long queue on every accept would read it: the number is kept beside it.
  const waiting = new Map(waitingOf.all().map((row) => [row.senderId, row.count]))
  const addWaiting = (senderId: number, by: number) => waiting.set(senderId, (waiting.get(senderId) ?? 0) + by)

  function find(ref: MessageRef): Message | undefined {
    const raw = 'seq' in ref ? select.seq.get(ref.seq) : 'id' in ref ? select.id.get(ref.id) : select.provider.get(ref)
    return raw === undefined ? undefined : parseMessage(raw)
  }

  function insertMessage(m: NewMessage): number {
    const row = insert.run(
      ...[m.id, m.senderId, m.keyNumber, m.channel, m.recipient, m.body, m.file, m.template, m.templateName],
      ...[m.referenceId, m.metadata, m.status, m.createdAt, m.dueAt, m.expiresAt, m.nextAt, m.createdAt],
      ...[m.providerMessageId ?? null, m.attemptBegins ? 1 : 0],
    )
    const seq = Number(row.lastInsertRowid)
    if (m.attemptBegins) beginAttempt.run(seq, 1, m.createdAt)
    return seq
  }

  function apply(before: Message, change: Change): Changed {
    const after: Message = {
      ...before,
      status: change.status ?? before.status,
      attempts: before.attempts + (change.attemptBegins ? 1 : 0) - (change.attemptReturned ? 1 : 0),
      nextAt: change.nextAt === undefined ? before.nextAt : change.nextAt,
      occurredAt: change.status === undefined ? before.occurredAt : change.at,
      providerMessageId: change.providerMessageId ?? before.providerMessageId,
      pricingCategory: change.pricingCategory ?? before.pricingCategory,
      error: change.error === undefined ? before.error : change.error,
    }
    update.run(
      ...[after.status, after.attempts, after.nextAt, after.occurredAt, after.providerMessageId, after.pricingCategory],
      after.error === null ? null : JSON.stringify(after.error),
      after.seq,
    )
    if (change.attemptBegins) beginAttempt.run(after.seq, after.attempts, change.at)
    if (change.attemptEnds) {
      endAttempt.run(change.at, change.attemptEnds.outcome, change.attemptEnds.reason, after.seq, before.attempts)
    }
    if (change.content) putContent.run(after.seq, change.content)
    const type = `message.${after.status}`
    if (after.status === before.status || !CALLBACKS.has(type)) return { before, after, endpoints: [] }
    count.run(localDay(change.at), after.status)
    const { deliveries } = events.insert({
      type,
      messageSeq: after.seq,
      senderCode: codeOf(after.senderId),
      at: change.at,
      data: JSON.stringify({
        status: after.status,
        provider_message_id: after.providerMessageId,
        error: after.error,
      }),
    })
    return { before, after, endpoints: deliveries.map((d) => d.endpointId) }
  }

  return {
    find,
    due: (senderId: number, at: number, limit: number): Message[] =>
      select.due.all(senderId, at, limit).map(parseMessage),
    /** Those whose time has come to be sent once more, in their order of old. */
    repeats: (senderId: number, at: number, limit: number): Message[] =>
      repeats.all(senderId, at, limit).map(parseMessage),
    attempts: (seq: number): AttemptRow[] => attempts.all(seq),
    content: (seq: number): Buffer | undefined => content.get(seq)?.content,
    /** Found mid-send at a start. */
    interrupted: (channel: ChannelName): Message[] => interrupted.all(channel).map(parseMessage),
    waiting: (senderId: number): number => waiting.get(senderId) ?? 0,
    newestId: (): string | null => newest.get()?.id ?? null,

    /**
     * @param unique refuse a reference that this key used before
     * @param extra runs in the same transaction
     */
    async accept(
      message: NewMessage,
      unique: boolean,
      remembered?: Remembered,
      extra?: (seq: number) => void,
    ): Promise<Accepted> {
      const counts = message.nextAt === null ? 0 : 1
      addWaiting(message.senderId, counts)
      let accepted: Accepted | undefined
      try {
        accepted = await write(() => {
          if (unique && message.referenceId !== null && message.keyNumber !== null) {
            const first = byReference.get(message.referenceId, message.keyNumber)
            if (first !== undefined) return { kind: 'duplicate_reference', id: first.id } as const
          }
          const seq = insertMessage(message)
          if (remembered !== undefined) {
            const { scope, key, bodyHash, status, answer } = remembered
            remember.run(scope, key, bodyHash, message.id, status, answer, message.createdAt)
          }
          extra?.(seq)
          return { kind: 'accepted', seq } as const
        })
        return accepted
      } finally {
        if (accepted?.kind !== 'accepted') addWaiting(message.senderId, -counts)
      }
    },

    /**
     * Reads the message, asks `decide`, writes its change with event and callbacks. Null from `decide` changes nothing.
     * `extra` runs in the same transaction, for what must not drift apart from the message (pacing, for one).
     */
    async change(
      ref: MessageRef,
      decide: (message: Message) => Change | null,
      extra?: (after: Message) => void,
      urgency?: Urgency,
    ): Promise<Changed | undefined> {
      const changed = await write(() => {
        const before = find(ref)
        const change = before === undefined ? null : decide(before)
        if (before === undefined || change === null) return undefined
        const result = apply(before, change)
        extra?.(result.after)
        return result
      }, urgency)
      if (changed !== undefined) {
        addWaiting(
          changed.after.senderId,
          Number(changed.after.nextAt !== null) - Number(changed.before.nextAt !== null),
        )
      }
      return changed
    },
  }
}
