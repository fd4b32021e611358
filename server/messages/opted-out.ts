import { describeFailure } from '../contract/failures.ts'
import type { Purpose } from '../contract/messages.ts'
import type { SuppressionScope } from '../contract/suppressions.ts'
import type { Change, Message } from '../store/index.ts'
import { mayBecome } from './status.ts'

/** Whether somebody who opted out so far wants no message of this purpose. Pure. */
export const isUnwanted = (scope: SuppressionScope | null, purpose: Purpose): boolean =>
  scope === 'all' || (scope === 'marketing' && purpose === 'marketing')

/** The end of a message whose recipient opted out; null where it is on its way already. Pure. */
export const cancelledByOptOut = ({ status }: Pick<Message, 'status'>, at: number): Change | null =>
  mayBecome(status, 'cancelled')
    ? { status: 'cancelled', at, nextAt: null, error: describeFailure('recipient_opted_out') }
    : null
