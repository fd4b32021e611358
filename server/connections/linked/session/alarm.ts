import type { Clock } from '../../../lib/clock.ts'
import { SECOND } from '../../../lib/time.ts'

/**
 * Rings once, at a time. The wait is counted in time that passes: a clock that is set back
 * meanwhile does not make it longer.
 */
export function createAlarm(clock: Clock, onDue: (now: number) => void) {
  let cancel = (): void => {}

  function wait(at: number, ms: number): void {
    const since = clock.elapsed()
    cancel = clock.after(ms, () => {
      const left = ms - (clock.elapsed() - since)
      // No timer is as long as the longest ban.
      if (left > SECOND && clock.now() < at) wait(at, left)
      else onDue(Math.max(at, clock.now()))
    })
  }

  return {
    /** In place of the time before; null: it does not ring. */
    set(at: number | null): void {
      cancel()
      if (at !== null) wait(at, at - clock.now())
    },
  }
}
