import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import type { TestApp } from './app.ts'
import { databaseOf, isShared } from './engine.ts'

/** How many rows a table of the running program has. */
export async function rowsIn(app: TestApp, table: string): Promise<number> {
  const sql = `SELECT count(*) AS n FROM ${table}`
  if (isShared) {
    const client = new pg.Client({ connectionString: await databaseOf(app.home) })
    await client.connect()
    const { rows } = await client.query<{ n: string }>(sql)
    await client.end()
    return Number(rows[0]?.n)
  }
  const db = new Database(join(app.home, 'kurir.db'), { readonly: true })
  const { n } = db.prepare<[], { n: number }>(sql).get() ?? { n: -1 }
  db.close()
  return n
}
