import { fieldProblem, invalidRequest } from '../contract/errors.ts'
import type { AskedTemplate } from '../contract/messages.ts'
import { normalisePhone } from '../contract/phone.ts'
import { METADATA_MAX_BYTES, pickReference } from '../contract/reference.ts'
import type { SendRequest } from '../contract/send.ts'
import { parseExact } from '../lib/exact-json.ts'
import { DAY } from '../lib/time.ts'
import type { KeyRow, Message, NewMessage, SenderRow } from '../store/index.ts'

/** From when it is due: a message of a lane that finds no connection, a template whose outcome stays unknown. */
const EXPIRES_AFTER = { standard: 7 * DAY, template: DAY }

/** Who sends, through whom; a null key is the owner. */
export interface Origin {
  sender: SenderRow
  key: KeyRow | null
}

/** What the requests of both routes have in common. */
interface AddressedRequest {
  phone: string
  reference_id?: string | null | undefined
  referenceId?: string | null | undefined
  ref_id?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
}

/** The common part of a request, checked and in the form in which it is stored. */
export type Addressed = Pick<
  NewMessage,
  'senderId' | 'keyNumber' | 'recipient' | 'referenceId' | 'metadata' | 'unknownMembers'
>

/** What a request keeps as it came. */
export interface AsSent {
  /** The text of the metadata member: its length counts, and its numbers come back digit by digit. */
  metadata: string | undefined
  /** Names that the route did not know. */
  unknownMembers: readonly string[]
}

/** When a message is created, and the id it gets. */
export interface Birth {
  id: string
  at: number
}

/**
 * Checks what both routes share.
 * @throws ApiError `invalid_request`
 */
export function addressOf({ sender, key }: Origin, body: AddressedRequest, asSent: AsSent): Addressed {
  const recipient = normalisePhone(body.phone, sender.settings.country_code)
  if (!recipient.ok) throw invalidRequest([fieldProblem('phone', recipient.problem)])
  return {
    senderId: sender.id,
    keyNumber: key?.number ?? null,
    recipient: recipient.phone,
    referenceId: pickReference(body),
    metadata: asSent.metadata === undefined ? null : storedMetadata(asSent.metadata),
    unknownMembers: asSent.unknownMembers.length === 0 ? null : [...asSent.unknownMembers],
  }
}

/** Without the reference, which has a column of its own; null for an empty object. */
function storedMetadata(raw: string): string | null {
  if (Buffer.byteLength(raw) > METADATA_MAX_BYTES) {
    throw invalidRequest([fieldProblem('metadata', 'too_large', { max: METADATA_MAX_BYTES })])
  }
  const { reference_id: _reference, ...metadata } = Object(parseExact(raw)) as Record<string, unknown>
  const text = JSON.stringify(metadata)
  return text === '{}' ? null : text
}

/** A text or file for the queue of a sender. */
export const standardMessage = (addressed: Addressed, request: SendRequest, { id, at }: Birth): NewMessage =>
  newMessage({
    ...addressed,
    id,
    at,
    dueAt: at + Math.round(request.delay * 1000),
    body: request.message,
    file: request.file ?? null,
  })

/** A template message, which is sent while its caller waits: its only attempt begins at once, no lane looks at it. */
export const templateMessage = (addressed: Addressed, template: AskedTemplate, birth: Birth): NewMessage =>
  newMessage({ ...addressed, ...birth, template })

/** A template message for the queue of a sender. */
export const queuedTemplate = (addressed: Addressed, template: AskedTemplate, birth: Birth): NewMessage => ({
  ...templateMessage(addressed, template, birth),
  status: 'queued',
  nextAt: birth.at,
  attemptBegins: false,
})

/** The same content once more. Keeps WhatsApp's id where the first may have arrived, so that it shows only once. */
export const repeatedMessage = (old: Message, { id, at }: Birth): NewMessage =>
  newMessage({
    id,
    at,
    senderId: old.senderId,
    keyNumber: null,
    recipient: old.recipient,
    referenceId: old.referenceId,
    metadata: old.metadata,
    unknownMembers: old.unknownMembers,
    body: old.body,
    file: old.file,
    providerMessageId: old.error?.code === 'not_acknowledged' ? old.providerMessageId : null,
  })

interface Parts extends Addressed, Birth {
  dueAt?: number
  body?: string | null
  file?: string | null
  template?: AskedTemplate | null
  providerMessageId?: string | null
}

/** The one place that makes a row. */
function newMessage({ at, dueAt = at, body = null, file = null, template = null, ...parts }: Parts): NewMessage {
  const channel = template === null ? 'standard' : 'template'
  return {
    ...parts,
    laneId: parts.senderId,
    channel,
    body,
    file,
    template,
    status: template === null ? 'queued' : 'sending',
    createdAt: at,
    dueAt,
    expiresAt: dueAt + EXPIRES_AFTER[channel],
    nextAt: template === null ? dueAt : null,
    providerMessageId: parts.providerMessageId ?? null,
    attemptBegins: template !== null,
  }
}
