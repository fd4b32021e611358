import { StorageError } from '../../lib/storage-error.ts'
import type { Migration } from '../sqlite/migrate.ts'
import { migrations } from '../sqlite/migrations/index.ts'
import { endConnections } from './admission.ts'
import { isConflict, isLockTimeout } from './errors.ts'
import { GONE_SINCE } from './leases.ts'
import { type Connection, createPool } from './pool.ts'
import { BASELINE } from './schema.ts'

/** SQLite compares text by its bytes; so does this, whatever the language of the server. */
const byBytes = (sql: string): string => sql.replace(/\bTEXT\b(?! COLLATE)/g, 'TEXT COLLATE "C"')

// What waits to change a table keeps everybody else from it, and may wait for who waits for another table of it. So nothing is waited
// for long, and tried often: nodes hold tables for milliseconds. A reader that takes long, such as a backup, keeps it back.
const LOCKED_WITHIN = 100
const TRIED_FOR = 3_000
const AGAIN_AFTER = 50

const newestOf = (list: readonly Migration[]): number => list.at(-1)?.version ?? 0

/** The newest version that this program knows. */
export const NEWEST = newestOf(migrations)

/**
 * Brings the database up to date; nodes that start at the same moment do it one after the other. Those that run go on meanwhile: a change
 * that they cannot live with (`needs`) waits until they are gone.
 * @throws StorageError `newer`, `older_nodes`, `locked`: nothing was changed
 * @returns its version, which may be newer than this program's
 */
export async function migrate(url: string, place: string, list: readonly Migration[] = migrations): Promise<number> {
  // A large table takes its time, and so does another node that is at it.
  const pool = createPool({ url, connections: 1, answerWithin: 0 })
  try {
    for (const until = Date.now() + TRIED_FOR; ; ) {
      try {
        return await migrateOn(await pool.connect(), place, list)
      } catch (error) {
        // Of two that make the first table at the same moment one is refused, when the other one is through.
        if (!isLockTimeout(error) && !isConflict(error)) throw error
        if (Date.now() > until) throw isLockTimeout(error) ? new StorageError('locked', place, error) : error
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER))
      }
    }
  } finally {
    await pool.end()
  }
}

interface Done {
  version: number
  needs: number | null
}

async function migrateOn(connection: Connection, place: string, list: readonly Migration[]): Promise<number> {
  try {
    await connection.query('BEGIN')
    await connection.query(
      'CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, needs BIGINT NOT NULL DEFAULT 0)',
    )
    // Not from reading, which every new connection of a node does.
    await connection.query('LOCK TABLE schema_versions IN EXCLUSIVE MODE')
    await connection.query(`SET LOCAL lock_timeout = ${LOCKED_WITHIN}`)
    // Before version 15 it had one column.
    const { rows: done } = await connection.query<Done>(
      `SELECT version, (to_jsonb(v) ->> 'needs')::bigint AS needs FROM schema_versions v`,
    )
    if (done.some(({ needs }) => needs === null))
      await connection.query('ALTER TABLE schema_versions ADD COLUMN needs BIGINT NOT NULL DEFAULT 0')
    const newest = newestOf(list)
    if (done.some(({ version, needs }) => (needs === null ? version : needs) > newest))
      throw new StorageError('newer', place)
    const isNew = done.length === 0
    const pending = list.filter(
      ({ version }) => version > BASELINE.version && !done.some((each) => each.version === version),
    )
    const needs = Math.max(0, ...pending.map((migration) => migration.needs ?? 0))
    if (needs > 0 && !isNew) await endOlder(connection, needs, place)
    if (isNew) await apply(connection, { ...BASELINE, postgres: BASELINE.sql })
    for (const migration of pending) await apply(connection, migration)
    await connection.query('COMMIT')
    return Math.max(newest, ...done.map(({ version }) => version))
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    connection.release()
  }
}

/** @throws StorageError `older_nodes`: they run */
async function endOlder(connection: Connection, needs: number, place: string): Promise<void> {
  // The column comes with version 15.
  const { rows } = await connection.query<{ name: string }>(
    `SELECT name FROM nodes n WHERE seen_at > ${GONE_SINCE} AND coalesce((to_jsonb(n) ->> 'schema')::bigint, 0) < $1 ORDER BY name`,
    [needs],
  )
  if (rows.length > 0) throw new StorageError('older_nodes', `${rows.map(({ name }) => name).join(', ')}; ${place}`)
  await endConnections(connection)
}

async function apply(connection: Connection, { version, postgres, needs = 0 }: Migration): Promise<void> {
  if (postgres === undefined) throw new Error(`migration ${version} has no text for PostgreSQL`)
  await connection.query(byBytes(postgres))
  await connection.query('INSERT INTO schema_versions (version, needs) VALUES ($1, $2)', [version, needs])
}
