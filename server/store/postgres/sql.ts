import type pg from 'pg'
import { asStored, type Columns, type SqlValue, type Written } from '../columns.ts'
import type { Noted } from '../figures.ts'
import type { Bound, KeptTable, Statements } from '../statements.ts'
import { type Connection, storable } from './pool.ts'

export type Value = SqlValue | readonly SqlValue[]

/** Queries of the database, each by itself or in a transaction. Values are `$1`, `$2`, …. */
export interface Sql {
  /** Reads rows of these columns. `rest` is the statement from FROM on. */
  rows<Row extends object>(columns: Columns<Row>, rest: string, values?: readonly Value[]): Promise<Row[]>
  one<Row extends object>(columns: Columns<Row>, rest: string, values?: readonly Value[]): Promise<Row | undefined>
  /** Resolves with rows as the driver returns them, such as those of RETURNING. */
  query<Row extends object>(statement: string, values?: readonly Value[]): Promise<Row[]>
  /** Resolves with the number of written rows. */
  run(statement: string, values?: readonly Value[]): Promise<number>
}

/**
 * An open transaction. Statements are sent in the order of their calls, without waiting for each
 * other. A failed statement fails the transaction, whether or not anybody waits for its answer.
 */
export interface Tx extends Sql {
  /** Makes all nodes read the table into memory again. */
  changed(table: KeptTable): void
  /** Entries that the commit adds to the book of figures. */
  readonly noted: Noted
}

/**
 * Runs `work` in a transaction; resolves when it is on disk. After a conflict with another
 * transaction, `work` runs again from its beginning.
 * @param subject writes of one subject run in the order of their calls
 */
export type Write = <T>(work: (tx: Tx) => Promise<T>, subject?: string) => Promise<T>

/**
 * Makes a write for jobs that come in large numbers: jobs of one moment share a transaction, except
 * jobs with a common name in `apart`.
 */
export type WriteTogether = <Job, Result>(
  work: (tx: Tx, jobs: readonly Job[]) => Promise<Result[]>,
) => (job: Job, apart: readonly string[]) => Promise<Result>

/**
 * Caches something small that is read often. `load` reads it: at the start, when the returned
 * function is called (after a write), and within a second after any node changed one of `tables`.
 * Without tables, `load` runs every second, or less often if it takes long.
 */
export type Remember = (tables: readonly KeptTable[], load: () => Promise<void>) => () => Promise<void>

export interface Context {
  db: Sql
  write: Write
  writeTogether: WriteTogether
  remember: Remember
  /** Fails the transaction unless this node still holds the sender when it commits. */
  fence: (tx: Tx, senderId: number) => void
  now: () => number
  node: string
}

type Ask = (question: pg.QueryConfig) => Promise<pg.QueryResult<Record<string, unknown>>>

/** Names of prepared statements, the same on every connection. */
const names = new Map<string, string>()

function nameOf(statement: string): string {
  const name = names.get(statement) ?? `store_${names.size + 1}`
  names.set(statement, name)
  return name
}

const given = (value: Value): unknown => (Array.isArray(value) ? value.map(storable) : storable(value))

export function createSql(ask: Ask): Sql {
  const send = (text: string, values: readonly Value[] = []) =>
    ask({ name: nameOf(text), text, values: values.map(given) })

  async function rows<Row extends object>(columns: Columns<Row>, rest: string, values?: readonly Value[]) {
    const list = Object.entries<Columns<Row>[keyof Row]>(columns)
    const names = list.map(([name, { sql }]) => `${sql} AS "${name}"`).join(', ')
    const found = (await send(`SELECT ${names} ${rest}`, values)).rows
    for (const [name, { decode }] of list)
      if (decode !== undefined) for (const row of found) row[name] = decode(row[name])
    return found as Row[]
  }

  return {
    rows,
    one: async (columns, rest, values) => (await rows(columns, rest, values))[0],
    query: async <Row extends object>(statement: string, values?: readonly Value[]) =>
      (await send(statement, values)).rows as Row[],
    run: async (statement, values) => (await send(statement, values)).rowCount ?? 0,
  }
}

export interface OpenTx {
  tx: Tx
  /**
   * Resolves when every statement is answered.
   * @throws the first error of the database
   */
  answers(): Promise<void>
  /** Tables whose change other nodes must learn of. */
  changed: ReadonlySet<KeptTable>
}

