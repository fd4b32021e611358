import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

/** A body of Meta's as it came. */
export interface InboxRow {
  seq: number
  /** Senders whose app secret signed it. */
  senderIds: number[]
  body: Buffer
  receivedAt: number
}

/** A status that came before its message id was known. */
export interface EarlyStatus {
  senderId: number
  providerMessageId: string
  status: string
  /** JSON of the update. */
  body: string
  receivedAt: number
}

export type Inbox = ReturnType<typeof createInbox>

/** What Meta called back with: stored first, applied afterwards. */
export function createInbox(db: Db, write: Write) {
  const insert = db.prepare(
    'INSERT OR IGNORE INTO meta_inbox (digest, sender_ids, body, received_at) VALUES (?, ?, ?, ?)',
  )
  const waiting = db.prepare<[], Omit<InboxRow, 'senderIds'> & { senderIds: string }>(
    `SELECT seq, sender_ids AS senderIds, body, received_at AS receivedAt FROM meta_inbox
     WHERE applied_at IS NULL ORDER BY seq`,
  )
  const count = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM meta_inbox')
  const markApplied = db.prepare('UPDATE meta_inbox SET applied_at = ?, note = ? WHERE seq = ?')
  const known = db.prepare<[string, number], { one: number }>(
    'SELECT 1 AS one FROM messages WHERE provider_message_id = ? AND sender_id = ?',
  )
  const putEarly = db.prepare(
    `INSERT OR IGNORE INTO early_statuses (sender_id, provider_message_id, status, body, received_at)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const early = db.prepare<[number, string], EarlyStatus>(
    `SELECT sender_id AS senderId, provider_message_id AS providerMessageId, status, body, received_at AS receivedAt
     FROM early_statuses WHERE sender_id = ? AND provider_message_id = ?`,
  )
  const ripe = db.prepare<[], { senderId: number; providerMessageId: string }>(
    `SELECT DISTINCT e.sender_id AS senderId, e.provider_message_id AS providerMessageId FROM early_statuses e
     JOIN messages m ON m.provider_message_id = e.provider_message_id AND m.sender_id = e.sender_id`,
  )
  const dropEarly = db.prepare('DELETE FROM early_statuses WHERE sender_id = ? AND provider_message_id = ?')
  const expireEarly = db.prepare('DELETE FROM early_statuses WHERE received_at < ?')

  return {
    /** False: these very bytes came before. */
    add: (digest: Uint8Array, senderIds: readonly number[], body: Uint8Array, at: number): Promise<boolean> =>
      write(() => insert.run(digest, JSON.stringify(senderIds), body, at).changes > 0),
    /** Bodies kept so far. */
    count: (): number => count.get()?.n ?? 0,
    /** The oldest bodies that wait, at most `bytes` of them together (but always one). */
    waiting(bytes: number): InboxRow[] {
      const rows: InboxRow[] = []
      let size = 0
      for (const row of waiting.iterate()) {
        rows.push({ ...row, senderIds: JSON.parse(row.senderIds) as number[] })
        size += row.body.length
        if (size >= bytes) break
      }
      return rows
    },
    applied: (seqs: readonly number[], at: number, note: string | null = null): Promise<void> =>
      write(() => {
        for (const seq of seqs) markApplied.run(at, note, seq)
      }),
    /** Keeps a status until its message id is known; false when it is known by now. */
    keepEarly: (e: EarlyStatus): Promise<boolean> =>
      write(() => {
        if (known.get(e.providerMessageId, e.senderId) !== undefined) return false
        putEarly.run(e.senderId, e.providerMessageId, e.status, e.body, e.receivedAt)
        return true
      }),
    early: (senderId: number, providerMessageId: string): EarlyStatus[] => early.all(senderId, providerMessageId),
    /** Early statuses whose message is known by now: the program ended before they were applied. */
    ripe: () => ripe.all(),
    dropEarly: (senderId: number, providerMessageId: string) => write(() => dropEarly.run(senderId, providerMessageId)),
    expireEarly: (before: number) => write(() => expireEarly.run(before)),
  }
}
