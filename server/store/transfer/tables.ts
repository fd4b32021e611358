import { createHash } from 'node:crypto'
import { MOVED_BY, MOVED_TO } from '../move.ts'
import { type Connection, storable } from '../postgres/pool.ts'
import type { Db } from '../sqlite/database.ts'
import { type OpenFolder, TransferError, withFolder } from './places.ts'

const BATCH = 500
/** Tables that each engine fills itself: the index of words, and counts made by triggers. */
const OWN = /^(sqlite_|messages_words|delivery_counts)/
/**
 * Rows of `meta` that are not copied: the index of words is made again, and the mark of a move
 * belongs to one place.
 */
const OWN_META: readonly string[] = ['searched_up_to', 'probe', 'marked_at', MOVED_TO, MOVED_BY]

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

/**
 * Returns the tables that both engines have, parents before their children, as SQLite describes
 * them.
 */
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

/** Makes a checksum of all rows of a table, in the order of its key. */
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

/** Reads through a cursor of the server, because a table may be larger than the memory. */
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

/** Returns the tables of both databases of a folder. */
const partsOf = ({ main, sessions }: OpenFolder) =>
  [main, sessions].flatMap((db) => tablesOf(db).map((table) => ({ db, table })))

export async function copyTablesToServer(folder: OpenFolder, connection: Connection): Promise<TransferredTable[]> {
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
  await numberOn(connection)
  return done
}

/** Lets columns that number themselves continue after the copied rows. */
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

/**
 * Copies all tables into a folder.
 * @param beforeCommit runs when everything is copied, before the commit
 */
export async function copyTablesToFolder(
  connection: Connection,
  home: string,
  beforeCommit: (folder: OpenFolder) => Promise<void>,
): Promise<TransferredTable[]> {
  return withFolder(home, async (folder) => {
    const { main, sessions } = folder
    const done: TransferredTable[] = []
    for (const db of [main, sessions]) db.exec('BEGIN')
    // A migration may have put rows into a new folder.
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
  })
}
