import { REPLY_KEPT_FOR } from '../contract/webhooks.ts'
import { jitter, parseRetryAfter } from '../lib/backoff.ts'

import { HOUR, MINUTE, SECOND } from '../lib/time.ts'
import type { DeliveryAttempt, EndpointFailure } from '../store/index.ts'

/** Waits before the second attempt, the third, and so on: a shop's weekend is survived. */
const RETRY_AFTER = [
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

/**
 * When a reply is tried again. It is kept for a day, and for an hour after each start: the next try
 * is a minute before the day is over at the latest, and then every ten minutes. Pure.
 */
export const replyAt = (receivedAt: number, now: number, next: number): number =>
  Math.min(next, Math.max(now + 10 * MINUTE, receivedAt + REPLY_KEPT_FOR - MINUTE))

/** How one attempt ended: with a status, or without an answer. */
export interface CallbackResult {
  status?: number
  /** The Retry-After header as it came. */
  retryAfter?: string
}

export const isTaken = (status: number | null | undefined): boolean => status != null && status >= 200 && status < 300

export type NextStep =
  | { type: 'delivered' }
  | { type: 'retry'; at: number }
  /** No attempt is left. */
  | { type: 'dead' }
  /** The receiver is gone for good: its endpoint is switched off, the delivery waits. */
  | { type: 'disabled' }

/** Decides after attempt number `attempt` (1 is the first). Pure. */
export function afterAttempt(attempt: number, result: CallbackResult, now: number, random: () => number): NextStep {
  const { status, retryAfter } = result
  if (isTaken(status)) return { type: 'delivered' }
  if (status === 410) return { type: 'disabled' }
  const delay = RETRY_AFTER[attempt - 1]
  if (delay === undefined) return { type: 'dead' }
  // A receiver may ask for more time, not for less: that would use up all attempts within minutes.
  const asked = parseRetryAfter(retryAfter, now) ?? 0
  return { type: 'retry', at: now + Math.max(jitter(delay, random), asked) }
}

export const NO_FAILURE = { lastError: null, lastErrorCode: null, lastErrorStatus: null, failingSince: null }

/** Why an attempt was not taken: an answer that is no yes, or what went wrong on the way. Pure. */
export const failureOf = ({ status, error, errorCode }: DeliveryAttempt): EndpointFailure => ({
  lastError: error ?? `answered ${status}`,
  lastErrorCode: status === null ? errorCode : 'answered',
  lastErrorStatus: status,
})
