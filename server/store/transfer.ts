import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bucket, BucketOptions } from '../lib/s3-bucket.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { FileSummary } from './file-bytes.ts'
import { MOVED_BY, MOVED_TO, type Move, movedError, newMove } from './move.ts'
import { asStartError } from './postgres/errors.ts'
import { createFileBytes } from './postgres/file-bytes.ts'
import { loadBucket } from './postgres/file-objects.ts'
import { GONE_SINCE } from './postgres/leases.ts'
import { migrate as migratePostgres, NEWEST } from './postgres/migrate.ts'
import {
  beginAlone,
  markMoved as markServerNow,
  noteArrival as noteArrivalOnServer,
  cameBy as serverCameBy,
  moveOf as serverMoveOf,
  unmarkMoved as unmarkServer,
} from './postgres/move.ts'
import { type Connection, createPool, placeOf, storable } from './postgres/pool.ts'
import { type Db, openDatabase, openReadOnly } from './sqlite/database.ts'
import { lockFolder } from './sqlite/lock.ts'
import { migrate as migrateSqlite, versionOf } from './sqlite/migrate.ts'
import { migrations } from './sqlite/migrations/index.ts'
import { sessionMigrations } from './sqlite/migrations/sessions.ts'
import {
  cameBy as folderCameBy,
  moveOf as folderMoveOf,
  markMoved as markFolder,
  noteArrival as noteArrivalInFolder,
  unmarkMoved as unmarkFolder,
} from './sqlite/move.ts'
import { applyStaged } from './sqlite/staged.ts'
import { integer, selecting } from './statements/sql.ts'

const BATCH = 500
/** Each engine makes these itself: the index of words, and what is counted by triggers. */
const OWN = /^(sqlite_|messages_words|delivery_counts)/
/** What an engine keeps about itself; the index of words begins anew. The mark of a move belongs to one place. */
const OWN_META: readonly string[] = ['searched_up_to', 'probe', 'marked_at', 'vacuum', MOVED_TO, MOVED_BY]

type Value = string | number | Buffer | null
type Row = Record<string, Value>

interface Table {
  name: string
  columns: string[]
  key: string[]
}

export interface TransferredTable {
  table: string
  rows: number
}

/** The rows that were written are not those that were read; nothing was kept of them. */
export class TransferError extends Error {}

/** Where a data folder has the bytes of uploads; see media/uploads.ts. */
const FILES = 'files'

/** The tables that both engines have, parents before their children, as SQLite describes them. */
function tablesOf(db: Db): Table[] {
  const names = db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    .all()
    .map(({ name }) => name)
  return names
    .filter((name) => !OWN.test(name))
    .map((name) => {
      const info = db.pragma(`table_xinfo(${name})`) as { name: string; pk: number; hidden: number }[]
      const keys = info.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
      return {
        name,
        columns: info.filter(({ hidden }) => hidden === 0).map((column) => column.name),
        key: keys.map((column) => column.name),
      }
    })
}

const isKept = (table: string, row: Row): boolean => table !== 'meta' || !OWN_META.includes(String(row.name))

/** Of all rows of a table, in the order of its key. */
function createSum() {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add(columns: readonly string[], row: Row): void {
      rows += 1
      for (const column of columns) {
        const value = row[column] ?? null
        hash.update(value === null ? '\0' : Buffer.isBuffer(value) ? value : String(value)).update('\u0001')
      }
      hash.update('\u0002')
    },
    result: () => ({ rows, sum: hash.digest('hex') }),
  }
}

const selectFrom = ({ name, columns, key }: Table): string =>
  `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`

function* rowsOfFolder(db: Db, table: Table): Generator<Row> {
  for (const row of db.prepare<[], Row>(selectFrom(table)).iterate()) {
    for (const column of table.columns) row[column] = storable(row[column] ?? null)
    if (isKept(table.name, row)) yield row
  }
}

/** By a cursor of the server: a table may be larger than the memory. */
async function* rowsOfServer(connection: Connection, table: Table): AsyncGenerator<Row> {
  await connection.query(`DECLARE read_rows NO SCROLL CURSOR FOR ${selectFrom(table)}`)
  for (;;) {
    const { rows } = await connection.query<Row>(`FETCH ${BATCH} FROM read_rows`)
    for (const row of rows) if (isKept(table.name, row)) yield row
    if (rows.length < BATCH) break
  }
  await connection.query('CLOSE read_rows')
}

async function insertBatch(connection: Connection, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  const place = (row: number, column: number) => `$${row * columns.length + column + 1}`
  const places = rows.map((_, row) => `(${columns.map((__, column) => place(row, column)).join(', ')})`).join(', ')
  const values = rows.flatMap((row) => columns.map((column) => row[column]))
  await connection.query(`INSERT INTO ${name} (${columns.join(', ')}) VALUES ${places}`, values)
}

