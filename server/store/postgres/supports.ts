import { isLost } from './errors.ts'
import type { Pool } from './pool.ts'

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
