import type Database from 'better-sqlite3'
import { asStorageError } from '../../lib/storage-error.ts'
import { asStored, type Column, type Columns, type SqlValue, text, valuesOf, type Written } from '../columns.ts'
import { type Bound, inserting as insertingRow, type Reads, type Statements } from '../statements.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

export interface Select<P extends unknown[], Row> {
  /** @throws StorageError if the disk or the file is at fault */
  get(...params: P): Row | undefined
  /** @throws StorageError if the disk or the file is at fault */
  all(...params: P): Row[]
  iterate(...params: P): IterableIterator<Row>
}

/** A prepared SELECT, for the test that compares it with the schema. */
export interface Prepared {
  sql: string
  columns: Readonly<Record<string, Column<unknown>>>
}

const watched = new WeakMap<Db, Prepared[]>()

/** Records every SELECT that is prepared after this call; for a test. */
export function watchSelects(db: Db): readonly Prepared[] {
  const prepared: Prepared[] = []
  watched.set(db, prepared)
  return prepared
}

/**
 * Makes SQLite plan a SELECT once. Since 3.47 SQLite plans by the values of an `= ?` or `LIMIT ?`,
 * and so again with each run, which on the table of messages takes ten times as long as the run. A
 * plus changes no value, but hides it from the planner.
 */
const plannedOnce = (sql: string): string => sql.replace(/[?@]|\$(?=\d)/g, '+$&')

/**
 * Prepares SELECTs of one list of columns. The names in the SQL come from this list, and the
 * compiler checks the list against the type of the row, so the two cannot differ.
 */
export function selecting<Row extends object>(db: Db, columns: Columns<Row>) {
  const list = Object.entries<Column<unknown>>(columns)
  const names = list.map(([name, { sql }]) => `${sql} AS "${name}"`).join(', ')
  const decoders = list.flatMap(([name, { decode }]) => (decode === undefined ? [] : [[name, decode] as const]))

  function read(stored: Record<string, unknown>): Row {
    for (const [name, decode] of decoders) stored[name] = decode(stored[name])
    return stored as Row
  }

  /** @param rest the statement from FROM on */
  return <P extends unknown[] = []>(rest: string): Select<P, Row> => {
    const sql = plannedOnce(`SELECT ${names} ${rest}`)
    watched.get(db)?.push({ sql, columns })
    let prepared: Database.Statement<unknown[], Record<string, unknown>> | undefined
    // Prepared on first use: a start runs few of these statements, and preparing all would take a
    // fifth of its time.
    const statement = () => {
      prepared ??= db.prepare<unknown[], Record<string, unknown>>(sql)
      return prepared
    }
    function run<T>(select: () => T): T {
      try {
        return select()
      } catch (error) {
        throw asStorageError(error, db.name)
      }
    }
    return {
      get(...params) {
        const stored = run(() => statement().get(...params))
        return stored === undefined ? undefined : read(stored)
      },
      all: (...params) => run(() => statement().all(...params)).map(read),
      *iterate(...params) {
        for (const stored of statement().iterate(...params)) yield read(stored)
      },
    }
  }
}

// Values are passed by position, because SQLite looks up each name in every run.

/**
 * Prepares an INSERT of one row. Returns a function that runs it and returns the id of the row.
 * @param then the end of the statement, such as ON CONFLICT
 */
export function inserting<Row>(db: Db, table: string, columns: Written<Row>, then = ''): (row: Row) => number {
  const names = Object.keys(columns)
  const statement = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')}) ${then}`)
  return (row) => Number(statement.run(...valuesOf(columns, row)).lastInsertRowid)
}

/**
 * Prepares UPDATEs of one row that set only columns that differ, because SQLite rewrites every
 * index with a listed column even if its value stays the same. Objects differ if they are not the
 * same object.
 * @param key column by which the row is found
 */