function compare(table: string, read: { rows: number; sum: string }, written: { rows: number; sum: string }): void {
  if (read.rows === written.rows && read.sum === written.sum) return
  throw new TransferError(
    `${table}: ${read.rows} rows were read and ${written.rows} written, or they differ. Nothing was kept.`,
  )
}

interface OpenFolder {
  main: Db
  sessions: Db
  close(): void
}

async function openFolder(home: string): Promise<OpenFolder> {
  const unlock = lockFolder(home)
  // A backup that the next start was to begin with counts, and the mark of a move is not put away with what it replaces.
  applyStaged(home)
  const main = openDatabase(join(home, 'kurir.db'), 'FULL')
  const sessions = openDatabase(join(home, 'sessions.db'), 'FULL')
  await migrateSqlite(main, migrations)
  await migrateSqlite(sessions, sessionMigrations)
  return {
    main,
    sessions,
    close() {
      main.close()
      sessions.close()
      unlock()
    },
  }
}

/** Both databases of a folder with their tables. */
const partsOf = ({ main, sessions }: OpenFolder) =>
  [main, sessions].flatMap((db) => tablesOf(db).map((table) => ({ db, table })))

interface Server {
  connection: Connection
  close(): Promise<void>
}

async function openServer(url: string): Promise<Server> {
  // A large table takes its time, and so does reading the other side.
  const pool = createPool({ url, connections: 1, answerWithin: 0 })
  try {
    // What this program does not know would be left behind.
    if ((await migratePostgres(url, placeOf(url))) > NEWEST) throw new StorageError('newer', placeOf(url))
    const connection = await pool.connect()
    return {
      connection,
      async close() {
        connection.release(true)
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw asStartError(error, placeOf(url))
  }
}

/** Nothing is left to do: an earlier try, of which nobody heard the end, had copied everything. */
const DONE_BEFORE = 'done_before'

/** The tables that were copied; or that an earlier try was through, and only its end was noted now. */
export type Transferred = TransferredTable[] | typeof DONE_BEFORE

/**
 * Moves a data folder into an empty database, all of it or nothing: it may be called again until it is through. Then the folder is
 * marked as left.
 * @throws StorageError, TransferError: nothing was written
 */
export async function moveToServer(home: string, url: string): Promise<Transferred> {
  if (!existsSync(join(home, 'kurir.db'))) throw new StorageError('unreachable', join(home, 'kurir.db'))
  const folder = await openFolder(home)
  const server = await openServer(url).catch((error: unknown) => {
    folder.close()
    throw error
  })
  const { connection } = server
  try {
    const before = folderMoveOf(folder.main)
    if (before?.through === true) throw movedError(before, home)
    if (folder.main.prepare("SELECT 1 FROM meta WHERE name = 'data_key_before'").get() !== undefined)
      throw new TransferError(`${home} gets a new data key. Start Kurir on it once, stop it, and try again.`)
    const { rows: there } = await connection.query('SELECT 1 FROM senders LIMIT 1')
    if (there.length > 0) {
      if (before === undefined || (await serverCameBy(connection)) !== before.id)
        throw new TransferError(`${placeOf(url)} holds data already. Give an empty database.`)
      markFolder(folder.main, { ...before, through: true })
      return DONE_BEFORE
    }
    // Where an earlier try was interrupted its commit may still be on its way there.
    if (before !== undefined && before.to !== placeOf(url)) throw movedError(before, home)
    const move = before ?? newMove(placeOf(url))
    await connection.query('BEGIN')
    const done = await copyTablesToServer(folder, connection)
    await copyFiles(await filesIn(connection), home, bytesOn(connection, url, null).save)
    await numberOn(connection)
    await noteArrivalOnServer(connection, move)
    markFolder(folder.main, move)
    await connection.query('COMMIT')
    markFolder(folder.main, { ...move, through: true })
    return done
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    await server.close()
    folder.close()
  }
}

async function copyTablesToServer(folder: OpenFolder, connection: Connection): Promise<TransferredTable[]> {
  const done: TransferredTable[] = []
  for (const { db, table } of partsOf(folder)) {
    const read = createSum()
    let batch: Row[] = []
    for (const row of rowsOfFolder(db, table)) {
      read.add(table.columns, row)
      batch.push(row)
      if (batch.length === BATCH) {
        await insertBatch(connection, table, batch)
        batch = []
      }
    }
    await insertBatch(connection, table, batch)
    const written = createSum()
    for await (const row of rowsOfServer(connection, table)) written.add(table.columns, row)
    const result = read.result()
    compare(table.name, result, written.result())
    done.push({ table: table.name, rows: result.rows })
  }
  return done
}

/** The bytes of uploads. One that is gone has a row without them, as before: its message says so when its turn comes. */
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

async function copyFilesToFolder(connection: Connection, url: string, home: string, store: BucketOptions | undefined) {
  mkdirSync(join(home, FILES), { recursive: true, mode: 0o700 })
  const bytes = bytesOn(connection, url, store === undefined ? null : await loadBucket(store))
  try {
    await copyFiles(await filesIn(connection), home, bytes.load)
  } finally {
    await bytes.close()
  }
}

const bytesOn = (connection: Connection, url: string, bucket: Bucket | null) =>
  createFileBytes({
    server: { query: (sql, values = []) => connection.query(sql, values) },
    place: placeOf(url),
    bucket,
    node: 'migrate-to',
  })

async function filesIn(connection: Connection): Promise<FileSummary[]> {
  return (await connection.query<FileSummary>('SELECT id, size, sha256 FROM files ORDER BY id')).rows
}

/** Columns that number themselves go on after the rows that were copied. */
async function numberOn(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE is_identity = 'YES' AND table_schema = current_schema()`,
  )
  for (const { table, column } of rows) {
    await connection.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 0) + 1, false) FROM ${table}`,
    )
  }
}

