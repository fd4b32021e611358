import { StorageError } from '../../lib/storage-error.ts'
import { uuid7Floor } from '../../lib/uuid7.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

export type Upkeep = ReturnType<typeof createUpkeep>

/** Counting for the first page and deleting what is older than the owner wants to keep. */
export function createUpkeep(db: Db, write: Write) {
  const days = db.prepare<[string], { day: string; status: string; count: number }>(
    'SELECT day, status, count FROM daily_counts WHERE day >= ? ORDER BY day',
  )
  // The newest row stays, so that no number of a row is ever given out twice.
  const old = db.prepare<[string, number], { seq: number }>(
    `SELECT seq FROM messages WHERE id < ? AND next_at IS NULL AND status NOT IN ('sending', 'queued')
       AND seq < (SELECT max(seq) FROM messages) ORDER BY id LIMIT ?`,
  )
  const removeWords = db.prepare('DELETE FROM messages_words WHERE rowid = ?')
  const removeMessage = db.prepare('DELETE FROM messages WHERE seq = ?')
  const removeEvents = db.prepare(
    `DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE message_seq IS NULL AND recorded_at < ? LIMIT ?)`,
  )
  const removeInbox = db.prepare('DELETE FROM meta_inbox WHERE applied_at IS NOT NULL AND received_at < ?')
  const overdue = db.prepare<[string, string, number], { id: string }>(
    `SELECT id FROM messages WHERE channel = 'template' AND status = ? AND id < ? ORDER BY seq LIMIT ?`,
  )

  const putProbe = db.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('probe', hex(zeroblob(32768)))")
  const removeProbe = db.prepare("DELETE FROM settings WHERE name = 'probe'")

  return {
    /** Whether there is room again for more than a few bytes: written for real, and taken away. */
    async probe(): Promise<boolean> {
      try {
        await write(() => putProbe.run())
        await write(() => removeProbe.run())
        return true
      } catch (error) {
        if (error instanceof StorageError) return false
        throw error
      }
    },
    countsSince: (day: string) => days.all(day),
    /** One batch of what was accepted before `ms` and is settled; returns how many went. */
    removeBefore: (ms: number, batch: number): Promise<number> =>
      write(() => {
        const rows = old.all(uuid7Floor(ms), batch)
        for (const { seq } of rows) {
          removeWords.run(seq)
          removeMessage.run(seq)
        }
        removeInbox.run(ms)
        return rows.length + removeEvents.run(ms, batch).changes
      }),
    /** Ids of template messages that have stood in a status since before `ms`. */
    templatesSince: (status: string, ms: number, limit: number): string[] =>
      overdue.all(status, uuid7Floor(ms), limit).map((row) => row.id),
    bytes: (): number =>
      (db.pragma('page_count', { simple: true }) as number) * (db.pragma('page_size', { simple: true }) as number),
  }
}
