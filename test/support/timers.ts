import type { Clock } from '../../server/lib/clock.ts'

export interface TrackedClock {
  clock: Clock
  /** The waits, in milliseconds, of timers that have neither run nor been cancelled. */
  waiting(): number[]
}

/** A clock whose open timers can be counted: a program that has closed must leave none. */
export function trackTimers(inner: Clock): TrackedClock {
  const timers = new Set<{ ms: number }>()
  return {
    clock: {
      now: inner.now,
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