/** What a folder holds already; undefined: no shop, which has a sender from its first start. */
function shopIn(home: string): { cameBy: string | undefined } | undefined {
  const file = join(home, 'kurir.db')
  if (!existsSync(file)) return undefined
  const db = openReadOnly(file)
  try {
    const holdsSenders =
      versionOf(db) > 0 && selecting(db, { id: integer('id') })('FROM senders LIMIT 1').get() !== undefined
    return holdsSenders ? { cameBy: folderCameBy(db) } : undefined
  } finally {
    db.close()
  }
}

/** What is copied while nodes send it would be sent from both. @throws TransferError */
async function refuseRunning(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ name: string }>(
    `SELECT name FROM nodes WHERE seen_at > ${GONE_SINCE} ORDER BY name`,
  )
  if (rows.length === 0) return
  const names = rows.map(({ name }) => name).join(', ')
  throw new TransferError(
    `Nodes run on this database: ${names}. Stop them all, and try again; one that was killed counts for 15 seconds.`,
  )
}

/**
 * Moves a database, with the bytes of its files, into a new data folder. Then the database is marked as left.
 * @throws StorageError, TransferError: nothing was kept, and it may be called again
 */
export async function moveToFolder(url: string, home: string, store?: BucketOptions): Promise<Transferred> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return withServer(url, async (connection) => {
    const before = await serverMoveOf(connection)
    if (before?.through === true) throw movedError(before, placeOf(url))
    // Senders are committed last: without one an earlier copy was interrupted, and is started again.
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

/** Copies a database into an empty folder while nodes run. A backup holds no files. @throws StorageError, TransferError */
export async function copyForBackup(url: string, folder: string): Promise<void> {
  await withServer(url, async (connection) => {
    // One picture of everything, however long it takes.
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await copyTablesToFolder(connection, folder, async () => undefined)
  })
}

async function withServer<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { connection, close } = await openServer(url)
  try {
    return await work(connection)
  } finally {
    await close()
  }
}

async function markServer(connection: Connection, move: Move): Promise<void> {
  await connection.query('BEGIN')
  await markServerNow(connection, move)
  await connection.query('COMMIT')
}

/** @param beforeCommit after it the folder has everything */
async function copyTablesToFolder(
  connection: Connection,
  home: string,
  beforeCommit: (folder: OpenFolder) => Promise<void>,
): Promise<TransferredTable[]> {
  const folder = await openFolder(home)
  const { main, sessions } = folder
  try {
    const done: TransferredTable[] = []
    for (const db of [main, sessions]) db.exec('BEGIN')
    // A migration may have left rows in a new folder.
    for (const { db, table } of partsOf(folder).toReversed()) db.exec(`DELETE FROM ${table.name}`)
    for (const { db, table } of partsOf(folder)) {
      const { name, columns } = table
      const insert = db.prepare(
        `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
      )
      const read = createSum()
      for await (const row of rowsOfServer(connection, table)) {
        read.add(columns, row)
        insert.run(row)
      }
      const written = createSum()
      for (const row of rowsOfFolder(db, table)) written.add(columns, row)
      const result = read.result()
      compare(name, result, written.result())
      done.push({ table: name, rows: result.rows })
    }
    await beforeCommit(folder)
    for (const db of [sessions, main]) db.exec('COMMIT')
    return done
  } finally {
    for (const db of [main, sessions]) if (db.inTransaction) db.exec('ROLLBACK')
    folder.close()
  }
}

/** Takes the mark from a folder that was left. What waits there is paused. @returns false: it has none */
export async function reopenFolder(home: string): Promise<boolean> {
  if (!existsSync(join(home, 'kurir.db'))) throw new StorageError('unreachable', join(home, 'kurir.db'))
  const { main, close } = await openFolder(home)
  try {
    const isMarked = folderMoveOf(main) !== undefined
    if (isMarked) unmarkFolder(main)
    return isMarked
  } finally {
    close()
  }
}

/** The same with a database. */
export const reopenServer = (url: string): Promise<boolean> =>
  withServer(url, async (connection) => {
    if ((await serverMoveOf(connection)) === undefined) return false
    await connection.query('BEGIN')
    await unmarkServer(connection)
    await connection.query('COMMIT')
    return true
  })
