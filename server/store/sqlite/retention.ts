import { integer } from '../columns.ts'
import { noteRemoved, oldMessage, oneStep, PENDING, type RetentionStore } from '../retention.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import type { Reader } from './reader.ts'
import { selecting } from './sql.ts'

export function createRetention(db: Db, write: Write, isSandbox: (senderId: number) => boolean) {
  const old = selecting(
    db,
    oldMessage(`m.error ->> '$.code'`),
  )<[{ ms: number; silent: number; limit: number }]>(
    `FROM messages m INDEXED BY messages_created
     WHERE m.created_at < @ms AND m.next_at IS NULL AND m.status NOT IN ('sending', 'queued')
       AND m.occurred_at < iif(m.status IN ('sent', 'accepted'), @silent, @ms)
       AND NOT EXISTS (${PENDING} AND d.message_seq = m.seq) ORDER BY m.created_at LIMIT @limit`,
  )
  const removeWords = db.prepare('DELETE FROM messages_words WHERE rowid = ?')
  const removeMessage = db.prepare('DELETE FROM messages WHERE seq = ?')
  const removeEvents = db.prepare(
    `DELETE FROM events WHERE seq IN (
       SELECT e.seq FROM events e INDEXED BY events_without_message WHERE e.message_seq IS NULL AND e.recorded_at < ?
         AND NOT EXISTS (${PENDING} AND d.event_seq = e.seq) LIMIT ?)`,
  )

  return {
    removeBefore: ({ ms, silent }, limit) =>
      write((tx) => {
        const rows = oneStep(old.all({ ms, silent, limit }))
        noteRemoved(tx.noted, rows, isSandbox)
        for (const { seq } of rows) {
          removeWords.run(seq)
          removeMessage.run(seq)
        }
        return rows.length + removeEvents.run(ms, limit).changes
      }),
  } satisfies Partial<RetentionStore>
}

// About 2 MB at a time, so that nothing else waits long.
const MERGED_PAGES = 500

export function createScrub(db: Db, sessions: Db, write: Write, reader: Reader): RetentionStore['scrub'] {
  // The search index keeps the words of removed rows until its parts are merged.
  const mergeWords = db.prepare("INSERT INTO messages_words (messages_words, rank) VALUES ('merge', ?)")
  const changes = selecting(db, { count: integer('total_changes()') })('WHERE 1')
  async function merge(): Promise<boolean> {
    return write(() => {
      const before = changes.get()?.count ?? 0
      mergeWords.run(-MERGED_PAGES)
      // SQLite documents a change of less than 2 as the sign that nothing is left to merge.
      return (changes.get()?.count ?? 0) - before < 2
    })
  }
  return async () => {
    while (!(await merge()));
    // Freed pages are zeroed (`secure_delete`), but the write-ahead log still holds their old
    // content.
    for (const each of [db, sessions]) await reader.between(() => each.pragma('wal_checkpoint(TRUNCATE)'))
  }
}
