import { uptime } from 'node:os'

/** All durations in this program are in milliseconds, unless a name says otherwise. */
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The only source of time. Times are milliseconds since 1970, in UTC. */
export interface Clock {
  now(): number
  /**
   * Milliseconds since some moment, for durations in memory. Never jumps, and stands still while
   * the PC sleeps.
   */
  elapsed(): number
  /** Runs fn once after ms; returns a function that cancels. */
  after(ms: number, fn: () => void): () => void
}

/** The clock of the PC, which the owner or a time server may set. */
export interface SystemClock extends Clock {
  /** Milliseconds since the PC was started, including sleep. Steps may be as coarse as a second. */
  uptime(): number
}

// setTimeout fires at once for a longer duration.
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

/**
 * The steady clock follows smaller steps of the PC's clock at once, but never goes back. Must
 * exceed one second, because some systems count `uptime` in whole seconds.
 */
export const SMALLEST_JUMP = 5 * SECOND
// Slow corrections by a time server must not add up to a jump, so the marks are renewed this often.
const MARKED_EVERY = MINUTE

export interface SteadyClock extends Clock {
  /**
   * How far the PC's clock is ahead of `now`, in milliseconds; negative if it is behind, 0 if both
   * agree.
   */
  ahead(): number
  /**
   * Switches to the PC's clock. The caller has already moved all stored times by the difference.
   */
  follow(): void
  /** Moves this clock by `by` milliseconds; the PC's clock stays as it is. */
  correct(by: number): void
  /** Calls `listener` after the PC's clock was set. Returns a function that unsubscribes. */
  onSet(listener: () => void): () => void
}

/**
 * Creates a clock that does not jump when the PC's clock is set: it keeps its own time until
 * `follow`, so that all stored times can be moved first. Sleep of the PC is no jump, because that
 * time has really passed.
 */
export function createSteadyClock(system: SystemClock): SteadyClock {
  const listeners = new Set<() => void>()
  /** Milliseconds by which the system's clock is ahead of this one. */
  let offset = 0
  let mark = markAt(system.now())
  let latest = mark.now

  function markAt(now: number) {
    return { now, elapsed: system.elapsed(), uptime: system.uptime() }
  }

  /**
   * Finds out why the system's clock differs from the time that passed: the PC slept, or its clock
   * was set.
   */
  function explain(difference: number, passed: number): void {
    const asleep = Math.max(0, system.uptime() - mark.uptime - passed)
    // Stored times are whole milliseconds; `elapsed` has fractions.
    const set = Math.round(difference - asleep)
    if (Math.abs(set) < SMALLEST_JUMP) return
    offset += set
    if (Math.abs(offset) < SMALLEST_JUMP) offset = 0
    else queueMicrotask(() => listeners.forEach((listener) => void listener()))
  }

  function now(): number {
    const wall = system.now()
    const passed = system.elapsed() - mark.elapsed
    const difference = wall - offset - mark.now - passed
    const isStrange = Math.abs(difference) >= SMALLEST_JUMP
    if (isStrange) explain(difference, passed)
    latest = Math.max(latest, wall - offset)
    if (isStrange || passed >= MARKED_EVERY) mark = markAt(latest)
    return latest
  }

  return {
    now,
    elapsed: system.elapsed,
    after: system.after,
    ahead() {
      now()
      return offset
    },
    follow() {
      offset = 0
      latest = system.now()
      mark = markAt(latest)
    },
    correct(by) {
      now()
      offset -= by
      latest += by
      mark = markAt(latest)
    },
    onSet(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
