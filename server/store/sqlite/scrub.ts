import type { RetentionStore } from '../retention.ts'
import type { Write } from '../statements/engine.ts'
import type { Db } from './database.ts'

// About 2 MB at a time, so that nothing else waits long; the rest with the next rows that go.
const MERGED_PAGES = 500

export function createScrub(db: Db, write: Write): RetentionStore['scrub'] {
  // The search index keeps the words of removed rows until its parts are merged.
  const mergeWords = db.prepare("INSERT INTO messages_words (messages_words, rank) VALUES ('merge', ?)")
  return async () => {
    await write(() => mergeWords.run(-MERGED_PAGES))
    // Freed pages are zeroed (`secure_delete`), but the log still has them as they were.
    db.pragma('wal_checkpoint(TRUNCATE)')
  }
}
