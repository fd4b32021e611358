import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { beside } from '../../lib/program.ts'
import { StorageError } from '../../lib/storage-error.ts'
import { renameFileNow, syncFolderNow } from '../../lib/sync-folder.ts'
import { type Columns, text } from '../columns.ts'
import { PAUSE_WAITING } from '../move.ts'
import type { Migration } from '../statements.ts'
import { createEnd, type Db, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { migrations, sessionMigrations } from './schema.ts'
import { metaValues, selecting } from './sql.ts'

const FILES = ['kurir.db', 'sessions.db'] as const

/**
 * Checks copies of both databases completely, on a thread of its own, because a large one takes
 * seconds.
 * @throws StorageError `damaged`
 */
export async function checkCopies(folder: string, signal?: AbortSignal): Promise<void> {
  const thread = new Worker(beside(import.meta.url, 'check-thread'), { workerData: { folder, names: FILES } })
  const end = createEnd(thread)
  let damaged: string | null | undefined
  thread.on('message', (found: string | null | 'loaded') => {
    if (found !== 'loaded') damaged = found
  })
  try {
    await once(thread, 'exit', { signal })
  } finally {
    void end()
  }
  if (damaged !== null) throw new StorageError('damaged', damaged ?? folder)
}

const REPLACED = '.before-restore'
const MIGRATIONS = { 'kurir.db': migrations, 'sessions.db': sessionMigrations }

/**
 * Returns the folder that holds the databases of a checked backup until the next start applies
 * them.
 */
export const stagedFolder = (home: string): string => join(home, 'restore', 'ready')

/**
 * Checks the databases of a backup, migrates older versions, and adapts them to this PC.
 * @param dataKey in the form in which it is stored here
 * @throws StorageError `damaged`, `newer` or `development`
 */
export async function prepareStaged(folder: string, dataKey: string): Promise<void> {
  await checkCopies(folder)
  for (const name of FILES) {
    const db = openDatabase(join(folder, name))
    try {
      await migrate(db, MIGRATIONS[name])
      checkTriggers(db, MIGRATIONS[name])
      if (name === 'kurir.db') adopt(db, dataKey)
    } finally {
      // Closing the last connection moves the log into the database.
      db.close()
    }
  }
}

const TRIGGER: Columns<{ name: string; sql: string }> = { name: text('name'), sql: text('sql') }

/**
 * Refuses triggers and views other than Kurir's own, because they would act on everything that is
 * written later.
 */
function checkTriggers(db: Db, own: readonly Migration[]): void {
  const fresh = new Database(':memory:')
  try {
    for (const { sql } of own) fresh.exec(sql)
    const inSchema = (of: Db) =>
      JSON.stringify(selecting(of, TRIGGER)("FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name").all())
    if (inSchema(db) !== inSchema(fresh)) throw new StorageError('damaged', db.name)
  } finally {
    fresh.close()
  }
}

/**
 * Pauses senders with messages that waited when the backup was made, because these may have been
 * sent since. Locks out everyone who had access then: browsers log in again, and other PCs of the
 * LAN wait for the owner's consent.
 */
function adopt(db: Db, dataKey: string): void {
  db.transaction(() => {
    const meta = metaValues(db)
    meta.put('data_key', dataKey)
    // Request a new data key: the key in the backup may be wherever a copy of the backup is.
    meta.put('data_key_rotation', 'wanted')
    db.exec("DELETE FROM owner_sessions; DELETE FROM settings WHERE name = 'remote_administration'")
    db.exec(PAUSE_WAITING)
  }).immediate()
}

/**
 * Removes the files that an earlier restore replaced, so that the next restore can use their names.
 */
export async function forgetReplaced(home: string): Promise<void> {
  for (const name of readdirSync(home)) if (name.includes(REPLACED)) await rm(join(home, name))
}

/**
 * Puts checked databases in place, and keeps the old ones as `*.before-restore`. A power cut may
 * stop it after any step; the next start continues with the remaining steps.
 */
export function applyStaged(home: string): void {
  const ready = stagedFolder(home)
  if (!existsSync(ready)) {
    // A power cut may have left a backup here that was still being checked.
    rmSync(dirname(ready), { recursive: true, force: true })
    return
  }
  putFiles(join(ready, 'files'), join(home, 'files'))
  for (const name of FILES.filter((file) => existsSync(join(ready, file)))) {
    // The log first: without it the database is still intact, but not up to date.
    for (const part of ['-wal', '-shm', '']) {
      const current = join(home, name + part)
      if (existsSync(current)) renameFileNow(current, join(home, `${name}${REPLACED}${part}`))
    }
    // The old log must not reappear beside the new database.
    syncFolderNow(home)
    renameFileNow(join(ready, name), join(home, name))
  }
  syncFolderNow(home)
  rmSync(join(home, 'restore'), { recursive: true })
}

/**
 * True for copies beside the databases: `kurir.db.v1.bak` of a migration, `kurir.db.before-restore`
 * of a restore.
 */
const isCopy = (name: string): boolean =>
  FILES.some((file) => name.startsWith(`${file}.v`) || name.startsWith(`${file}${REPLACED}`))

/**
 * Removes copies that were last written before `before` (milliseconds); resolves with their names.
 */
export async function removeCopies(home: string, before: number): Promise<string[]> {
  const removed: string[] = []
  for (const name of (await readdir(home)).filter(isCopy)) {
    const path = join(home, name)
    if ((await stat(path)).mtimeMs >= before) continue
    await rm(path, { force: true })
    removed.push(name)
  }
  return removed
}

/**
 * Removes customers' replies from a copy, and ends their deliveries.
 * @param folder of the copies
 */
export function forgetReplies(folder: string): void {
  const copy = openDatabase(join(folder, FILES[0]))
  try {
    copy.exec(
      `UPDATE webhook_deliveries SET state = 'dead', next_at = NULL
       WHERE state = 'pending' AND event_seq IN (SELECT event_seq FROM replies); DELETE FROM replies`,
    )
  } finally {
    copy.close()
  }
}

/** Adds files of messages to the existing ones. The start removes files that no message has. */
function putFiles(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(from)) renameFileNow(join(from, name), join(to, name))
  syncFolderNow(to)
}
