import type { Db } from './database.ts'
import type { Reader } from './reader.ts'

/** Writes after which the log is moved: some 4,000 pages where each has a commit of its own. */
const FOLDED_EVERY = 500
/** Pages of a log that a commit moves itself, where that comes too late: 32 MB. */
const MOST_PAGES = 8_000

/**
 * Moves the log into the database on the reader's thread: in a commit 6,000 pages take 40 to 80 ms
 * on a fast disk, in which nobody is answered.
 * @param check looks whether the name still leads to the file that is open
 * @returns to be called before each write
 */
export function foldingLog(db: Db, reader: Reader, check: () => void): () => void {
  let writes = 0
  let isFolding = false
  db.pragma(`wal_autocheckpoint = ${MOST_PAGES}`)

  async function fold(): Promise<void> {
    check()
    await reader.fold()
    // The little that was written meanwhile: only a log of which nothing is left begins again.
    await reader.between(() => db.pragma('wal_checkpoint(PASSIVE)'))
  }

  return () => {
    writes += 1
    if (writes < FOLDED_EVERY || isFolding) return
    writes = 0
    isFolding = true
    fold()
      // A file that is gone, or a disk that is full: the commits say so.
      .catch(() => undefined)
      .finally(() => {
        isFolding = false
      })
  }
}
