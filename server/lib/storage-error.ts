import { COMMAND } from './program.ts'

export type StorageProblem =
  | 'full'
  | 'read_only'
  | 'in_use'
  | 'locked'
  | 'damaged'
  | 'newer'
  | 'development'
  | 'unreachable'
  | 'gone'
  | 'failed'
  | 'interrupted'
  | 'slow'
  | 'no_server'
  | 'never_reached'
  | 'in_doubt'
  | 'standby'
  | 'refused'
  | 'not_holder'
  | 'same_name'
  | 'pooled'
  | 'moved'
  | 'moving'
  | 'no_objects'
  | 'objects_refused'
  | 'objects_elsewhere'

const WORDS: Record<StorageProblem, string> = {
  full: 'The disk is full. Free some space; Kurir goes on by itself.',
  read_only: 'Kurir may not write to its data folder. Give this user the right to write there.',
  in_use: 'Another Kurir already uses this data folder. Close it, or choose another folder with KURIR_HOME.',
  locked: 'Another program holds the database. Close it (a backup or a virus scanner, for example) and try again.',
  damaged: 'The database file is damaged. Nothing was changed: restore a backup, or move the file away to start empty.',
  newer: 'The database was written by a newer version of Kurir. Nothing was changed: install that version again.',
  development:
    'The database was made by a development version of Kurir, before the first release, and cannot be used any more. Nothing was changed: start with an empty data folder or database.',
  unreachable:
    'The database file cannot be opened or read. Check that the data folder can be reached, and that no other program (a virus scanner, for example) holds the file.',
  gone: 'The database file was deleted, moved or replaced while Kurir was running. Put it back where it was, or stop Kurir and restore a backup.',
  failed: 'The database could not do this.',
  interrupted: 'Reading the database was interrupted. Try again.',
  slow: 'Reading the database took too long and was given up. Ask for less at once, such as a shorter span of time.',
  no_server: 'The database server does not answer. Kurir goes on by itself when it is back.',
  never_reached: 'The database server does not answer. Start it, or correct KURIR_DATABASE_URL, and try again.',
  in_doubt: 'The database server was lost while it wrote this, and does not say whether it is written.',
  standby: 'The database server only answers questions: it is a standby. Kurir goes on by itself when it takes writes.',
  same_name:
    'Another node with this name is running on this database. Give each node a name of its own with KURIR_NODE.',
  pooled:
    'Between Kurir and the database is a pooler that gives each transaction another connection. Connect to the server itself, or set the pooler to sessions (PgBouncer: pool_mode = session).',
  moved: `Everything was moved away from here with "${COMMAND} migrate-to": start Kurir there. Here it would send what waits a second time. If it is to go on here all the same, make sure that it does not run there, and use "${COMMAND} reopen --yes".`,
  moving: `Moving everything away from here with "${COMMAND} migrate-to" was interrupted, perhaps when it was through already: repeat it. If Kurir is to go on here instead, make sure that it does not run there, and use "${COMMAND} reopen --yes".`,
  not_holder: 'Another node sends for this sender now.',
  refused: 'The database server refused this login or database. Check KURIR_DATABASE_URL.',
  no_objects: 'The object store for files does not work now. Kurir goes on by itself when it does.',
  objects_refused:
    'The object store for files refused this. Check KURIR_FILES_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that this key may list, read, write and delete there.',
  objects_elsewhere: `Files of messages are in an object store that this node does not use. Give every node the KURIR_FILES_URL that leads there, or copy everything into a folder with "${COMMAND} migrate-to" first.`,
}

/**
 * The disk, the database file or the server failed. Nothing was written, unless the problem is
 * `in_doubt`.
 */
export class StorageError extends Error {
  readonly problem: StorageProblem

  constructor(problem: StorageProblem, file: string, cause?: unknown) {
    super(`${WORDS[problem]} (${file})`, { cause })
    this.problem = problem
  }

  /** True if a retry cannot succeed. */
  get isInVain(): boolean {
    return this.problem === 'not_holder'
  }
}

const OF_FILES: readonly StorageProblem[] = ['no_objects', 'objects_refused', 'objects_elsewhere']

/** True if only files of messages are affected. Messages without a file are still sent. */
export const isOfFiles = (error: unknown): error is StorageError =>
  error instanceof StorageError && OF_FILES.includes(error.problem)

const BY_CODE: [prefix: string, problem: StorageProblem][] = [
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_PERM', 'read_only'],
  ['SQLITE_BUSY', 'locked'],
  ['SQLITE_LOCKED', 'locked'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_CANTOPEN', 'unreachable'],
  // SQLite reports a full disk as SQLITE_FULL, but an exhausted quota, and a log index that has no
  // room, as one of these.
  ['SQLITE_IOERR_WRITE', 'full'],
  ['SQLITE_IOERR_FSYNC', 'full'],
  ['SQLITE_IOERR_SHM', 'full'],
  ['SQLITE_IOERR', 'unreachable'],
]

/** Turns disk faults into a StorageError. Faults of our own statements are returned unchanged. */
export function asStorageError(error: unknown, file: string): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return error
  const problem = BY_CODE.find(([prefix]) => code.startsWith(prefix))?.[1]
  return problem === undefined ? error : new StorageError(problem, file, error)
}

export function isFull(error: unknown): boolean {
  const known = asStorageError(error, '')
  return known instanceof StorageError && known.problem === 'full'
}
