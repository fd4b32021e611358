import type { Clock } from './clock.ts'
import { MINUTE } from './time.ts'

export interface Waker {
  /** Until a time (null: for ever), or a wake; one that came before the sleep counts. */
  sleep(until: number | null): Promise<void>
  wake(): void
}

// After so long the clock is looked at: timers stop while the PC is suspended, and its clock may be
// set.
const LONGEST_NAP = MINUTE

export function createWaker(clock: Clock): Waker {
  let woken = false
  let rise: (() => void) | undefined

  function wake(): void {
    woken = true
    rise?.()
  }

  async function nap(ms: number | null): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = ms === null ? () => {} : clock.after(ms, resolve)
      rise = () => {
        cancel()
        resolve()
      }
    })
    rise = undefined
  }

  return {
    wake,
    async sleep(until) {
      for (let before = clock.now(); !woken; before = clock.now()) {
        await nap(until === null ? null : Math.min(until - before, LONGEST_NAP))
        // Only a clock that was set back makes the time itself doubtful.
        if (until === null || clock.now() >= until || clock.now() < before) break
      }
      woken = false
    },
  }
}
