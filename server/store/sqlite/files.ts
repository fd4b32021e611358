import { accessSync, constants, statSync } from 'node:fs'
import { StorageError } from '../../lib/storage-error.ts'
import { SECOND } from '../../lib/time.ts'

// Messages accepted between two looks are lost with a file that was deleted. One look costs some 50
// µs.
const LOOKED_AT_EVERY = SECOND

/** Which file a name leads to; undefined: to none. */
function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found && `${found.dev}/${found.ino}`
  } catch {
    // A folder that cannot be read any more holds no file for us either.
    return undefined
  }
}

export interface FileWatch {
  /**
   * Looks whether every name still leads to the file that is open, and whether that may be written.
   */
  check(): void
  /** Result of the last look, at most a second old. */
  problem(): StorageError | null
}

/**
 * A database that was deleted, moved or replaced stays open and takes every write, and all of it is
 * gone at the end: so its names are compared with what was opened.
 * @param files each with its log
 */
export function watchFiles(files: readonly string[], now: () => number): FileWatch {
  const names = files.flatMap((file) => [file, `${file}-wal`])
  const opened = new Map<string, string>()
  let problem: StorageError | null = null
  let lookedAt = 0

  function check(): void {
    problem = null
    lookedAt = now()
    for (const name of names) {
      const identity = identityOf(name)
      const first = opened.get(name)
      if (first === undefined && identity !== undefined) opened.set(name, identity)
      if (first !== undefined && first !== identity) problem = new StorageError('gone', name)
      else if (identity !== undefined && !mayWrite(name)) problem = new StorageError('read_only', name)
    }
  }

  check()
  return {
    check,
    problem() {
      if (Math.abs(now() - lookedAt) >= LOOKED_AT_EVERY) check()
      return problem
    },
  }
}

function mayWrite(name: string): boolean {
  try {
    accessSync(name, constants.W_OK)
    return true
  } catch {
    return false
  }
}
