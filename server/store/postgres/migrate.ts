import type pg from 'pg'
import { StorageError } from '../../lib/storage-error.ts'
import { MOVED_TO, movedError, readMove } from '../move.ts'
import type { Migration } from '../statements.ts'
import { isConflict, isLockTimeout, isLost } from './errors.ts'
import { APPLICATION, type Connection, createPool, type Pool } from './pool.ts'
import { migrations } from './schema.ts'

const ENDED_WITHIN = 5_000

interface Found {
  version: number
  moved: string | null
}

/**
 * Returns the check of each new connection of a node. A node that was frozen or cut off does not
 * know that others migrated the database to a newer version meanwhile, or moved everything away.
 * @param newest schema version that this program knows
 * @throws StorageError `newer`, `moved`, `moving`
 */
export const createAdmission =
  (place: string, newest: number) =>
  async (client: pg.ClientBase): Promise<void> => {
    const { rows } = await client.query<Found>(
      `SELECT max(version)::integer AS version, (SELECT value FROM meta WHERE name = '${MOVED_TO}') AS moved FROM schema_versions`,
    )
    const [{ version, moved }] = rows as [Found]
    if (version > newest) throw new StorageError('newer', place)
    const move = readMove(moved ?? undefined)
    if (move !== undefined) throw movedError(move, place)
  }

/**
 * Ends the connections of all nodes with their open work, inside a transaction before its commit.
 * New connections wait for the commit before their check.
 */
export async function endConnections(connection: Connection): Promise<void> {
  await connection.query('LOCK TABLE schema_versions IN ACCESS EXCLUSIVE MODE')
  await connection.query(
    `SELECT pg_terminate_backend(pid, ${ENDED_WITHIN}) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND application_name = $1 AND pid <> pg_backend_pid()`,
    [APPLICATION],
  )
}

/**
 * True if the server can run a statement: not every server that speaks PostgreSQL's protocol
 * supports more than ordinary SQL.
 */
export async function supports(pool: Pool, sql: string): Promise<boolean> {
  try {
    await pool.query(sql)
    return true
  } catch (error) {
    if (isLost(error)) throw error
    return false
  }
}

const processOf = async (connection: Connection): Promise<number | undefined> =>
  (await connection.query<{ process: number }>('SELECT pg_backend_pid() AS process')).rows[0]?.process

/**
 * Refuses a pooler that gives a connection to somebody else between two transactions. LISTEN,
 * prepared statements and time limits belong to a connection, and would get lost now and then
 * without an error. Four queries detect such a pooler, whether it gives out first the connection
 * that came back last or the one that came back first.
 * @throws StorageError `pooled`
 */
export async function assertOwnSessions(pool: Pool, place: string): Promise<void> {
  const mine = await pool.connect()
  const other = await pool.connect()
  try {
    const asked = [mine, other, mine, mine]
    const processes: (number | undefined)[] = []
    for (const connection of asked) processes.push(await processOf(connection))
    const [first, second, ...again] = processes
    if (first === second || again.some((process) => process !== first)) throw new StorageError('pooled', place)
  } finally {
    mine.release()
    other.release()
  }
}

/** Makes text columns compare by bytes, as SQLite does, whatever the language of the server. */
const byBytes = (sql: string): string => sql.replace(/\bTEXT\b(?! COLLATE)/g, 'TEXT COLLATE "C"')

// Milliseconds to wait for locks. A long read, such as a backup, locks every table.
const LOCKED_WITHIN = 3_000

const newestOf = (list: readonly Migration[]): number => list.at(-1)?.version ?? 0

export const NEWEST = newestOf(migrations)

/**
 * Migrates the database. Nodes that start at the same moment do so one after the other. Running
 * nodes of an older version lose their connections, and get no new ones.
 * @throws StorageError `newer`, `development`, `locked`: nothing was changed
 */
export async function migrate(url: string, place: string, list: readonly Migration[] = migrations): Promise<void> {
  // No time limit: a large table takes long, and so does another node that migrates. Another name,
  // because migrating ends the connections of running nodes, which it finds by their name.
  const pool = createPool({ url, connections: 1, answerWithin: 0, name: `${APPLICATION} start` })
  try {
    await migrateOn(pool, place, list).catch((error) => {
      // Two nodes may create the first table at the same moment; the server refuses one of them
      // after the other has committed.
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
    // This lock allows reads, which every new connection of a node makes.
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
