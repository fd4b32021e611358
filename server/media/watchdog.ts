import type { Clock } from '../lib/clock.ts'

/** Ends a transfer that takes too long as a whole, or in which nothing has moved for a while. */
export interface Watchdog {
  /** Aborted with a WentSilent when time is up, or with the reason of the outer signal. */
  signal: AbortSignal
  /** Something has moved. */
  touch(): void
  stop(): void
}

export class WentSilent extends Error {
  override readonly name = 'WentSilent'
}

export const IDLE_MS = 30_000
// 100 MB over a shop's 2 Mbit/s line take 7 minutes.
export const TOTAL_MS = 600_000

export function startWatchdog(clock: Clock, outer: AbortSignal): Watchdog {
  const own = new AbortController()
  const watchIdle = (): (() => void) =>
    clock.after(IDLE_MS, () => own.abort(new WentSilent(`nothing came for ${IDLE_MS / 1000} seconds`)))
  const cancelTotal = clock.after(TOTAL_MS, () =>
    own.abort(new WentSilent(`not complete after ${TOTAL_MS / 60_000} minutes`)),
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
