import type { Status } from '../contract/messages.ts'
import type { SuppressionScope } from '../contract/suppressions.ts'
import type { EventName } from '../contract/webhooks.ts'
import type { NewEvent } from './events.ts'
import type { AcceptOptions, Change, Message, NewMessage } from './messages.ts'

/** Callers hear of these statuses. */
const EVENT: Partial<Record<Status, EventName>> = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
  cancelled: 'message.cancelled',
}

/** Event of a change; null: callers hear nothing of it. Pure. */
export function eventOf(before: Message, after: Message, change: Change, senderCode: string): NewEvent | null {
  const type = change.revoked ? 'message.revoked' : after.status !== before.status ? EVENT[after.status] : undefined
  if (type === undefined) return null
  const data = { status: after.status, provider_message_id: after.providerMessageId, error: after.error }
  return { type, messageSeq: after.seq, senderCode, at: change.at, data }
}

/** True if the opt-out of a recipient forbids this message. */
export const isUnwanted = (
  scope: SuppressionScope | null,
  { purpose }: Pick<NewMessage, 'purpose'>,
): scope is SuppressionScope => scope === 'all' || (scope !== null && purpose === 'marketing')

/**
 * Names of what no other message may have for this one to be accepted; files with the same text may
 * be the same.
 */
export function refusedTwice(message: NewMessage, { unique, sameContentSince = null }: AcceptOptions): string[] {
  const { senderId, recipient, body, referenceId, keyNumber } = message
  const names: string[] = []
  if (unique && referenceId !== null && keyNumber !== null) names.push(`reference ${keyNumber} ${referenceId}`)
  if (sameContentSince !== null) names.push(`content ${senderId} ${recipient} ${body}`)
  return names
}

/** A message after a change. Pure. */
export function changed(before: Message, change: Change): Message {
  return {
    ...before,
    status: change.status ?? before.status,
    attempts: before.attempts + (change.attemptBegins ? 1 : 0) - (change.attemptReturned ? 1 : 0),
    nextAt: change.nextAt === undefined ? before.nextAt : change.nextAt,
    dueAt: change.dueAt ?? before.dueAt,
    expiresAt: change.expiresAt ?? before.expiresAt,
    dueNamed: change.dueNamed ?? before.dueNamed,
    endNamed: change.endNamed ?? before.endNamed,
    priority: change.priority ?? before.priority,
    fileSha256: change.fileSha256 ?? before.fileSha256,
    occurredAt: change.status === undefined || change.status === before.status ? before.occurredAt : change.at,
    providerMessageId: change.providerMessageId ?? before.providerMessageId,
    recipientUserId: change.recipientUserId ?? before.recipientUserId,
    pricing: change.pricing ?? before.pricing,
    receipts: change.receipts ?? before.receipts,
    ...change.road,
    error: change.error === undefined ? before.error : change.error,
  }
}
