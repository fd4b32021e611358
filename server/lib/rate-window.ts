import { createBoundedMap } from './bounded-map.ts'
import { MINUTE } from './time.ts'

export interface RateWindows<K> {
  /** Counts one call. Returns the seconds to wait beyond `most` in this minute, or null. */
  count(key: K, most: number): number | null
}

/**
 * Calls per minute, by key. A minute begins with the first call after the last one ended.
 * @param elapsed a time that does not jump when the PC's clock is set
 */
export function createRateWindows<K>(elapsed: () => number, mostKeys = 10_000): RateWindows<K> {
  const windows = createBoundedMap<K, { since: number; calls: number }>(mostKeys)
  return {
    count(key, most) {
      const at = elapsed()
      const open = windows.get(key)
      const window = open !== undefined && at - open.since < MINUTE ? open : { since: at, calls: 0 }
      window.calls += 1
      windows.set(key, window)
      return window.calls > most ? Math.ceil((window.since + MINUTE - at) / 1000) : null
    },
  }
}
