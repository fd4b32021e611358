export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs `fn` once after `ms`; returns a function that cancels. */
  after(ms: number, fn: () => void): () => void
}

// Node fires a longer timer at once instead of late; a delay of 30 days is longer.
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: Date.now,
  after(ms, fn) {
    let timer: NodeJS.Timeout
    const arm = (left: number): void => {
      const step = Math.min(left, LONGEST_TIMER_MS)
      timer = setTimeout(() => (left > step ? arm(left - step) : fn()), step)
    }
    arm(ms)
    return () => clearTimeout(timer)
  },
}
