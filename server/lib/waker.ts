import type { Clock } from './clock.ts'

export interface Waker {
  /** Until a time at most (null: for ever), or until somebody wakes; a wake that came before the sleep counts. */
  sleep(until: number | null): Promise<void>
  wake(): void
}

// Timers stand still while the PC sleeps, and its clock may be set: nobody sleeps past the hour by more than this.
const LONGEST_NAP = 60_000

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
