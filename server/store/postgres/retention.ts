import { noteRemoved, oldMessage, oneStep, PENDING, type RetentionStore } from '../retention.ts'
import { asJsonb } from './message-reads.ts'
import type { Context } from './sql.ts'

const OLD = oldMessage(`${asJsonb('m.error')} ->> 'code'`)

export function createRetention({ write }: Context, isSandbox: (senderId: number) => boolean) {
  return {
    removeBefore: ({ ms, silent }, batch) =>
      write(async (tx) => {
        const old = await tx.rows(
          OLD,
          `FROM messages m
           WHERE m.created_at < $1 AND m.next_at IS NULL AND m.status NOT IN ('sending', 'queued')
             AND m.occurred_at < CASE WHEN m.status IN ('sent', 'accepted') THEN $2::bigint ELSE $1 END
             AND NOT EXISTS (${PENDING} AND d.message_seq = m.seq) ORDER BY m.created_at LIMIT $3 FOR UPDATE`,
          [ms, silent, batch],
        )
        const rows = oneStep(old)
        noteRemoved(tx.noted, rows, isSandbox)
        const seqs = rows.map(({ seq }) => seq)
        void tx.run('DELETE FROM messages_words WHERE rowid = ANY ($1::bigint[])', [seqs])
        void tx.run('DELETE FROM messages WHERE seq = ANY ($1::bigint[])', [seqs])
        const events = await tx.run(
          `DELETE FROM events WHERE seq IN (SELECT e.seq FROM events e WHERE e.message_seq IS NULL
             AND e.recorded_at < $1 AND NOT EXISTS (${PENDING} AND d.event_seq = e.seq) LIMIT $2)`,
          [ms, batch],
        )
        return seqs.length + events
      }),
    // Nothing to do: the server reuses the space of removed rows, and its backups are up to its
    // administrator.
    scrub: async () => {},
  } satisfies Partial<RetentionStore>
}
