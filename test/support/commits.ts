import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE_HEADER = 32
const FRAME_HEADER = 24

/**
 * Counts the commits in a database's write-ahead log. The last frame of each commit holds the size
 * of the database, all others 0 (sqlite.org/fileformat2.html#the_write_ahead_log).
 */
export function commitsIn(home: string, database: 'kurir.db' | 'sessions.db'): number {
  const wal = readFileSync(join(home, `${database}-wal`))
  if (wal.length === 0) return 0
  const salt = wal.subarray(16, 24)
  const frame = FRAME_HEADER + wal.readUInt32BE(8)
  let commits = 0
  for (let at = FILE_HEADER; at + frame <= wal.length; at += frame) {
    // Frames with another salt are left over from an earlier log.
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break
    if (wal.readUInt32BE(at + 4) > 0) commits += 1
  }
  return commits
}
