import type pg from 'pg'
import { StorageError } from '../../lib/storage-error.ts'
import { MOVED_TO, movedError, readMove } from '../move.ts'
import { isLost } from './errors.ts'
import { APPLICATION, type Connection, type Pool } from './pool.ts'

const ENDED_WITHIN = 5_000

interface Found {
  version: number
  moved: string | null
}

/**
 * The first question of each new connection of a node. A node that was frozen or cut off does not
 * know that others brought the database to a newer version meanwhile, or moved everything away.
 * @param newest the version of the schema that this program knows
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
 * Inside a transaction, before its commit: ends the connections of all nodes, with what they had
 * begun. Connections that are made from here on wait for the commit, and ask then.
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
 * True if the server can do this: not all that speak PostgreSQL's protocol can do more than
 * ordinary SQL.
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
 * LISTEN, prepared statements and time limits belong to a connection: a pooler that gives it to
 * somebody else between two transactions takes them away, here and there, without a word. The four
 * questions tell it from sessions whether it gives away first what it got back last or first.
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
