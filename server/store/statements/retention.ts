import { uuid7Floor } from '../../lib/uuid7.ts'
import type { RetentionStore } from '../retention.ts'
import type { Db, Write } from './engine.ts'
import { integer, selecting } from './sql.ts'

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
  const removeInbox = db.prepare('DELETE FROM meta_inbox WHERE applied_at IS NOT NULL AND received_at < ?')

  return {
    removeBefore: (ms, batch) =>
      write(() => {
        const rows = old.all(uuid7Floor(ms), batch)
        for (const { seq } of rows) {
          removeWords.run(seq)
          removeMessage.run(seq)
        }
        removeInbox.run(ms)
        return rows.length + removeEvents.run(ms, batch).changes
      }),
  }
}
