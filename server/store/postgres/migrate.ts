import { StorageError } from '../../lib/storage-error.ts'
import type { Migration } from '../sqlite/migrate.ts'
import { migrations } from '../sqlite/migrations/index.ts'
import { isConflict } from './errors.ts'
import { type Connection, createPool } from './pool.ts'
import { BASELINE } from './schema.ts'

/** SQLite compares text by its bytes; so does this, whatever the language of the server. */
const byBytes = (sql: string): string => sql.replace(/\bTEXT\b(?! COLLATE)/g, 'TEXT COLLATE "C"')

const newest = migrations.at(-1)?.version ?? 0

/** Brings the database up to date. Nodes that start at the same moment wait for each other. @throws StorageError `newer` */
export async function migrate(url: string, place: string): Promise<void> {
  // A large table takes its time, and so does another node that is at it.
  const pool = createPool({ url, connections: 1, answerWithin: 0 })
  try {
    await migrateOn(await pool.connect(), place).catch(async (error: unknown) => {
      // Of two that make the first table at the same moment one is refused, when the other one is through.
      if (!isConflict(error)) throw error
      await migrateOn(await pool.connect(), place)
    })
  } finally {
    await pool.end()
  }
}

async function migrateOn(connection: Connection, place: string): Promise<void> {
  try {
    await connection.query('BEGIN')
    await connection.query('CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY)')
    await connection.query('LOCK TABLE schema_versions IN ACCESS EXCLUSIVE MODE')
    const { rows } = await connection.query<{ version: number }>('SELECT version FROM schema_versions')
    const done = new Set(rows.map(({ version }) => version))
    if (Math.max(0, ...done) > newest) throw new StorageError('newer', place)
    if (done.size === 0) await apply(connection, BASELINE)
    for (const { version, postgres } of migrations as readonly Migration[]) {
      if (version <= BASELINE.version || done.has(version)) continue
      if (postgres === undefined) throw new Error(`migration ${version} has no text for PostgreSQL`)
      await apply(connection, { version, sql: postgres })
    }
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    connection.release()
  }
}

async function apply(connection: Connection, { version, sql }: { version: number; sql: string }): Promise<void> {
  await connection.query(byBytes(sql))
  await connection.query('INSERT INTO schema_versions (version) VALUES ($1)', [version])
}
