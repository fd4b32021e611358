import type { RetentionStore } from '../retention.ts'
import type { Write } from '../statements/engine.ts'
import { integer, selecting } from '../statements/sql.ts'
import type { Db } from './database.ts'

// About 2 MB at a time, so that nothing else waits long.
const MERGED_PAGES = 500

export function createScrub(db: Db, sessions: Db, write: Write): RetentionStore['scrub'] {
  // The search index keeps the words of removed rows until its parts are merged.
  const mergeWords = db.prepare("INSERT INTO messages_words (messages_words, rank) VALUES ('merge', ?)")
  const changes = selecting<{ count: number }>(db, { count: integer('total_changes()') })('WHERE 1')
  async function merge(): Promise<boolean> {
    return write(() => {
      const before = changes.get()?.count ?? 0
      mergeWords.run(-MERGED_PAGES)
      // SQLite's own sign that there is nothing left to merge.
      return (changes.get()?.count ?? 0) - before < 2
    })
  }
  return async () => {
    while (!(await merge()));
    // Freed pages are zeroed (`secure_delete`), but the log still has them as they were.
    for (const each of [db, sessions]) each.pragma('wal_checkpoint(TRUNCATE)')
  }
}
