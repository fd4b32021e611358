import { integer } from '../columns.ts'
import { INBOX, type InboxStore, putEarly } from '../inbox.ts'
import { type Context, runBound } from './sql.ts'

export const applyingInbox = ({ db, write }: Context) =>
  ({
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
    keepEarly: (status) =>
      write(async (tx) => {
        const sent = 'FROM messages WHERE lane_id = $1 AND provider_message_id = $2 LIMIT 1'
        const found = await tx.one({ seq: integer('seq') }, sent, [status.senderId, status.providerMessageId])
        if (found !== undefined) return false
        void runBound(tx, putEarly(status))
        return true
      }),
  }) satisfies Partial<InboxStore>
