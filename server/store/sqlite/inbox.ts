import { integer, text } from '../columns.ts'
import { EARLY_STATUS, INBOX, type InboxRow, type InboxStore } from '../inbox.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export function createInbox(db: Db, write: Write): InboxStore {
  const seqs = selecting<{ seq: number }>(db, { seq: integer('seq') })
  const byDigest = seqs<[Uint8Array]>('FROM meta_inbox WHERE digest = ?')
  const sent = seqs<[string, number]>('FROM messages WHERE provider_message_id = ? AND +lane_id = ? LIMIT 1')
  const insert = db.prepare(
    `INSERT OR IGNORE INTO meta_inbox (digest, sender_ids, body, received_at, applied_at)
     VALUES (@digest, @senderIds, coalesce(@body, x''), @at, iif(@body IS NULL, @at, NULL))`,
  )
  const waiting = selecting(db, INBOX)('FROM meta_inbox WHERE applied_at IS NULL ORDER BY seq')
  const markApplied = db.prepare("UPDATE meta_inbox SET applied_at = ?, body = x'' WHERE seq = ?")
  const expire = db.prepare(
    `DELETE FROM meta_inbox WHERE seq IN (
       SELECT seq FROM meta_inbox WHERE applied_at IS NOT NULL AND received_at < ? ORDER BY received_at LIMIT ?)`,
  )
  const putEarly = db.prepare(
    `INSERT OR IGNORE INTO early_statuses (sender_id, provider_message_id, status, body, received_at)
     VALUES (@senderId, @providerMessageId, @status, @body, @receivedAt)`,
  )
  const early = selecting(
    db,
    EARLY_STATUS,
  )<[number, string]>('FROM early_statuses WHERE sender_id = ? AND provider_message_id = ?')
  const ripe = selecting<{ senderId: number; providerMessageId: string }>(db, {
    senderId: integer('e.sender_id'),
    providerMessageId: text('e.provider_message_id'),
  })(
    `FROM early_statuses e JOIN messages m ON m.provider_message_id = e.provider_message_id AND m.lane_id = e.sender_id
     GROUP BY e.sender_id, e.provider_message_id`,
  )
  const dropEarly = db.prepare('DELETE FROM early_statuses WHERE sender_id = ? AND provider_message_id = ?')
  const expireEarly = db.prepare('DELETE FROM early_statuses WHERE received_at < ?')

  return {
    has: async (digest) => byDigest.get(digest) !== undefined,
    add: (digest, senderIds, body, at) =>
      write(() => insert.run({ digest, senderIds: JSON.stringify(senderIds), body, at }).changes > 0),
    async waiting(bytes) {
      const rows: InboxRow[] = []
      let size = 0
      for (const row of waiting.iterate()) {
        rows.push(row)
        size += row.body.length
        if (size >= bytes) break
      }
      return rows
    },
    applied: (seqs, at, urgency) =>
      write(() => {
        for (const seq of seqs) markApplied.run(at, seq)
      }, urgency),
    expire: (before, batch) => write(() => expire.run(before, batch).changes),
    keepEarly: ({ update, ...status }) =>
      write(() => {
        if (sent.get(status.providerMessageId, status.senderId) !== undefined) return false
        putEarly.run({ ...status, body: JSON.stringify(update) })
        return true
      }),
    early: async (senderId, providerMessageId) => early.all(senderId, providerMessageId),
    ripe: async () => ripe.all(),
    dropEarly: (senderId, providerMessageId) => write(() => void dropEarly.run(senderId, providerMessageId)),
    expireEarly: (before) => write(() => void expireEarly.run(before)),
  }
}
