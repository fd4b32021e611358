import type { SystemClock } from '../../server/lib/clock.ts'

export interface TrackedClock {
  clock: SystemClock
  /** Returns the delays, in milliseconds, of timers that have neither run nor been cancelled. */
  waiting(): number[]
}

/** Wraps a clock and counts its open timers, because a closed program must leave none. */
export function trackTimers(inner: SystemClock): TrackedClock {
  const timers = new Set<{ ms: number }>()
  return {
    clock: {
      now: inner.now,
      elapsed: inner.elapsed,
      uptime: inner.uptime,
      after(ms, fn) {
        const timer = { ms }
        timers.add(timer)
        const cancel = inner.after(ms, () => {
          timers.delete(timer)
          fn()
        })
        return () => {
          timers.delete(timer)
          cancel()
        }
      },
    },
    waiting: () => [...timers].map((timer) => timer.ms),
  }
}
