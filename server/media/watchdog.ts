import { type Clock, MINUTE, SECOND } from '../lib/clock.ts'

/** Ends a transfer that takes too long as a whole, or in which nothing has moved for a while. */
export interface Watchdog {
  /** Aborted with a MediaTimeout when time is up, or with the reason of the outer signal. */
  signal: AbortSignal
  /** Something has moved. */
  touch(): void
  stop(): void
}

export class MediaTimeout extends Error {
  override readonly name = 'MediaTimeout'
}

export const MOST_IDLE = 30 * SECOND
// 100 MB over a shop's 2 Mbit/s line take 7 minutes.
export const MOST_TOTAL = 10 * MINUTE

export function startWatchdog(clock: Clock, outer: AbortSignal, mostIdle = MOST_IDLE): Watchdog {
  const own = new AbortController()
  const watchIdle = (): (() => void) =>
    clock.after(mostIdle, () => own.abort(new MediaTimeout(`nothing came for ${mostIdle / SECOND} seconds`)))
  const cancelTotal = clock.after(MOST_TOTAL, () =>
    own.abort(new MediaTimeout(`not complete after ${MOST_TOTAL / MINUTE} minutes`)),
  )
  let cancelIdle = watchIdle()
  return {
    signal: AbortSignal.any([own.signal, outer]),
    touch() {
      cancelIdle()
      cancelIdle = watchIdle()
    },
    stop() {
      cancelIdle()
      cancelTotal()
    },
  }
}