export function updating<Row>(
  db: Db,
  table: string,
  columns: Written<Row>,
  key: string,
): (before: Row, after: Row, found: SqlValue) => void {
  const list = Object.entries(columns)
  const statements = new Map<string, Database.Statement<SqlValue[]>>()
  return (before, after, found) => {
    const changes = list.filter(([, read]) => read(before) !== read(after))
    if (changes.length === 0) return
    const names = changes.map(([name]) => `${name} = ?`).join(', ')
    const statement = statements.get(names) ?? db.prepare(`UPDATE ${table} SET ${names} WHERE ${key} = ?`)
    statements.set(names, statement)
    statement.run(...changes.map(([, read]) => asStored(read(after))), found)
  }
}

/** Returns values under their names `$1`, `$2` …. */
const numbered = (values: readonly SqlValue[]): Record<string, SqlValue> =>
  Object.fromEntries(values.map((value, i) => [i + 1, value]))

/** Runs a statement, which is prepared once; returns the number of changed rows. */
export interface Run {
  (bound: Bound): number
  /** Inserts a row that numbers itself; returns its id. */
  insert(bound: Bound): number
  prepare(sql: string): Database.Statement<[Record<string, SqlValue>]>
}

export interface Context {
  db: Db
  write: Write
  run: Run
  now: () => number
}

export function createRun(db: Db): Run {
  const prepared = new Map<string, Database.Statement<[Record<string, SqlValue>]>>()
  function prepare(sql: string) {
    const statement = prepared.get(sql) ?? db.prepare<[Record<string, SqlValue>]>(sql)
    prepared.set(sql, statement)
    return statement
  }
  const exec = ({ sql, values }: Bound) => prepare(sql).run(numbered(values))
  return Object.assign((bound: Bound) => exec(bound).changes, {
    prepare,
    insert: (bound: Bound) => Number(exec(bound).lastInsertRowid),
  })
}

/** Makes SELECTs of nouns that are written once for both engines. */
export function createReads(db: Db): Reads {
  return {
    rows(columns, rest) {
      const select = selecting(db, columns)<[Record<string, SqlValue>]>(rest)
      return async (...values) => select.all(numbered(values))
    },
    one(columns, rest) {
      const select = selecting(db, columns)<[Record<string, SqlValue>]>(rest)
      return async (...values) => select.get(numbered(values))
    },
  }
}

/** Makes statements of nouns that are written once for both engines. */
export function createStatements({ db, write, run }: Context): { statements: Statements; load: () => Promise<void> } {
  const loads: (() => Promise<void>)[] = []

  const bind: Statements['bind'] = (sql) => {
    run.prepare(sql)
    return (...values) => ({ sql, values })
  }
  const writeEach: Statements['writeEach'] = (...bound) => write(() => bound.map(run))
  const writeAll: Statements['write'] = async (...bound) => (await writeEach(...bound)).at(-1) ?? 0

  return {
    statements: {
      ...createReads(db),
      bind,
      insert(table, columns, then = '') {
        const put = insertingRow(table, columns, then)
        return (rows) => rows.map(put)
      },
      write: writeAll,
      writeEach,
      keep(_table, load) {
        loads.push(load)
        let next: Promise<void> | undefined
        /** Reads the table once for several changes of one commit. */
        function reload(): Promise<void> {
          next ??= Promise.resolve().then(() => {
            next = undefined
            return load()
          })
          return next
        }
        return {
          reload,
          async change(...bound) {
            const changes = await writeAll(...bound)
            await reload()
            return changes
          },
        }
      },
    },
    async load() {
      for (const each of loads) await each()
    },
  }
}

export type MetaValues = ReturnType<typeof metaValues>

/** Values of the table `meta` in the file, past the copy in memory. */
export function metaValues(db: Db) {
  const value = selecting(db, { value: text('value') })<[string]>('FROM meta WHERE name = ?')
  const put = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM meta WHERE name = ?')
  return {
    get: (name: string): string | undefined => value.get(name)?.value,
    put: (name: string, content: string) => void put.run(name, content),
    remove: (name: string) => void remove.run(name),
  }
}
