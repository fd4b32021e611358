import type { Status } from '../contract/messages.ts'
import type { EventName } from '../contract/webhooks.ts'
import { concludeCall } from './access.ts'
import { blob, type Columns, integer, writing } from './columns.ts'
import { holdMarketing, knowContact } from './contacts.ts'
import type { NewEvent } from './events.ts'
import { MEMBERS, PROVIDER_CALL } from './message-reads.ts'
import type { AcceptOptions, Also, Change, Message, NewMessage } from './messages.ts'
import { type Bound, bound, putting } from './statements.ts'

/** Events of the statuses that callers hear of. */
const EVENT: Partial<Record<Status, EventName>> = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
  cancelled: 'message.cancelled',
}

/** Returns the event of a change; null: callers hear nothing of it. Pure. */
export function eventOf(
  before: Message,
  after: Message,
  change: Change,
  codeOf: (senderId: number) => string,
): NewEvent | null {
  const type = change.revoked ? 'message.revoked' : after.status !== before.status ? EVENT[after.status] : undefined
  if (type === undefined) return null
  const data = { status: after.status, provider_message_id: after.providerMessageId, error: after.error }
  const event = { type, messageSeq: after.seq, senderCode: codeOf(after.senderId), at: change.at, data }
  return after.movedFrom === null ? event : { ...event, formerCode: codeOf(after.movedFrom) }
}

/**
 * Returns names that an accept must lock while it looks for a duplicate. Content is named without
 * its file, because two addresses may lead to the same file.
 */
export function refusedTwice(
  message: NewMessage,
  { unique, sameContentSince, repeatedSince }: AcceptOptions,
): string[] {
  const { senderId, recipient, body, referenceId, keyNumber } = message
  const names: string[] = []
  if (unique && referenceId !== null && keyNumber !== null) names.push(`reference ${keyNumber} ${referenceId}`)
  if ((sameContentSince ?? repeatedSince) != null) names.push(`content ${senderId} ${recipient} ${body}`)
  return names
}

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
    ...(change.senderId === undefined
      ? {}
      : { senderId: change.senderId, movedFrom: before.movedFrom ?? before.senderId }),
    error: change.error === undefined ? before.error : change.error,
  }
}

const OF_MESSAGE = { seq: integer('message_seq') }
const CONTENT: Columns<{ content: Uint8Array }> = { content: blob('content') }
const putContent = putting('message_contents', writing({ ...OF_MESSAGE, ...CONTENT }), 'message_seq')
const putMembers = putting('message_members', writing({ ...OF_MESSAGE, ...MEMBERS }), 'message_seq')
const putProviderCall = putting('provider_calls', writing({ ...OF_MESSAGE, ...PROVIDER_CALL }), 'message_seq')

/** Returns statements that a change needs besides the update of the message's row. */
export function partsOf(before: Message, after: Message, change: Change): Bound[] {
  const parts: Bound[] = []
  // An attempt that did not count left a row with this number, already ended.
  if (change.attemptBegins)
    parts.push(
      bound(
        `INSERT INTO message_attempts (message_seq, number, at) VALUES ($1, $2, $3) ON CONFLICT (message_seq, number)
         DO UPDATE SET at = excluded.at, ended_at = NULL, outcome = NULL, reason = NULL`,
        ...[after.seq, after.attempts, change.at],
      ),
    )
  if (change.attemptEnds)
    parts.push(
      bound(
        `UPDATE message_attempts SET ended_at = $3, outcome = $4, reason = $5
         WHERE message_seq = $1 AND number = $2 AND ended_at IS NULL`,
        ...[after.seq, before.attempts, change.at, change.attemptEnds.outcome, change.attemptEnds.reason],
      ),
    )
  const { seq } = after
  if (change.content) parts.push(putContent({ seq, content: change.content }))
  if (change.members) parts.push(putMembers({ seq, members: [...change.members] }))
  return parts
}

/** Returns the statement of a change to something besides the message. */
export function statementOf(
  { seq, laneId, recipient }: Message,
  also: Exclude<Also, { kind: 'sending_state' | 'second_road' }>,
  now: number,
): Bound {
  switch (also.kind) {
    case 'known_contact':
      return knowContact(laneId, recipient, now)
    case 'marketing_hold':
      return holdMarketing(laneId, recipient, also.until)
    case 'idempotency_answer':
      return concludeCall(also.key, also.answer)
    case 'provider_call':
      return putProviderCall({ seq, ...also.call })
  }
}
