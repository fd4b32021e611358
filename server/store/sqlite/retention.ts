import type { RetentionStore } from '../retention.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { integer, selecting } from './sql.ts'

// About 2 MB at a time, so that nothing else waits long; the rest with the next rows that go.
const MERGED_PAGES = 500
// A delivery that is tried again, or will be: its endpoint is on, or was switched off by itself.
const PENDING = `SELECT 1 FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
  WHERE d.state = 'pending' AND (w.enabled = 1 OR w.disabled_reason IS NOT NULL)`

export function createRetention(db: Db, write: Write): RetentionStore {
  // The newest row stays, so that no number of a row is ever given out twice.
  const old = selecting<{ seq: number }>(db, { seq: integer('m.seq') })<
    [{ ms: number; silent: number; limit: number }]
  >(
    `FROM messages m INDEXED BY messages_created
     WHERE m.created_at < @ms AND m.next_at IS NULL AND m.status NOT IN ('sending', 'queued')
       AND m.occurred_at < iif(m.status IN ('sent', 'accepted'), @silent, @ms)
       AND m.seq < (SELECT max(seq) FROM messages)
       AND NOT EXISTS (${PENDING} AND d.message_seq = m.seq) ORDER BY m.created_at LIMIT @limit`,
  )
  const removeWords = db.prepare('DELETE FROM messages_words WHERE rowid = ?')
  const removeMessage = db.prepare('DELETE FROM messages WHERE seq = ?')
  const removeEvents = db.prepare(
    `DELETE FROM events WHERE seq IN (
       SELECT e.seq FROM events e INDEXED BY events_without_message WHERE e.message_seq IS NULL AND e.recorded_at < ?
         AND NOT EXISTS (${PENDING} AND d.event_seq = e.seq) LIMIT ?)`,
  )
  // The search index keeps the words of removed rows until its parts are merged.
  const mergeWords = db.prepare("INSERT INTO messages_words (messages_words, rank) VALUES ('merge', ?)")

  return {
    removeBefore: ({ ms, silent }, limit) =>
      write(() => {
        const rows = old.all({ ms, silent, limit })
        for (const { seq } of rows) {
          removeWords.run(seq)
          removeMessage.run(seq)
        }
        return rows.length + removeEvents.run(ms, limit).changes
      }),
    async scrub() {
      await write(() => mergeWords.run(-MERGED_PAGES))
      // Freed pages are zeroed (`secure_delete`), but the log still has them as they were.
      db.pragma('wal_checkpoint(TRUNCATE)')
    },
  }
}
