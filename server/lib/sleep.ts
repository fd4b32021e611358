import { type Clock, MINUTE, SECOND } from './clock.ts'

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

/** Asks for folders whose drive may never answer. */
export function createDrives(clock: Clock) {
  const silent = new Set<string>()
  /**
   * The answer, or `instead` after `ms`, and as long as an earlier question is open: each would
   * keep a thread of the system.
   */
  return async function ask<T>(folder: string, ms: number, question: () => Promise<T>, instead: () => T): Promise<T> {
    if (silent.has(folder)) return instead()
    const { promise: tooLate, resolve } = Promise.withResolvers<void>()
    const cancel = clock.after(ms, () => {
      silent.add(folder)
      resolve()
    })
    const found = question().finally(() => {
      cancel()
      silent.delete(folder)
    })
    return Promise.race([found, tooLate.then(instead)])
  }
}

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
