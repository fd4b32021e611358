import { describeFailure, type FailureCode } from '../contract/failures.ts'
import type { Change, Message } from '../store/rows.ts'
import type { Outcome } from './channel.ts'
import { mayBecome } from './status.ts'

/** When a message is tried again, by the number of attempts so far (milliseconds); five attempts in about ten minutes. */
export interface RetryPolicy {
  waits: readonly number[]
}
export const RETRY: RetryPolicy = { waits: [5_000, 30_000, 120_000, 300_000] }

const HOUR = 3_600_000

/** How long first contacts wait after the n-th restriction in a row: 1, 2, 4 … hours, a day at most. */
export const restrictionWait = (n: number): number => Math.min(24 * HOUR, HOUR * 2 ** (n - 1))

export function failed(
  message: Message,
  code: FailureCode,
  now: number,
  more: { detail?: string; hint?: string; providerCode?: string } = {},
): Change | null {
  if (!mayBecome(message.status, 'failed')) return null
  const error = describeFailure(code, { message: more.detail, hint: more.hint, providerCode: more.providerCode })
  return { status: 'failed', at: now, nextAt: null, error }
}

/**
 * The one place that turns an outcome into a transition and a time to try again. Null when a receipt settled the message
 * in the meantime. `doubtful`: an earlier attempt may have arrived, which the final words must not deny.
 */
export function afterOutcome(
  message: Message,
  outcome: Outcome,
  now: number,
  { retry, doubtful }: { retry: RetryPolicy; doubtful: boolean },
): Change | null {
  switch (outcome.kind) {
    case 'acknowledged':
      if (!mayBecome(message.status, 'sent')) return null
      return {
        status: 'sent',
        at: now,
        nextAt: null,
        error: null,
        attemptEnds: { outcome: 'acknowledged', reason: null },
      }
    case 'refused': {
      const change = failed(message, outcome.code, now, outcome)
      const reason = outcome.providerCode ?? outcome.code
      return change && { ...change, attemptEnds: { outcome: 'refused', reason } }
    }
    case 'offline':
      if (message.status !== 'sending') return null
      return {
        // A message that may have left in an earlier attempt cannot be called queued again.
        ...(message.attempts <= 1 ? { status: 'queued' as const } : {}),
        at: now,
        nextAt: message.dueAt,
        attemptReturned: true,
        attemptEnds: { outcome: 'offline', reason: 'no connection' },
      }
    case 'unknown':
    case 'not_sent': {
      if (message.status !== 'sending') return null
      const attemptEnds = { outcome: outcome.kind, reason: outcome.reason }
      const wait = retry.waits[message.attempts - 1]
      if (wait !== undefined) return { at: now, nextAt: now + wait, attemptEnds }
      const code = doubtful || outcome.kind === 'unknown' ? 'not_acknowledged' : 'send_failed'
      const change = failed(message, code, now)
      return change && { ...change, attemptEnds }
    }
  }
}
