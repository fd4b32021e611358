import type { Pool } from './pool.ts'

const WAITED_FOR = 2_000
const ASKED_EVERY = 20

/**
 * Waits until every transaction has ended that was open at the call; false where one takes long. Each has its number from its
 * beginning (transactions.ts), so all of them have lower ones than the next that is given.
 */
export async function afterOpenWrites(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ next: string }>('SELECT pg_current_xact_id()::text AS next')
  for (const until = Date.now() + WAITED_FOR; Date.now() < until; ) {
    const { rows: answer } = await pool.query<{ ended: boolean }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 AS ended',
      [rows[0]?.next],
    )
    if (answer[0]?.ended) return true
    await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY))
  }
  return false
}
