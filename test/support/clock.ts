import type { SystemClock } from '../../server/lib/clock.ts'
import { turn } from './engine.ts'

interface Timer {
  due: number
  ms: number
  fn: () => void
}

export interface TestClock extends SystemClock {
  /** Moves time on. Runs due timers in order and lets promises settle between them. */
  advance(ms: number): Promise<void>
  /** The correct time, which `jump` does not change. */
  trueTime(): number
  /** Sets the wall clock; timers keep their remaining time. */
  jump(ms: number): void
  /** The PC sleeps: time passes, but timers do not. */
  sleep(ms: number): void
  /**
   * Resolves as soon as a timer of exactly `ms` is waiting, so the code under test has got there.
   */
  scheduled(ms: number): Promise<void>
  /** Resolves when the next timer of exactly `ms` is set, regardless of waiting ones. */
  rescheduled(ms: number): Promise<void>
}

export function createTestClock(start = Date.UTC(2026, 10, 21, 8)): TestClock {
  let now = start
  let elapsed = 0
  let asleep = 0
  const timers = new Set<Timer>()
  const watchers = new Set<{ ms: number; resolve: () => void }>()

  // Returns the earliest timer; of equal ones the one set first. Scans without sorting, because
  // some
  // tests run a million timers over months.
  function nextDue(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers) if (timer.due <= until && (next === undefined || timer.due < next.due)) next = timer
    return next
  }

  function passTo(time: number): void {
    elapsed += Math.max(0, time - now)
    now = Math.max(now, time)
  }

  function jump(ms: number): void {
    now += ms
    for (const timer of timers) timer.due += ms
  }

  const nextSet = (ms: number): Promise<void> => new Promise((resolve) => watchers.add({ ms, resolve }))

  return {
    now: () => now,
    // Fractional like performance.now().
    elapsed: () => elapsed + ((elapsed * 0.6180339) % 1),
    uptime: () => elapsed + asleep,
    trueTime: () => start + elapsed + asleep,
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
        passTo(timer.due)
        timer.fn()
        await turn()
      }
      passTo(end)
    },
    jump,
    sleep(ms) {
      asleep += ms
      jump(ms)
    },
    scheduled: (ms) => ([...timers].some((timer) => timer.ms === ms) ? Promise.resolve() : nextSet(ms)),
    rescheduled: nextSet,
  }
}
