import type { Clock } from '../../server/lib/clock.ts'
import { turn } from './engine.ts'

interface Timer {
  due: number
  ms: number
  fn: () => void
}

export interface TestClock extends Clock {
  /** Moves time on, running due timers in order and letting promises settle between them. */
  advance(ms: number): Promise<void>
  /** Sets the clock on the wall; timers take as long as they would have taken, as after the PC slept. */
  jump(ms: number): void
  /** Resolves once a timer of exactly `ms` is waiting: the code under test has come to that point. */
  scheduled(ms: number): Promise<void>
  /** Resolves when the next timer of exactly `ms` is set, whichever wait already. */
  rescheduled(ms: number): Promise<void>
}

export function createTestClock(start = Date.UTC(2026, 10, 21, 8)): TestClock {
  let now = start
  const timers = new Set<Timer>()
  const watchers = new Set<{ ms: number; resolve: () => void }>()

  const nextDue = (until: number): Timer | undefined =>
    [...timers].filter((timer) => timer.due <= until).sort((a, b) => a.due - b.due)[0]

  const nextSet = (ms: number): Promise<void> => new Promise((resolve) => watchers.add({ ms, resolve }))

  return {
    now: () => now,
    after(ms, fn) {
      const timer = { due: now + ms, ms, fn }
      timers.add(timer)
      for (const watcher of watchers) {
        if (watcher.ms !== ms) continue
        watchers.delete(watcher)
        watcher.resolve()
      }
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const end = now + ms
      await turn()
      for (let timer = nextDue(end); timer; timer = nextDue(end)) {
        timers.delete(timer)
        now = Math.max(now, timer.due)
        timer.fn()
        await turn()
      }
      now = end
    },
    jump(ms) {
      now += ms
      for (const timer of timers) timer.due += ms
    },
    scheduled: (ms) => ([...timers].some((timer) => timer.ms === ms) ? Promise.resolve() : nextSet(ms)),
    rescheduled: nextSet,
  }
}
