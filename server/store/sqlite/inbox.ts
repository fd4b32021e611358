import { integer } from '../columns.ts'
import { INBOX, type InboxRow, type InboxStore, putEarly } from '../inbox.ts'
import { bound } from '../statements.ts'
import { type Context, selecting } from './sql.ts'

export function applyingInbox({ db, write, run }: Context) {
  const sent = selecting(db, { seq: integer('seq') })<[string, number]>(
    'FROM messages WHERE provider_message_id = ? AND +lane_id = ? LIMIT 1',
  )
  const waiting = selecting(db, INBOX)('FROM meta_inbox WHERE applied_at IS NULL ORDER BY seq')
  return {
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
        for (const seq of seqs) run(bound("UPDATE meta_inbox SET applied_at = $2, body = x'' WHERE seq = $1", seq, at))
      }, urgency),
    keepEarly: (status) =>
      write(() => {
        if (sent.get(status.providerMessageId, status.senderId) !== undefined) return false
        run(putEarly(status))
        return true
      }),
  } satisfies Partial<InboxStore>
}
