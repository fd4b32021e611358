import { type Clock, MINUTE, SECOND } from './clock.ts'

/** Resolves after `ms`; rejects with the signal's reason as soon as the signal is aborted. */
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
 * Runs `work` until it succeeds, with a pause after each failure. Runs it at least once, and not
 * again once `stop` is aborted. Never rejects.
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
  /** Aborted with a TooLate that says how long Kurir waited. */
  signal: AbortSignal
  /** Must be called when the work has ended. */
  cancel(): void
}

export class TooLate extends Error {}

export function startDeadline(clock: Clock, ms: number): Deadline {
  const late = new AbortController()
  const cancel = clock.after(ms, () => late.abort(new TooLate(`no answer within ${ms / SECOND} seconds`)))
  return { signal: late.signal, cancel }
}

/** Returns a function that asks about folders whose drive may never answer. */
export function createDrives(clock: Clock) {
  const silent = new Set<string>()
  /**
   * Resolves with the answer, or with `instead` if there is none after `ms`. Resolves with
   * `instead` at once while an earlier question about the folder is unanswered, because each
   * question keeps a system thread busy.
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
  /** Sleeps until a time (null: for ever) or until `wake`. A `wake` before the sleep counts. */
  sleep(until: number | null): Promise<void>
  wake(): void
}

// Longest time between two looks at the clock: timers stop while the PC is suspended, and its clock
// may be set.
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
        // Wake early only if the clock was set back, because the time to sleep until is doubtful
        // then.
        if (until === null || clock.now() >= until || clock.now() < before) break
      }
      woken = false
    },
  }
}
