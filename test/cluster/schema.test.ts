import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migrate as migratePostgres } from '../../server/store/postgres/migrate.ts'
import { createPool } from '../../server/store/postgres/pool.ts'
import { openDatabase } from '../../server/store/sqlite/database.ts'
import { migrate } from '../../server/store/sqlite/migrate.ts'
import { migrations, sessionMigrations } from '../../server/store/sqlite/schema.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

const TYPES: Record<string, string> = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' }
/** Of one engine alone: what it indexes words with, what it counts with, what nodes need. */
const OWN =
  /^(sqlite_|messages_words|delivery_counts|schema_versions|table_versions|file_chunks|file_objects|nodes|sender_leases|turns)/
const OWN_COLUMNS = ['webhook_deliveries.claimed_by', 'webhook_deliveries.claimed_until']

/** `table.column` with its type, and whether it may be null. */
type Columns = Map<string, string>

async function ofSqlite(): Promise<Columns> {
  const columns: Columns = new Map()
  for (const list of [migrations, sessionMigrations]) {
    const db = openDatabase(join(temporaryFolder(), 'schema.db'))
    await migrate(db, list)
    const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    for (const { name } of tables.filter((table) => !OWN.test(table.name))) {
      const info = db.pragma(`table_xinfo(${name})`) as { name: string; type: string; notnull: number; pk: number }[]
      for (const column of info) {
        const type = TYPES[column.type.split(' ')[0] ?? ''] ?? column.type
        columns.set(`${name}.${column.name}`, `${type}${column.notnull === 1 || column.pk > 0 ? ' not null' : ''}`)
      }
    }
    db.close()
  }
  return columns
}

async function ofPostgres(): Promise<Columns> {
  const url = await databaseOf(temporaryFolder())
  const pool = createPool({ url, connections: 1 })
  onTestFinished(pool.end)
  await migratePostgres(url, 'test')
  const { rows } = await pool.query<{ table: string; column: string; type: string; nullable: string }>(
    `SELECT table_name AS table, column_name AS column, data_type AS type, is_nullable AS nullable
     FROM information_schema.columns WHERE table_schema = current_schema()`,
  )
  const found = rows.filter(({ table, column }) => !OWN.test(table) && !OWN_COLUMNS.includes(`${table}.${column}`))
  return new Map(
    found.map(({ table, column, type, nullable }) => [
      `${table}.${column}`,
      `${type}${nullable === 'NO' ? ' not null' : ''}`,
    ]),
  )
}

const sorted = (columns: Columns) => [...columns].map(([name, type]) => `${name} ${type}`).toSorted()

test('both engines have the same tables and columns, with the same types', async () => {
  const sqlite = await ofSqlite()
  expect(sqlite.size).toBeGreaterThan(100)
  expect(sorted(await ofPostgres())).toEqual(sorted(sqlite))
})
