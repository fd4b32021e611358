import { statfsSync } from 'node:fs'

/** Below this the owner is warned: SQLite, media on their way and a backup need room. */
export const LOW_DISK_BYTES = 500 * 1024 * 1024

/** Room left on the disk of a folder; null where the system does not say (some network drives). */
export function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}
