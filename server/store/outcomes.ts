import type { FailureCode } from '../contract/failures.ts'

/**
 * How many messages of a sender were accepted, sent or failed in a quarter of an hour, and still
 * count as that.
 */
export interface OutcomeCount {
  /** When the quarter of an hour began. Milliseconds since 1970. */
  at: number
  senderId: number
  kind: 'accepted' | 'sent' | 'failed'
  /** Reason of those that failed. */
  reason: FailureCode | null
  count: number
}

/**
 * Outcomes of messages in the last two days, without the sandbox. Kept in memory, read from the
 * messages at a start.
 */
export interface OutcomeStore {
  /** From the quarter of an hour of `ms` on. */
  since(ms: number): OutcomeCount[]
}
