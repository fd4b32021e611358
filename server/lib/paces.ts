import { createBoundedMap } from './bounded-map.ts'
import { MINUTE, SECOND } from './clock.ts'

/** How long to wait after so many units, of bytes or of calls. Milliseconds. */
export type Pace = (units: number) => number

export interface Paces<K> {
  after(caller: K, units: number): number
  /** Counts what a body took of the event loop (ms): a few bytes can make much work. */
  worked(caller: K, ms: number): void
}

/**
 * As many units as a millisecond of work counts: a caller that makes nothing else has a quarter of
 * the event loop.
 */
const WORK_SHARE = 0.25
/** Work of a usual body (ms). */
const USUAL_WORK = 1

// Callers that are counted; the one that was quiet longest is forgotten for the next.
const MOST_PACED = 1_000
// A caller that sent far too much may go on after this time.
const LONGEST_PAUSE = 10 * SECOND

/**
 * How quickly each caller may go on: what is above `atOnce` waits until it fits into `perSecond`.
 * @param perSecond units
 * @param atOnce units
 * @param elapsed milliseconds since some moment; real ones, as of the timers that follow from them
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
