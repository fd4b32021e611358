import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import type { Db } from '../../server/store/sqlite/database.ts'
import { databaseOf, isShared } from './engine.ts'

/** A write of a row: `when` is SQL that both engines read, as `NEW.seq = 1`. */
export interface Write {
  event: 'INSERT' | 'UPDATE'
  table: string
  when: string
}

/** The disk below a store, for tests to harm and read, in the engine of this run. */
export interface Disk {
  /** For `opened` of the store: SQLite refuses on the connection of the program. */
  opened: (db: Db) => void
  /** While it is on, nothing can be written; what is there can be read. */
  full(on: boolean): Promise<void>
  /** It becomes full with such a write. Returns a function that makes room. */
  fullWith(write: Write): Promise<() => Promise<void>>
  /**
   * Such a write fails for a reason that nobody has foreseen, `no room`. Returns a function that
   * lets it through.
   */
  refuse(write: Write): Promise<() => Promise<void>>
  /** Asked on a connection of its own. @param file that SQLite has the table in */
  rows<Row extends object>(sql: string, file?: 'kurir.db' | 'sessions.db'): Promise<Row[]>
  /** Written past the program, in SQL that both engines read. */
  write(sql: string): Promise<void>
  /** Every row of every table that the program writes by itself, without the index of words. */
  everything(): Promise<Record<string, object[]>>
  /** The files of the data folder, and the tables on a server, whose bytes are looked for. */
  places(isIt: (bytes: Buffer) => boolean): Promise<string[]>
}

/** An index, and with several nodes what a second changes. */
const NOT_COMPARED = /^(messages_words|nodes$|sender_leases$|table_versions$)/

export function createDisk(home: string): Disk {
  const { tables, ...disk } = isShared ? diskOfPostgres(home) : diskOfSqlite(home)
  async function allRows(isWanted: (table: string) => boolean): Promise<[table: string, rows: object[]][]> {
    const names = (await disk.rows<{ name: string }>(tables)).map(({ name }) => name).filter(isWanted)
    return Promise.all(names.map(async (name) => [name, await disk.rows(`SELECT * FROM ${name} ORDER BY 1`)]))
  }
  return {
    ...disk,
    everything: async () => Object.fromEntries(await allRows((table) => !NOT_COMPARED.test(table))),
    async places(isIt) {
      const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
        isIt(bytesOf(join(home, name))),
      )
      const onServer = isShared ? await allRows(() => true) : []
      const holds = (row: object) =>
        Object.values(row).some((value) =>
          isIt(Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value) ?? '')),
        )
      return [...files, ...onServer.filter(([, rows]) => rows.some(holds)).map(([table]) => table)]
    },
  }
}

/**
 * Nothing of what is no file, or is gone when it is read: what was put together for a backup goes
 * after its answer.
 */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

/** @property tables SQL for their names */
type Engine = Omit<Disk, 'everything' | 'places'> & { tables: string }

function diskOfSqlite(home: string): Engine {
  let db: Db | undefined
  const program = (): Db => {
    if (db === undefined) throw new Error('the store is not open')
    return db
  }
  async function failing({ event, table, when }: Write, failure: string): Promise<() => Promise<void>> {
    program().exec(
      `CREATE TEMP TRIGGER refused BEFORE ${event} ON main.${table} WHEN ${when} BEGIN SELECT ${failure}; END`,
    )
    return async () => void program().exec('DROP TRIGGER refused')
  }
  return {
    tables: `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1`,
    opened(opened) {
      db = opened
      db.function('run_full', () => {
        throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
      })
    },
    full: async (on) => void program().pragma(`query_only = ${on ? 'ON' : 'OFF'}`),
    fullWith: (write) => failing(write, 'run_full()'),
    refuse: (write) => failing(write, `RAISE(ABORT, 'no room')`),
    async rows<Row extends object>(sql: string, name = 'kurir.db') {
      const reader = new Database(join(home, name), { readonly: true })
      try {
        return reader.prepare<[], Row>(sql).all()
      } finally {
        reader.close()
      }
    },
    async write(sql) {
      const writer = new Database(join(home, 'kurir.db'))
      try {
        writer.exec(sql)
      } finally {
        writer.close()
      }
    },
  }
}

/**
 * Tables by which a node keeps its senders: these are renewed by the time that passes, and not by
 * that of the test.
 */
const OF_NODES = ['nodes', 'sender_leases', 'table_versions']

function diskOfPostgres(home: string): Engine {
  const types: pg.CustomTypesConfig = {
    // Counts and numbers of rows come as text, because they may be larger than a number.
    getTypeParser: (id: number) => (id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id)),
  }
  async function ask<Row extends object>(...statements: string[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: await databaseOf(home), types })
    await client.connect()
    try {
      let rows: Row[] = []
      // Each by itself: all at once they would hold every table, and wait for one that the program
      // holds.
      for (const sql of statements) rows = (await client.query<Row>(sql)).rows
      return rows
    } finally {
      await client.end()
    }
  }
  const raising = (name: string, how: string) =>
    `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION ${how}; END $$`
  async function failing({ event, table, when }: Write, how: string): Promise<() => Promise<void>> {
    await ask(
      raising('refused', how),
      `CREATE TRIGGER refused BEFORE ${event} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refused()`,
    )
    return async () => void (await ask(`DROP TRIGGER refused ON ${table}`))
  }
  // As the server says it where the disk is full.
  const isFull = `'could not extend file' USING ERRCODE = 'disk_full'`
  const tables = `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`
  return {
    tables,
    opened: () => undefined,
    async full(on) {
      const all = (await ask<{ name: string }>(tables))
        .map(({ name }) => name)
        .filter((name) => !OF_NODES.includes(name))
      await ask(
        raising('full_disk', isFull),
        ...all.map((table) =>
          on
            ? `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON ${table} EXECUTE FUNCTION full_disk()`
            : `DROP TRIGGER full_disk ON ${table}`,
        ),
      )
    },
    fullWith: (write) => failing(write, isFull),
    refuse: (write) => failing(write, `'no room'`),
    rows: (sql) => ask(sql),
    write: async (sql) => void (await ask(sql)),
  }
}
