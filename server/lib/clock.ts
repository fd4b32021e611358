/** The only source of time. Times are milliseconds since 1970, in UTC. */
export interface Clock {
  now(): number
  /** Runs fn once after ms; returns a function that cancels. */
  after(ms: number, fn: () => void): () => void
}

// setTimeout fires at once for anything longer than this.
const LONGEST_TIMER = 2 ** 31 - 1

export const systemClock: Clock = {
  now: Date.now,
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(ms, 0), LONGEST_TIMER))
    return () => clearTimeout(timer)
  },
}

export const isoTime = (ms: number): string => new Date(ms).toISOString()
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))
