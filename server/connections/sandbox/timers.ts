import type { Clock } from '../../lib/clock.ts'

const BETWEEN_REPORTS = 300

/** Timers of a sandbox: what is still to happen in it. */
export function createTimers(clock: Clock) {
  const timers = new Set<() => void>()

  function after(ms: number, fn: () => void): void {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel)
      fn()
    })
    timers.add(cancel)
  }

  /** One after the other: timers of different lengths change places when the PC is busy. */
  function inTurn<T>(
    [next, ...rest]: readonly T[],
    report: (one: T) => Promise<void>,
    written = Promise.resolve(),
  ): void {
    if (next === undefined) return
    after(BETWEEN_REPORTS, () => {
      const done = written.then(() => report(next))
      inTurn(rest, report, done)
    })
  }

  return {
    after,
    inTurn,
    stop(): void {
      for (const cancel of timers) cancel()
      timers.clear()
    },
  }
}
