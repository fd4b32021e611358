import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, type Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { SECOND } from '../../lib/clock.ts'
import { asStorageError, StorageError } from '../../lib/storage-error.ts'

export type Db = Database.Database

/**
 * @throws StorageError, a sentence for the owner; an existing file is never changed by a failed
 *   opening.
 */
export function openDatabase(file: string): Db {
  if (Number(process.versions.napi) < 10) {
    throw new Error(
      `Kurir needs Node.js 22.18 or newer, this is ${process.version}. Install Node.js 24 and start again.`,
    )
  }
  try {
    // SQLite opens a file without the right to write it, and fails only later.
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
  } catch (cause) {
    throw new StorageError(existsSync(dirname(file)) ? 'read_only' : 'unreachable', file, cause)
  }
  try {
    const db = new Database(file, { timeout: 2000 })
    try {
      db.pragma('journal_mode = WAL')
      // A commit survives a power cut: what was answered, and each step of a ratchet that a text
      // was sealed with.
      db.pragma('synchronous = FULL')
      // Only macOS knows it: there a sync leaves the drive's own cache as it is.
      db.pragma('fullfsync = ON')
      db.pragma('checkpoint_fullfsync = ON')
      db.pragma('foreign_keys = ON')
      // A file that came from elsewhere gets no function called that its schema names.
      db.pragma('trusted_schema = OFF')
      // Deleted bytes are overwritten: a text that is gone must not be found in the file.
      db.pragma('secure_delete = ON')
      db.pragma('temp_store = MEMORY')
      // Moves the log into the database about every 16 MB: fewer, larger pauses than the default of
      // 4 MB.
      db.pragma('wal_autocheckpoint = 4000')
      db.pragma('cache_size = -32000')
      refuseReadOnly(db)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    throw asStorageError(error, file)
  }
}

/**
 * SQLite opens a file for reading alone where another program has it open on Windows, and goes on
 * so when that has let go of it.
 * @throws StorageError `locked`
 */
export function refuseReadOnly(db: Db): void {
  try {
    // To begin alone is not refused.
    db.exec('BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK')
  } catch (error) {
    const isReadOnly = (error as { code?: string }).code?.startsWith('SQLITE_READONLY') === true
    throw isReadOnly ? new StorageError('locked', db.name, error) : error
  }
}

/** Only to move its log into it. Makes no file. */
export function openForItsLog(file: string): Db {
  const db = new Database(file, { fileMustExist: true })
  db.pragma('synchronous = FULL')
  db.pragma('checkpoint_fullfsync = ON')
  return db
}

/** The file is not changed. */
export const openReadOnly = (file: string): Db => new Database(file, { readonly: true })

/** Makes a function that ends a thread with a database, once it has said that SQLite is loaded. */
export function createEnd(thread: Worker): () => Promise<void> {
  const loaded = new Promise((resolve) => thread.once('message', resolve).once('exit', resolve))
  return async () => {
    await loaded
    await thread.terminate()
  }
}

/** Loads SQLite in a thread: to end it while it does so would end the whole program. */
export function loadInThread(): void {
  new Database(':memory:').close()
  parentPort?.postMessage('loaded')
}

/**
 * Holds the data folder for this process. A lock of SQLite is released by the operating system even
 * after `kill -9`, which a file with a process number is not.
 * @returns the release.
 * @throws StorageError `in_use`
 */
export function lockFolder(home: string): () => void {
  const file = join(home, 'kurir.lock')
  let db: Database.Database
  try {
    db = new Database(file, { timeout: 0 })
  } catch (error) {
    throw asStorageError(error, file)
  }
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw (error as { code?: string }).code?.startsWith('SQLITE_BUSY')
      ? new StorageError('in_use', home, error)
      : asStorageError(error, file)
  }
  return () => void db.close()
}

// Messages accepted between two looks are lost with a file that was deleted. One look costs some 50
// µs.
const LOOKED_AT_EVERY = SECOND

interface FileWatch {
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

function mayWrite(name: string): boolean {
  try {
    accessSync(name, constants.W_OK)
    return true
  } catch {
    return false
  }
}
