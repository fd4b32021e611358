import type pg from 'pg'
import { MOVED_BY, MOVED_TO, type Move, PAUSE_WAITING, readMove } from '../move.ts'
import { endConnections } from './migrate.ts'
import type { Connection } from './pool.ts'

/** A pool, or one connection. */
interface Server {
  query<Row extends pg.QueryResultRow>(sql: string, values: unknown[]): Promise<{ rows: Row[] }>
}

async function metaOf(server: Server, name: string): Promise<string | undefined> {
  const { rows } = await server.query<{ value: string }>('SELECT value FROM meta WHERE name = $1', [name])
  return rows[0]?.value
}

const put = (connection: Connection, name: string, value: string) =>
  connection.query(
    'INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [name, value],
  )

/** Returns the move that left this database; undefined: it was not left. */
export const moveOf = async (server: Server): Promise<Move | undefined> => readMove(await metaOf(server, MOVED_TO))

/** Returns the id of the move that filled this database. */
export const cameBy = (server: Server): Promise<string | undefined> => metaOf(server, MOVED_BY)

export const noteArrival = (connection: Connection, { id }: Move) => put(connection, MOVED_BY, id)

async function tablesOf(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    'SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename',
  )
  return rows.map(({ name }) => name)
}

/**
 * Begins a transaction that sees everything written before. Meanwhile nobody else writes, and a
 * node that starts waits.
 * @throws if another transaction does not end within half a minute
 */
export async function beginAlone(connection: Connection): Promise<void> {
  const tables = await tablesOf(connection)
  await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '30s'")
  await connection.query(`LOCK TABLE ${tables.join(', ')} IN SHARE ROW EXCLUSIVE MODE`)
}

/**
 * Marks the database as left, inside a transaction: after its commit nothing is written here. A
 * node that was cut off or stood still meanwhile does not know this, so its open work is ended, and
 * its next connection is refused.
 */
export async function markMoved(connection: Connection, move: Move): Promise<void> {
  await put(connection, MOVED_TO, JSON.stringify(move))
  await endConnections(connection)
}

/** Removes the mark, inside a transaction, and pauses senders with waiting messages. */
export async function unmarkMoved(connection: Connection): Promise<void> {
  await connection.query('DELETE FROM meta WHERE name = $1', [MOVED_TO])
  await connection.query(PAUSE_WAITING)
  // Makes a node that still runs read everything again.
  await connection.query('UPDATE table_versions SET version = version + 1')
}
