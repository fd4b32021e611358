import { createBoundedMap } from './bounded-map.ts'
import { MINUTE, SECOND } from './clock.ts'

/** Returns how long to wait, in milliseconds, after so many units: bytes or calls. */
export type Pace = (units: number) => number

export interface Paces<K> {
  after(caller: K, units: number): number
  /** Counts the event loop time that a body took (ms), because a few bytes can cause much work. */
  worked(caller: K, ms: number): void
}

/**
 * Share of the event loop that a caller gets for such work: work of `ms` counts as the units of `ms
 * / WORK_SHARE`.
 */
const WORK_SHARE = 0.25
/** Work that is not counted (ms): a usual body takes this long. */
const USUAL_WORK = 1

// Callers that are remembered; a new one replaces the one that was quiet longest.
const MOST_PACED = 1_000
// Longest pause of a caller, however much it sent.
const LONGEST_PAUSE = 10 * SECOND

/**
 * Limits how quickly each caller may go on: units above `atOnce` wait until they fit into
 * `perSecond`.
 * @param perSecond units
 * @param atOnce units
 * @param elapsed milliseconds since some moment, in real time like the timers that follow from the
 *   result
 */
export function createPaces<K>(
  { perSecond, atOnce }: { perSecond: number; atOnce: number },
  elapsed = () => performance.now(),
): Paces<K> {
  const taken = createBoundedMap<K, { units: number; at: number }>(MOST_PACED)

  function after(caller: K, units: number): number {
    const at = elapsed()
    const before = taken.get(caller)
    const left = before === undefined ? 0 : before.units - ((at - before.at) / SECOND) * perSecond
    const sum = Math.min(Math.max(0, left) + units, atOnce + (LONGEST_PAUSE / SECOND) * perSecond)
    taken.set(caller, { units: sum, at })
    return (Math.max(0, sum - atOnce) / perSecond) * SECOND
  }

  return {
    after,
    worked(caller, ms) {
      if (ms > USUAL_WORK) after(caller, ((ms / SECOND) * perSecond) / WORK_SHARE)
    },
  }
}

interface RateWindows<K> {
  /**
   * Counts one call. Returns the seconds to wait if there were more than `most` calls in this
   * minute, or null.
   */
  count(key: K, most: number): number | null
}

/**
 * Counts calls per minute and key. A minute begins with the first call after the previous minute
 * ended.
 * @param elapsed milliseconds, without jumps when the PC's clock is set
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
