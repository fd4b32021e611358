import { MINUTE } from '../../lib/clock.ts'
import type { ClockSet, TimeStore } from '../time.ts'
import { orStorageError } from './errors.ts'
import type { Pool } from './pool.ts'

/**
 * All nodes use the database's clock, so no stored time moves when the clock of one node is set.
 */
export function createTime(pool: Pool, place: string): TimeStore {
  let lastSet: ClockSet | null = null
  return {
    async shared() {
      const asked = pool.query<{ now: number }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
      const { rows } = await orStorageError(asked, place)
      return Math.round(rows[0]?.now ?? Number.NaN)
    },
    async move({ before, by }, moved) {
      moved()
      if (Math.abs(by) > MINUTE) lastSet = { at: before + by, by }
    },
    lastSet: () => lastSet,
  }
}
