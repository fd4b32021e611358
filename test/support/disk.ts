import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import type { Db } from '../../server/store/sqlite/database.ts'
import { databaseOf, isShared } from './engine.ts'

/** A write to a row. `when` is SQL for both engines, such as `NEW.seq = 1`. */
export interface Write {
  event: 'INSERT' | 'UPDATE'
  table: string
  when: string
}

/** The storage of a store in this run's engine, to break and to inspect. */
export interface Disk {
  /**
   * Pass as the store's `opened`, because in SQLite triggers fail on the program's own connection.
   */
  opened: (db: Db) => void
  /** Switches a full disk on or off: writes fail, reads work. */
  full(on: boolean): Promise<void>
  /** Fails such a write as on a full disk. Returns a function that makes room. */
  fullWith(write: Write): Promise<() => Promise<void>>
  /** Fails such a write with an unexpected error, `no room`. Returns a function that ends this. */
  refuse(write: Write): Promise<() => Promise<void>>
  /** Queries on a separate connection. @param file SQLite database that has the table */
  rows<Row extends object>(sql: string, file?: 'kurir.db' | 'sessions.db'): Promise<Row[]>
  /** Writes SQL for both engines, bypassing the program. */
  write(sql: string): Promise<void>
  /** Returns every row of every table except search indexes and node tables. */
  everything(): Promise<Record<string, object[]>>
  /** Returns the files of the data folder, and tables on a server, whose bytes match. */
  places(isIt: (bytes: Buffer) => boolean): Promise<string[]>
}

/** The search index, and the tables that nodes change every second. */
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
 * Returns a file's bytes; nothing for a folder or a file that is deleted meanwhile, such as the
 * copies of a backup.
 */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

/** @property tables SQL that selects the names of tables */
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
 * Tables with the nodes' leases. They must stay writable, because leases are renewed in real time,
 * not by the test's clock.
 */
const OF_NODES = ['nodes', 'sender_leases', 'table_versions']

function diskOfPostgres(home: string): Engine {
  const types: pg.CustomTypesConfig = {
    // The driver returns 64-bit integers as text, because they may exceed a JavaScript number.
    getTypeParser: (id: number) => (id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id)),
  }
  async function ask<Row extends object>(...statements: string[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: await databaseOf(home), types })
    await client.connect()
    try {
      let rows: Row[] = []
      // One statement at a time: together they would lock every table while they wait for one that
      // the
      // program has locked.
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
  // The server's own error for a full disk.
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
