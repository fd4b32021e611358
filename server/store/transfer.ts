import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bucket, BucketOptions } from '../lib/s3-bucket.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { FileSummary } from './file-bytes.ts'
import { asStartError } from './postgres/errors.ts'
import { createFileBytes } from './postgres/file-bytes.ts'
import { loadBucket } from './postgres/file-objects.ts'
import { GONE_SINCE } from './postgres/leases.ts'
import { migrate as migratePostgres, NEWEST } from './postgres/migrate.ts'
import { type Connection, createPool, placeOf, storable } from './postgres/pool.ts'
import { type Db, openDatabase, openReadOnly } from './sqlite/database.ts'
import { lockFolder } from './sqlite/lock.ts'
import { migrate as migrateSqlite, versionOf } from './sqlite/migrate.ts'
import { migrations } from './sqlite/migrations/index.ts'
import { sessionMigrations } from './sqlite/migrations/sessions.ts'
import { integer, selecting } from './statements/sql.ts'

const BATCH = 500
/** Each engine makes these itself: the index of words, and what is counted by triggers. */
const OWN = /^(sqlite_|messages_words|delivery_counts)/
/** What an engine keeps about itself; the index of words begins anew. */
const OWN_META = ['searched_up_to', 'probe', 'marked_at', 'vacuum']

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

/**
 * Copies a data folder into an empty database, all of it or nothing: it may be called again until it is through.
 * @throws StorageError, TransferError: nothing was written
 */
export async function copyToServer(home: string, url: string): Promise<TransferredTable[]> {
  if (!existsSync(join(home, 'kurir.db'))) throw new StorageError('unreachable', join(home, 'kurir.db'))
  const folder = await openFolder(home)
  const server = await openServer(url).catch((error: unknown) => {
    folder.close()
    throw error
  })
  const { connection } = server
  try {
    await connection.query('BEGIN')
    if (folder.main.prepare("SELECT 1 FROM meta WHERE name = 'data_key_before'").get() !== undefined)
      throw new TransferError(`${home} gets a new data key. Start Kurir on it once, stop it, and try again.`)
    const { rows: there } = await connection.query('SELECT 1 FROM senders LIMIT 1')
    if (there.length > 0) throw new TransferError(`${placeOf(url)} holds data already. Give an empty database.`)
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
    await copyFiles(await filesIn(connection), home, bytesOn(connection, url, null).save)
    await numberOn(connection)
    await connection.query('COMMIT')
    return done
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    await server.close()
    folder.close()
  }
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

/** Whether it is the database of a shop: each has a sender from its first start. */
function holdsSenders(file: string): boolean {
  if (!existsSync(file)) return false
  const db = openReadOnly(file)
  try {
    return versionOf(db) > 0 && selecting(db, { id: integer('id') })('FROM senders LIMIT 1').get() !== undefined
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
 * Copies a database into a new data folder. @param files copies the bytes of files as well; null: they stay out of it
 * @throws StorageError, TransferError: nothing was kept, and it may be called again
 */
export async function copyToFolder(
  url: string,
  home: string,
  files: { store: BucketOptions | undefined } | null = { store: undefined },
): Promise<TransferredTable[]> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  // Senders are committed last: without one an earlier copy was interrupted, and is started again.
  if (holdsSenders(join(home, 'kurir.db')))
    throw new TransferError(`${home} holds a database already. Give an empty folder.`)
  const folder = await openFolder(home)
  const server = await openServer(url).catch((error: unknown) => {
    folder.close()
    throw error
  })
  const { connection } = server
  const { main, sessions } = folder
  try {
    // One picture of everything, however long it takes.
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    if (files !== null) await refuseRunning(connection)
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
    if (files !== null) await copyFilesToFolder(connection, url, home, files.store)
    for (const db of [sessions, main]) db.exec('COMMIT')
    return done
  } finally {
    for (const db of [main, sessions]) if (db.inTransaction) db.exec('ROLLBACK')
    await server.close()
    folder.close()
  }
}
