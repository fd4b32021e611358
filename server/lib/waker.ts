import type { Clock } from './clock.ts'

export interface Waker {
  /** Until a time (null: for ever), or until somebody wakes; a wake that came before the sleep counts. */
  sleep(until: number | null): Promise<void>
  wake(): void
}

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
          const cancel = until === null ? () => {} : clock.after(until - clock.now(), wake)
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
