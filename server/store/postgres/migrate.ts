import { StorageError } from '../../lib/storage-error.ts'
import type { Migration } from '../statements.ts'
import { endConnections } from './admission.ts'
import { isConflict, isLockTimeout } from './errors.ts'
import { APPLICATION, type Connection, createPool, type Pool } from './pool.ts'
import { migrations } from './schema.ts'

/** SQLite compares text by its bytes; so does this, whatever the language of the server. */
const byBytes = (sql: string): string => sql.replace(/\bTEXT\b(?! COLLATE)/g, 'TEXT COLLATE "C"')

// Milliseconds. A reader that takes long, such as a backup, holds every table.
const LOCKED_WITHIN = 3_000

const newestOf = (list: readonly Migration[]): number => list.at(-1)?.version ?? 0

/** The newest version that this program knows. */
export const NEWEST = newestOf(migrations)

/**
 * Brings the database up to date. Nodes that start at the same moment do it one after the other.
 * Nodes of an older version that still run lose their connections, and get no new ones
 * (admission.ts).
 * @throws StorageError `newer`, `development`, `locked`: nothing was changed
 */
export async function migrate(url: string, place: string, list: readonly Migration[] = migrations): Promise<void> {
  // A large table takes its time, and so does another node that migrates. It ends connections of
  // running nodes only, and knows them by their name.
  const pool = createPool({ url, connections: 1, answerWithin: 0, name: `${APPLICATION} start` })
  try {
    await migrateOn(pool, place, list).catch((error) => {
      // Two nodes may make the first table at the same moment: the server refuses one, after the
      // other has committed.
      if (!isConflict(error)) throw error
      return migrateOn(pool, place, list)
    })
  } catch (error) {
    throw isLockTimeout(error) ? new StorageError('locked', place, error) : error
  } finally {
    await pool.end()
  }
}

async function migrateOn(pool: Pool, place: string, list: readonly Migration[]): Promise<void> {
  const connection = await pool.connect()
  try {
    await connection.query('BEGIN')
    await connection.query('CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY)')
    // Not from reading, which every new connection of a node does.
    await connection.query('LOCK TABLE schema_versions IN EXCLUSIVE MODE')
    await connection.query(`SET LOCAL lock_timeout = ${LOCKED_WITHIN}`)
    await applyPending(connection, place, list)
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    connection.release()
  }
}

async function applyPending(connection: Connection, place: string, list: readonly Migration[]): Promise<void> {
  const { rows } = await connection.query<{ version: number }>('SELECT version FROM schema_versions')
  const done = rows.map(({ version }) => version)
  // Development versions before the first release began with another number.
  if (done.length > 0 && !done.includes(1)) throw new StorageError('development', place)
  if (done.some((version) => version > newestOf(list))) throw new StorageError('newer', place)
  const pending = list.filter(({ version }) => !done.includes(version))
  if (done.length > 0 && pending.length > 0) await endConnections(connection)
  for (const { version, sql } of pending) {
    await connection.query(byBytes(sql))
    await connection.query('INSERT INTO schema_versions (version) VALUES ($1)', [version])
  }
}
