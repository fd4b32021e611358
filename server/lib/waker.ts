import type { Clock } from './clock.ts'
import { MINUTE } from './time.ts'

export interface Waker {
  /** Until a time at most (null: for ever), or until a wake; one that came before the sleep counts. */
  sleep(until: number | null): Promise<void>
  wake(): void
}

// Upper bound per sleep: timers stop while the PC is suspended, and its clock may be set.
const LONGEST_NAP = MINUTE

export function createWaker(clock: Clock): Waker {
  let woken = false
  let rise: (() => void) | undefined

  function wake(): void {
    woken = true
    rise?.()
  }

  return {
    wake,
    async sleep(until) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const cancel = until === null ? () => {} : clock.after(Math.min(until - clock.now(), LONGEST_NAP), wake)
          rise = () => {
            cancel()
            resolve()
          }
        })
        rise = undefined
      }
      woken = false
    },
  }
}
