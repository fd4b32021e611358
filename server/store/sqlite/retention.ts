import { uuid7Floor } from '../../lib/uuid7.ts'
import type { RetentionStore } from '../retention.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { integer, selecting } from './sql.ts'

// About 2 MB at a time, so that nothing else waits long; the rest with the next rows that go.
const MERGED_PAGES = 500

export function createRetention(db: Db, write: Write): RetentionStore {
  // The newest row stays, so that no number of a row is ever given out twice.
  const old = selecting<{ seq: number }>(db, { seq: integer('seq') })<[string, number]>(
    `FROM messages WHERE id < ? AND next_at IS NULL AND status NOT IN ('sending', 'queued')
       AND seq < (SELECT max(seq) FROM messages) ORDER BY id LIMIT ?`,
  )
  const removeWords = db.prepare('DELETE FROM messages_words WHERE rowid = ?')
  const removeMessage = db.prepare('DELETE FROM messages WHERE seq = ?')
  const removeEvents = db.prepare(
    'DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE message_seq IS NULL AND recorded_at < ? LIMIT ?)',
  )
  // The search index keeps the words of removed rows until its parts are merged.
  const mergeWords = db.prepare("INSERT INTO messages_words (messages_words, rank) VALUES ('merge', ?)")

  return {
    removeBefore: (ms, batch) =>
      write(() => {
        const rows = old.all(uuid7Floor(ms), batch)
        for (const { seq } of rows) {
          removeWords.run(seq)
          removeMessage.run(seq)
        }
        return rows.length + removeEvents.run(ms, batch).changes
      }),
    async scrub() {
      await write(() => mergeWords.run(-MERGED_PAGES))
      // Freed pages are zeroed (`secure_delete`), but the log still has them as they were.
      db.pragma('wal_checkpoint(TRUNCATE)')
    },
  }
}
