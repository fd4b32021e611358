import { isGroupId } from '../contract/groups.ts'
import { type AskedTemplate, type MessageData, type MessageRow, SHOWN_IN_LIST } from '../contract/messages.ts'
import { isUserId } from '../contract/phone.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { parseExact } from '../lib/exact-json.ts'
import type { Message } from '../store/index.ts'
import { receiptsView } from './group-receipts.ts'
import type { Hold } from './hold.ts'

/** The caller's metadata, every digit as it was sent. */
export const metadataOf = (message: Pick<Message, 'metadata'>): Record<string, unknown> =>
  message.metadata === null ? {} : Object(parseExact(message.metadata))

export function messageData(message: Message, senderCode: string): MessageData {
  return {
    id: message.id,
    message_id: message.id,
    channel: message.channel,
    sender_code: senderCode,
    recipient: message.recipient,
    group: isGroupId(message.recipient) ? message.recipient : null,
    receipts: message.receipts && receiptsView(message.receipts),
    recipient_user_id: message.recipientUserId ?? (isUserId(message.recipient) ? message.recipient : null),
    status: message.status,
    reference_id: message.referenceId,
    metadata: metadataOf(message),
    provider_message_id: message.providerMessageId,
    occurred_at: isoTime(message.occurredAt),
    pricing: message.pricing,
    error: message.error,
  }
}

/** Not cut through a character of two units, which strict readers of JSON refuse. */
export const shortened = (text: string): string =>
  text.slice(0, SHOWN_IN_LIST.textLength).replace(/[\ud800-\udbff]$/, '')

const isLong = (json: string): boolean => Buffer.byteLength(json) > SHOWN_IN_LIST.jsonBytes

const withoutLong = (template: AskedTemplate): AskedTemplate =>
  isLong(JSON.stringify(template.components)) ? { ...template, components: [] } : template

/** A row of a list; `whole` leaves text, template and metadata uncut. */
export function messageRow(
  message: Message,
  { codeOf, hold, whole }: { codeOf: (senderId: number) => string; hold: Hold; whole: boolean },
): MessageRow {
  const { senderId, laneId } = message
  const isMetadataOmitted = !whole && isLong(message.metadata ?? '')
  return {
    ...messageData(isMetadataOmitted ? { ...message, metadata: null } : message, codeOf(senderId)),
    metadata_omitted: isMetadataOmitted,
    created_at: isoTime(message.createdAt),
    due_at: isoTime(message.dueAt),
    attempts: message.attempts,
    message: message.body === null || whole ? message.body : shortened(message.body),
    file: message.file,
    filename: message.filename,
    file_sha256: message.fileSha256,
    expires_at: isoTime(message.expiresAt),
    priority: message.priority,
    purpose: message.purpose,
    template: message.template === null || whole ? message.template : withoutLong(message.template),
    pricing_category: message.pricing?.category ?? null,
    via: laneId === senderId ? null : codeOf(laneId),
    held_by: hold.heldBy,
    until: isoTimeOrNull(hold.until),
  }
}
