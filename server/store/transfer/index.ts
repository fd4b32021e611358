import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bucket, BucketOptions } from '../../lib/s3-bucket.ts'
import { StorageError } from '../../lib/storage-error.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import { type Move, movedError, newMove } from '../move.ts'
import { loadBucket } from '../postgres/file-objects.ts'
import {
  beginAlone,
  markMoved as markServerNow,
  noteArrival as noteArrivalOnServer,
  cameBy as serverCameBy,
  moveOf as serverMoveOf,
  unmarkMoved as unmarkServer,
} from '../postgres/move.ts'
import { type Connection, placeOf } from '../postgres/pool.ts'
import { createFileBytes } from '../postgres/uploads.ts'
import {
  moveOf as folderMoveOf,
  markMoved as markFolder,
  noteArrival as noteArrivalInFolder,
  unmarkMoved as unmarkFolder,
} from '../sqlite/move.ts'
import type { FileSummary } from '../uploads.ts'
import { isUsed, refuseRunning, shopIn, TransferError, withFolder, withServer } from './places.ts'
import { copyTablesToFolder, copyTablesToServer, type TransferredTable } from './tables.ts'

/** An earlier try, whose end nobody saw, had copied everything. */
const DONE_BEFORE = 'done_before'

/**
 * The copied tables, or `DONE_BEFORE` if an earlier try had copied everything and only its mark was
 * missing.
 */
export type Transferred = TransferredTable[] | typeof DONE_BEFORE

/**
 * Moves a data folder into an empty database, completely or not at all, then marks the folder as
 * left. May be repeated until it succeeds.
 * @throws StorageError, TransferError: nothing was written
 */
export async function moveToServer(home: string, url: string): Promise<Transferred> {
  if (!isUsed(home)) throw new StorageError('unreachable', home)
  return withFolder(home, (folder) =>
    withServer(url, async (connection) => {
      const { main } = folder
      const before = folderMoveOf(main)
      if (before?.through === true) throw movedError(before, home)
      if (main.prepare("SELECT 1 FROM meta WHERE name = 'data_key_before'").get() !== undefined)
        throw new TransferError(`${home} gets a new data key. Start Kurir on it once, stop it, and try again.`)
      const { rows: there } = await connection.query('SELECT 1 FROM senders LIMIT 1')
      if (there.length > 0) {
        if (before === undefined || (await serverCameBy(connection)) !== before.id)
          throw new TransferError(`${placeOf(url)} holds data already. Give an empty database.`)
        markFolder(main, { ...before, through: true })
        return DONE_BEFORE
      }
      // The commit of an interrupted earlier try may still be on its way to its target, so do not
      // allow another target.
      if (before !== undefined && before.to !== placeOf(url)) throw movedError(before, home)
      const move = before ?? newMove(placeOf(url))
      await connection.query('BEGIN')
      const done = await copyTablesToServer(folder, connection)
      await copyFilesToServer(connection, url, home)
      await noteArrivalOnServer(connection, move)
      markFolder(main, move)
      await connection.query('COMMIT')
      markFolder(main, { ...move, through: true })
      return done
    }),
  )
}

/**
 * Moves a database, with the bytes of its files, into a new data folder, then marks the database as
 * left. May be repeated.
 * @throws StorageError, TransferError: nothing was kept
 */
export async function moveToFolder(url: string, home: string, store?: BucketOptions): Promise<Transferred> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return withServer(url, async (connection) => {
    const before = await serverMoveOf(connection)
    if (before?.through === true) throw movedError(before, placeOf(url))
    // Senders are committed last. If there is none, an earlier copy was interrupted, and copying
    // starts again.
    const there = shopIn(home)
    if (there !== undefined) {
      if (before === undefined || there.cameBy !== before.id)
        throw new TransferError(`${home} holds a database already. Give an empty folder.`)
      await markServer(connection, { ...before, through: true })
      return DONE_BEFORE
    }
    if (before !== undefined && before.to !== home) throw movedError(before, placeOf(url))
    const move = before ?? newMove(home)
    await refuseRunning(connection)
    await beginAlone(connection)
    await refuseRunning(connection)
    const done = await copyTablesToFolder(connection, home, async ({ main }) => {
      await copyFilesToFolder(connection, url, home, store)
      noteArrivalInFolder(main, move)
      await markServerNow(connection, move)
      await connection.query('COMMIT')
    })
    await markServer(connection, { ...move, through: true })
    return done
  })
}

/**
 * Copies a database, without its files, into an empty folder while nodes run.
 * @throws StorageError, TransferError
 */
export async function copyForBackup(url: string, folder: string): Promise<void> {
  await withServer(url, async (connection) => {
    // One snapshot of everything, however long the copy takes.
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await copyTablesToFolder(connection, folder, async () => undefined)
  })
}

async function markServer(connection: Connection, move: Move): Promise<void> {
  await connection.query('BEGIN')
  await markServerNow(connection, move)
  await connection.query('COMMIT')
}

/**
 * Removes the mark from a folder that was left, and pauses senders with waiting messages.
 * @returns false if the folder has no mark
 */
export async function reopenFolder(home: string): Promise<boolean> {
  if (!isUsed(home)) throw new StorageError('unreachable', home)
  return withFolder(home, async ({ main }) => {
    const isMarked = folderMoveOf(main) !== undefined
    if (isMarked) unmarkFolder(main)
    return isMarked
  })
}

/** Does the same as `reopenFolder` for a database. */
export const reopenServer = (url: string): Promise<boolean> =>
  withServer(url, async (connection) => {
    if ((await serverMoveOf(connection)) === undefined) return false
    await connection.query('BEGIN')
    await unmarkServer(connection)
    await connection.query('COMMIT')
    return true
  })

/** Folder of uploads' bytes in a data folder; see media/uploads.ts. */
const FILES = 'files'

/**
 * Copies the bytes of uploads. A file whose bytes are missing keeps its row without them; its
 * message reports this when its turn comes.
 */
async function copyFiles(
  files: readonly FileSummary[],
  home: string,
  copy: (file: FileSummary, path: string) => Promise<unknown>,
): Promise<void> {
  for (const file of files) {
    try {
      await copy(file, join(home, FILES, file.id))
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error
    }
  }
}

async function copyFilesToServer(connection: Connection, url: string, home: string): Promise<void> {
  await copyFiles(await filesIn(connection), home, bytesOn(connection, url, null).save)
}

async function copyFilesToFolder(connection: Connection, url: string, home: string, store?: BucketOptions) {
  mkdirSync(join(home, FILES), { recursive: true, mode: 0o700 })
  const bytes = bytesOn(connection, url, store === undefined ? null : await loadBucket(store))
  try {
    await copyFiles(await filesIn(connection), home, async (file, path) => {
      await bytes.load(file, path)
      await using copied = await open(path, 'r+')
      await copied.sync()
    })
    for (const folder of [join(home, FILES), home]) await syncFolder(folder)
  } finally {
    await bytes.close()
  }
}

const bytesOn = (connection: Connection, url: string, bucket: Bucket | null) =>
  createFileBytes({ query: (sql, values = []) => connection.query(sql, values) }, placeOf(url), bucket, 'migrate-to')

async function filesIn(connection: Connection): Promise<FileSummary[]> {
  return (await connection.query<FileSummary>('SELECT id, size, sha256 FROM files ORDER BY id')).rows
}