export function createTx(connection: Connection): OpenTx {
  const sent: Promise<unknown>[] = []
  const changed = new Set<KeptTable>()
  const sql = createSql((question) => {
    const answer = connection.query<Record<string, unknown>>(question)
    sent.push(answer)
    return answer
  })
  /** Keeps a rejection that nobody handles from ending the process; `answers` reports it. */
  function quiet<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => undefined)
    return answer
  }
  return {
    tx: {
      rows: (...args) => quiet(sql.rows(...args)),
      one: (...args) => quiet(sql.one(...args)),
      query: (...args) => quiet(sql.query(...args)),
      run: (...args) => quiet(sql.run(...args)),
      changed: (table) => void changed.add(table),
      noted: new Map(),
    },
    changed,
    async answers() {
      const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
    },
  }
}

const inJson = (value: SqlValue): SqlValue =>
  value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value

/** Returns JSON for rows with any text: removes NUL, and replaces half characters. */
const asJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_name, value) => (typeof value === 'string' ? storable(value).toWellFormed() : value))

/**
 * Returns a function that makes one INSERT of many rows, in their order.
 * @param then the end of the statement, such as RETURNING
 */
function manyRows<Row>(table: string, columns: Written<Row>, then: string) {
  const list = Object.entries(columns)
  const names = list.map(([name]) => name).join(', ')
  const sql = `INSERT INTO ${table} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1) ${then}`
  return (rows: readonly Row[]) => {
    const written = (row: Row) => Object.fromEntries(list.map(([name, read]) => [name, inJson(asStored(read(row)))]))
    return { sql, values: [asJson(rows.map(written))] }
  }
}

export function insertMany<Row, Returned extends object>(
  tx: Tx,
  table: string,
  columns: Written<Row>,
  rows: readonly Row[],
  then = '',
): Promise<Returned[]> {
  const { sql, values } = manyRows(table, columns, then)(rows)
  return tx.query(sql, values)
}

/** Writes only the columns of a row that differ. Objects differ if they are not the same object. */
export function updateChanged<Row>(
  tx: Tx,
  table: string,
  columns: Written<Row>,
  before: Row,
  after: Row,
  [key, value]: [name: string, value: SqlValue],
): void {
  const changes = Object.entries(columns).filter(([, read]) => read(before) !== read(after))
  if (changes.length === 0) return
  const names = changes.map(([name], i) => `${name} = $${i + 2}`).join(', ')
  void tx.run(`UPDATE ${table} SET ${names} WHERE ${key} = $1`, [
    value,
    ...changes.map(([, read]) => asStored(read(after))),
  ])
}

export const runBound = (tx: Tx, { sql, values }: Bound): Promise<number> => tx.run(sql, values)

/** Inserts a row that numbers itself; resolves with its id. */
export async function insertRow(tx: Tx, { sql, values }: Bound): Promise<number> {
  const [row] = await tx.query<{ id: number }>(`${sql} RETURNING id`, values)
  return row?.id ?? 0
}

/** Makes statements of nouns that are written once for both engines. */
export function createStatements({ db, write, remember }: Context): Statements {
  const runEach = (tx: Tx, bound: readonly Bound[]): Promise<number[]> =>
    Promise.all(bound.map((each) => runBound(tx, each)))
  return {
    rows:
      (columns, rest) =>
      (...values) =>
        db.rows(columns, rest, values),
    one:
      (columns, rest) =>
      (...values) =>
        db.one(columns, rest, values),
    bind:
      (sql) =>
      (...values) => ({ sql, values }),
    insert(table, columns, then = '') {
      const put = manyRows(table, columns, then)
      return (rows) => (rows.length === 0 ? [] : [put(rows)])
    },
    write: async (...bound) => (await write((tx) => runEach(tx, bound))).at(-1) ?? 0,
    writeEach: (...bound) => write((tx) => runEach(tx, bound)),
    keep(table, load) {
      const reload = remember([table], load)
      return {
        reload,
        async change(...bound) {
          const changes = await write((tx) => {
            tx.changed(table)
            return runEach(tx, bound)
          })
          await reload()
          return changes.at(-1) ?? 0
        },
      }
    },
  }
}
