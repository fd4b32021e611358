import { describeFailure } from '../contract/failures.ts'
import type { Purpose } from '../contract/messages.ts'
import type { SuppressionScope } from '../contract/suppressions.ts'
import type { Change, Message } from '../store/index.ts'
import { cancelled } from './results.ts'

/** Whether somebody who opted out so far wants no message of this purpose. Pure. */
export const isUnwanted = (scope: SuppressionScope | null, purpose: Purpose): boolean =>
  scope === 'all' || (scope === 'marketing' && purpose === 'marketing')

/** The end of a message whose recipient opted out; null where it is on its way already. Pure. */
export function cancelledByOptOut(message: Message, at: number): Change | null {
  const change = cancelled(message, at)
  return change && { ...change, error: describeFailure('recipient_opted_out') }
}
