import { uptime } from 'node:os'

/** The only source of time. Times are milliseconds since 1970, in UTC. */
export interface Clock {
  now(): number
  /**
   * Milliseconds since some moment, for durations in memory: it never jumps, and stands still while
   * the PC sleeps.
   */
  elapsed(): number
  /** Runs fn once after ms; returns a function that cancels. */
  after(ms: number, fn: () => void): () => void
}

/** The clock of the PC, which its owner, or a time server, may set. */
export interface SystemClock extends Clock {
  /**
   * Milliseconds since the PC was started, with the time that it slept; in steps of up to a second.
   */
  uptime(): number
}

// setTimeout fires at once for anything longer than this.
const LONGEST_TIMER = 2 ** 31 - 1

export const systemClock: SystemClock = {
  now: Date.now,
  elapsed: () => performance.now(),
  uptime: () => uptime() * 1000,
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(ms, 0), LONGEST_TIMER))
    return () => clearTimeout(timer)
  },
}

export const isoTime = (ms: number): string => new Date(ms).toISOString()
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))
