import type { FailureCode } from '../../../contract/failures.ts'
import type { Message } from '../../../store/index.ts'

/** Fonnte's words for failures (docs.fonnte.com, "API Check Message Status"); others: `invalid`. */
const OF_FAILURE: Partial<Record<FailureCode, string>> = {
  expired: 'expired',
  media_unreachable: 'url unreachable',
  media_blocked: 'url unreachable',
}

/**
 * Fonnte's word for where a message is. It has none for one that was cancelled: `expired` is the
 * one that says that it will not be sent.
 */
export function fonnteStatus({ status, error, dueAt, attempts }: Message, now: number): string {
  switch (status) {
    case 'sent':
    case 'delivered':
    case 'read':
      return 'sent'
    case 'failed':
      return (error && OF_FAILURE[error.code]) ?? 'invalid'
    case 'cancelled':
      return 'expired'
    case 'sending':
      return 'processing'
    default:
      return dueAt > now && attempts === 0 ? 'waiting' : 'pending'
  }
}
