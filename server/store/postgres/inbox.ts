import { integer, text } from '../columns.ts'
import { EARLY_STATUS, INBOX, type InboxStore } from '../inbox.ts'
import type { Context } from './sql.ts'

export function createInbox({ db, write }: Context): InboxStore {
  return {
    has: async (digest) =>
      (await db.one({ seq: integer('seq') }, 'FROM meta_inbox WHERE digest = $1', [digest])) !== undefined,
    async add(digest, senderIds, body, at) {
      const added = await write((tx) =>
        tx.run(
          `INSERT INTO meta_inbox (digest, sender_ids, body, received_at, applied_at)
           VALUES ($1, $2, coalesce($3::bytea, ''), $4, CASE WHEN $3::bytea IS NULL THEN $4::bigint END)
           ON CONFLICT DO NOTHING`,
          [digest, JSON.stringify(senderIds), body, at],
        ),
      )
      return added > 0
    },
    waiting: (bytes) =>
      db.rows(
        INBOX,
        `FROM (SELECT *, sum(octet_length(body)) OVER (ORDER BY seq) - octet_length(body) AS bytes_before
           FROM meta_inbox WHERE applied_at IS NULL) AS waiting WHERE bytes_before < $1 ORDER BY seq`,
        [bytes],
      ),
    async applied(seqs, at) {
      await write((tx) =>
        tx.run(`UPDATE meta_inbox SET applied_at = $2, body = '' WHERE seq = ANY ($1::bigint[])`, [seqs, at]),
      )
    },
    expire: (before, batch) =>
      write((tx) =>
        tx.run(
          `DELETE FROM meta_inbox WHERE seq IN (SELECT seq FROM meta_inbox
             WHERE applied_at IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2)`,
          [before, batch],
        ),
      ),
    async keepEarly({ senderId, providerMessageId, status, update, receivedAt }) {
      return write(async (tx) => {
        const of = [senderId, providerMessageId]
        const sent = 'FROM messages WHERE lane_id = $1 AND provider_message_id = $2 LIMIT 1'
        if ((await tx.one({ seq: integer('seq') }, sent, of)) !== undefined) return false
        void tx.run(
          `INSERT INTO early_statuses (sender_id, provider_message_id, status, body, received_at)
           VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
          [...of, status, JSON.stringify(update), receivedAt],
        )
        return true
      })
    },
    early: (senderId, providerMessageId) =>
      db.rows(EARLY_STATUS, 'FROM early_statuses WHERE sender_id = $1 AND provider_message_id = $2', [
        senderId,
        providerMessageId,
      ]),
    ripe: () =>
      db.rows(
        { senderId: integer('e.sender_id'), providerMessageId: text('e.provider_message_id') },
        `FROM early_statuses e JOIN messages m ON m.provider_message_id = e.provider_message_id
           AND m.lane_id = e.sender_id GROUP BY e.sender_id, e.provider_message_id`,
      ),
    async dropEarly(senderId, providerMessageId) {
      await write((tx) =>
        tx.run('DELETE FROM early_statuses WHERE sender_id = $1 AND provider_message_id = $2', [
          senderId,
          providerMessageId,
        ]),
      )
    },
    async expireEarly(before) {
      await write((tx) => tx.run('DELETE FROM early_statuses WHERE received_at < $1', [before]))
    },
  }
}
