import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE_HEADER = 32
const FRAME_HEADER = 24

/**
 * Commits in the log of a database that has not been moved into the file yet: the last frame of
 * each says how large the database is after it, the others say 0
 * (sqlite.org/fileformat2.html#the_write_ahead_log).
 */
export function commitsIn(home: string, database: 'kurir.db' | 'sessions.db'): number {
  const wal = readFileSync(join(home, `${database}-wal`))
  if (wal.length === 0) return 0
  const salt = wal.subarray(16, 24)
  const frame = FRAME_HEADER + wal.readUInt32BE(8)
  let commits = 0
  for (let at = FILE_HEADER; at + frame <= wal.length; at += frame) {
    // What is left of an earlier log has another salt.
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break
    if (wal.readUInt32BE(at + 4) > 0) commits += 1
  }
  return commits
}
