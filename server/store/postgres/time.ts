import { MINUTE } from '../../lib/time.ts'
import type { ClockSet, TimeStore } from '../time.ts'
import { asStorageError } from './errors.ts'
import type { Pool } from './pool.ts'

/** All nodes go by the clock of the database: where that of one is set, nothing that is stored moves. */
export function createTime(pool: Pool, place: string): TimeStore {
  let lastSet: ClockSet | null = null
  return {
    async shared() {
      try {
        const { rows } = await pool.query<{ now: number }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
        return Math.round(rows[0]?.now ?? Number.NaN)
      } catch (error) {
        throw asStorageError(error, place)
      }
    },
    newest: async () => 0,
    mark: async () => {},
    async move(by, at, moved) {
      moved()
      if (Math.abs(by) > MINUTE) lastSet = { at, by }
    },
    lastSet: () => lastSet,
  }
}
