import { jitter } from '../lib/backoff.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Waits before the second attempt, the third, and so on: about three days, so that a shop's weekend is survived. */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** How one attempt ended: with a status, or without an answer. */
export interface AttemptOutcome {
  status?: number
  /** The Retry-After header as it came. */
  retryAfter?: string
}

export type Verdict =
  | { type: 'delivered' }
  | { type: 'retry'; at: number }
  /** No attempt is left. */
  | { type: 'dead' }
  /** The receiver says that it is gone for good: its endpoint is to be switched off, the delivery waits. */
  | { type: 'disabled' }

/** What follows from attempt number `attempt` (1 is the first). Times are milliseconds since 1970. */
export function judge(attempt: number, outcome: AttemptOutcome, now: number, random: () => number): Verdict {
  const { status, retryAfter } = outcome
  if (status !== undefined && status >= 200 && status < 300) return { type: 'delivered' }
  if (status === 410) return { type: 'disabled' }
  const delay = RETRY_DELAYS_MS[attempt - 1]
  if (delay === undefined) return { type: 'dead' }
  // A receiver may ask for more time, not for less: that would burn all attempts within minutes.
  const asked = retryAfter === undefined ? 0 : parseRetryAfter(retryAfter, now)
  return { type: 'retry', at: now + Math.max(jitter(delay, random), asked) }
}

/** Milliseconds that a Retry-After header asks for, as seconds or as a date; 0 if it cannot be read, at most a day. */
export function parseRetryAfter(value: string, now: number): number {
  const text = value.trim()
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), DAY)
}
