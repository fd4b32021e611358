import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { TestApp } from './app.ts'

/** How many rows a table of the running program has. */
export function rowsIn(app: TestApp, table: string): number {
  const db = new Database(join(app.home, 'kurir.db'), { readonly: true })
  const { n } = db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get() ?? { n: -1 }
  db.close()
  return n
}
