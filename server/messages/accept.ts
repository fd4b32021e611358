import { ApiError, duplicateReference, invalidRequest } from '../contract/errors.ts'
import { normalisePhone } from '../contract/phone.ts'
import { METADATA_MAX_BYTES, pickReference } from '../contract/reference.ts'
import type { SendRequest } from '../contract/send.ts'
import type { Bus } from '../lib/bus.ts'
import { parseExact } from '../lib/exact-json.ts'
import type { NewMessage } from '../store/rows.ts'
import type { KeyRow } from '../store/sqlite/keys.ts'
import type { Messages, Remembered } from '../store/sqlite/messages.ts'
import type { SenderRow } from '../store/sqlite/senders.ts'

export const MAX_WAITING = 100_000
const EXPIRES_AFTER = 7 * 24 * 3_600_000

/** Who sends, through whom: null is the owner at the window. */
export interface Origin {
  sender: SenderRow
  key: KeyRow | null
}

/** The recipient of a request, or 400. */
export function recipientOf(phone: string, sender: SenderRow): string {
  const result = normalisePhone(phone, sender.settings.country_code)
  if (!result.ok) throw invalidRequest([{ field: 'phone', message: result.problem }])
  return result.phone
}

interface References {
  reference_id?: string | null | undefined
  referenceId?: string | null | undefined
  ref_id?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
}

/**
 * The caller's reference and metadata as they are kept. `raw` is the text of the metadata member as it was sent: its
 * length counts, and its numbers come back digit by digit.
 */
export function referencesOf(
  body: References,
  raw: string | undefined,
): { referenceId: string | null; metadata: string | null } {
  const referenceId = pickReference(body)
  if (raw === undefined) return { referenceId, metadata: null }
  if (Buffer.byteLength(raw) > METADATA_MAX_BYTES) {
    throw invalidRequest([{ field: 'metadata', message: `must not be larger than ${METADATA_MAX_BYTES / 1024} KiB` }])
  }
  const { reference_id: _told, ...metadata } = parseExact(raw) as Record<string, unknown>
  const text = JSON.stringify(metadata)
  return { referenceId, metadata: text === '{}' ? null : text }
}

export interface AcceptDeps {
  messages: Pick<Messages, 'accept' | 'waiting'>
  bus: Bus
  newId: () => string
  now: () => number
}

export type Accept = (
  origin: Origin,
  body: SendRequest,
  rawMetadata: string | undefined,
  /** Makes the answer that is kept for a caller who asks again; told in the same transaction. */
  remember?: (message: NewMessage) => Remembered,
) => Promise<NewMessage>

/** Takes a message for its sender's queue. When this resolves, the message is on disk. */
export function createAccept({ messages, bus, newId, now }: AcceptDeps): Accept {
  return async ({ sender, key }, body, rawMetadata, remember) => {
    const recipient = recipientOf(body.phone, sender)
    const references = referencesOf(body, rawMetadata)
    if (messages.waiting(sender.id) >= MAX_WAITING) {
      throw new ApiError(
        'queue_full',
        `${MAX_WAITING} messages wait for ${sender.code} already. Nothing was accepted.`,
        {
          retry_after: 60,
        },
      )
    }
    const at = now()
    const dueAt = at + Math.round(body.delay * 1000)
    const message: NewMessage = {
      id: newId(),
      senderId: sender.id,
      keyNumber: key?.number ?? null,
      channel: 'standard',
      recipient,
      body: body.message,
      file: body.file ?? null,
      template: null,
      templateName: null,
      ...references,
      status: 'queued',
      createdAt: at,
      dueAt,
      expiresAt: dueAt + EXPIRES_AFTER,
      nextAt: dueAt,
    }
    const accepted = await messages.accept(message, key?.refuseDuplicateReference ?? false, remember?.(message))
    if (accepted.kind === 'duplicate_reference') throw duplicateReference(accepted.id)
    bus.emit('lane', { senderId: sender.id })
    bus.emit('message', { seq: accepted.seq, status: message.status, channel: message.channel })
    return message
  }
}
