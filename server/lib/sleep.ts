import type { Clock } from './clock.ts'
import { SECOND } from './time.ts'

/** Resolves after `ms`; rejects with the signal's reason as soon as that is aborted. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = (): void => {
      cancel()
      reject(signal.reason)
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}

/**
 * Tries until it is done, with a pause after each failure; at least once, and no more when `stop`
 * is aborted. Never rejects.
 * @param onError gets each failure
 */
export async function untilDone(
  work: () => Promise<unknown>,
  {
    clock,
    pauseMs,
    stop,
    onError,
  }: { clock: Clock; pauseMs: number; stop: AbortSignal; onError(error: unknown): void },
): Promise<void> {
  do {
    try {
      await work()
      return
    } catch (error) {
      onError(error)
    }
    await sleep(clock, pauseMs, stop).catch(() => undefined)
  } while (!stop.aborted)
}

export interface Deadline {
  /** Aborted with an Error that says how long was waited. */
  signal: AbortSignal
  /** Must be called when the work is over. */
  cancel(): void
}

/** A signal that is aborted `ms` from now. */
export function startDeadline(clock: Clock, ms: number): Deadline {
  const late = new AbortController()
  const cancel = clock.after(ms, () => late.abort(new Error(`no answer within ${ms / SECOND} seconds`)))
  return { signal: late.signal, cancel }
}
