import { integer } from '../columns.ts'
import type { RetentionStore } from '../retention.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import type { Reader } from './reader.ts'
import { selecting } from './sql.ts'

// About 2 MB at a time, so that nothing else waits long.
const MERGED_PAGES = 500

export interface ScrubDeps {
  db: Db
  sessions: Db
  write: Write
  reader: Pick<Reader, 'between'>
}

export function createScrub({ db, sessions, write, reader }: ScrubDeps): RetentionStore['scrub'] {
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
    for (const each of [db, sessions]) await reader.between(() => each.pragma('wal_checkpoint(TRUNCATE)'))
  }
}
