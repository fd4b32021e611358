import type { Purpose } from '../contract/messages.ts'
import type { SuppressionScope } from '../contract/suppressions.ts'
import type { Change, Message } from '../store/index.ts'
import { describeFailure } from '../words/failure.ts'
import { cancelled, failed } from './results.ts'

/** True if somebody with this opt-out wants no message of this purpose. Pure. */
export const isUnwanted = (scope: SuppressionScope | null, purpose: Purpose): boolean =>
  scope === 'all' || (scope === 'marketing' && purpose === 'marketing')

/** The end of a message whose recipient opted out; null where it is on its way already. Pure. */
export function cancelledByOptOut(message: Message, at: number): Change | null {
  const change = cancelled(message, at)
  return change && { ...change, error: describeFailure('recipient_opted_out') }
}

/**
 * The end of a message that its lane does not try, or try again, because its recipient opted out.
 * Pure.
 * @param doubtful an earlier attempt may have arrived, which the end must not deny
 */
export const endedByOptOut = (message: Message, doubtful: boolean, at: number): Change | null =>
  cancelledByOptOut(message, at) ?? failed(message, doubtful ? 'not_acknowledged' : 'recipient_opted_out', at)
