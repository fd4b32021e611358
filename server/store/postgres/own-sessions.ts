import { randomUUID } from 'node:crypto'
import { StorageError } from '../../lib/storage-error.ts'
import type { Connection, Pool } from './pool.ts'

const NAME = 'kurir.session'
const SAID = `SELECT current_setting('${NAME}', true) AS said`

const saidTo = async (connection: Connection): Promise<string | null> =>
  (await connection.query<{ said: string | null }>(SAID)).rows[0]?.said ?? null

/**
 * LISTEN, prepared statements and time limits belong to a connection: a pooler that gives it to
 * somebody else between two transactions takes them away, here and there, without a word.
 * @throws StorageError `pooled`
 */
export async function assertOwnSessions(pool: Pool, place: string): Promise<void> {
  const id = randomUUID()
  const mine = await pool.connect()
  const other = await pool.connect()
  try {
    // Whatever was said when they were made is over: a pooler gives away first what it got back
    // last.
    await Promise.all([saidTo(mine), saidTo(other)])
    await mine.query(`SELECT set_config('${NAME}', $1, false)`, [id])
    await other.query('BEGIN')
    const isShared = (await saidTo(other)) === id || (await saidTo(mine)) !== id
    await other.query('ROLLBACK')
    if (isShared) throw new StorageError('pooled', place)
  } finally {
    mine.release()
    other.release()
  }
}
