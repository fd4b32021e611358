import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, type Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { SECOND } from '../../lib/clock.ts'
import { asStorageError, StorageError } from '../../lib/storage-error.ts'

export type Db = Database.Database

/**
 * Opens a database file. A failed opening never changes an existing file.
 * @throws StorageError, a sentence for the owner
 */
export function openDatabase(file: string): Db {
  if (Number(process.versions.napi) < 10) {
    throw new Error(
      `Kurir needs Node.js 22.19 or newer, this is ${process.version}. Install Node.js 24 and start again.`,
    )
  }
  try {
    // SQLite opens a file that it may not write, and fails only later.
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
  } catch (cause) {
    throw new StorageError(existsSync(dirname(file)) ? 'read_only' : 'unreachable', file, cause)
  }
  try {
    const db = new Database(file, { timeout: 2000 })
    try {
      db.pragma('journal_mode = WAL')
      // A commit must survive a power cut: acknowledged calls, and each ratchet step with which a
      // text was encrypted.
      db.pragma('synchronous = FULL')
      // Only macOS has this option; without it, a sync there leaves data in the drive's own cache.
      db.pragma('fullfsync = ON')
      db.pragma('checkpoint_fullfsync = ON')
      db.pragma('foreign_keys = ON')
      // The schema of a foreign file must not call functions.
      db.pragma('trusted_schema = OFF')
      // Overwrite deleted bytes, because a removed text must not be found in the file.
      db.pragma('secure_delete = ON')
      db.pragma('temp_store = MEMORY')
      // Move the log into the database about every 16 MB: fewer, longer pauses than with the
      // default of 4 MB.
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
 * Refuses a connection that can only read. On Windows, SQLite opens a file for reading only while
 * another program has it open, and stays so after that program has closed it.
 * @throws StorageError `locked`
 */
export function refuseReadOnly(db: Db): void {
  try {
    // BEGIN alone would not be refused.
    db.exec('BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK')
  } catch (error) {
    const isReadOnly = (error as { code?: string }).code?.startsWith('SQLITE_READONLY') === true
    throw isReadOnly ? new StorageError('locked', db.name, error) : error
  }
}

/** Opens an existing file only to move its log into it. */
export function openForItsLog(file: string): Db {
  const db = new Database(file, { fileMustExist: true })
  db.pragma('synchronous = FULL')
  db.pragma('checkpoint_fullfsync = ON')
  return db
}

export const openReadOnly = (file: string): Db => new Database(file, { readonly: true })

/**
 * Returns a function that ends a thread with a database, after the thread reported that SQLite is
 * loaded.
 */
export function createEnd(thread: Worker): () => Promise<void> {
  const loaded = new Promise((resolve) => thread.once('message', resolve).once('exit', resolve))
  return async () => {
    await loaded
    await thread.terminate()
  }
}

/**
 * Loads SQLite in a thread and reports it, because ending a thread while SQLite loads would end the
 * whole program.
 */
export function loadInThread(): void {
  new Database(':memory:').close()
  parentPort?.postMessage('loaded')
}

/**
 * Locks the data folder for this process. Uses a lock of SQLite, because the operating system
 * releases it even after `kill -9`, unlike a file with a process id.
 * @returns a function that releases the lock
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

// Messages accepted between two checks are lost if the file was deleted. One check takes about 50
// µs.
const LOOKED_AT_EVERY = SECOND

interface FileWatch {
  /** Checks that every name still leads to the open file, and that the file may be written. */
  check(): void
  /** Result of the last check, at most a second old. */
  problem(): StorageError | null
}

/**
 * Compares the names of files with the files that were opened: a database that was deleted, moved
 * or replaced stays open and accepts every write, but all of it is lost at the end.
 * @param files databases; their logs are checked as well
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

/** Returns the identity of the file with a name; undefined: there is none. */
function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found && `${found.dev}/${found.ino}`
  } catch {
    // An unreadable folder counts as one without the file.
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
