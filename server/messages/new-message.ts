import type { AskedTemplate, ChangeMessageRequest, Priority, Purpose } from '../contract/messages.ts'
import { isUserId, lacksZero, normalisePhone } from '../contract/phone.ts'
import { METADATA_MAX_BYTES, pickReference, type References, type SendRequest } from '../contract/send.ts'
import { DAY, SECOND } from '../lib/clock.ts'
import { parseExact } from '../lib/json.ts'
import type { Change, EndNamed, KeyRow, Message, NewMessage, SenderRow } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'

/**
 * Time after `dueAt` at which a message fails: a text because it found no connection, a template
 * because its outcome stayed unknown.
 */
const EXPIRES_AFTER = { standard: 7 * DAY, template: DAY }

/** The sender of a message and the key of its caller; null: the owner. */
export interface Origin {
  sender: SenderRow
  key: KeyRow | null
}

/** The part that requests for texts and for templates share, checked and in its stored form. */
export type CommonPart = ReturnType<typeof commonPartOf>

/** Parts of a request that are stored as the caller wrote them. */
export interface AsSent {
  /** Raw JSON of the metadata member, because its length is limited and numbers keep all digits. */
  metadata: string | undefined
  /** Names of members that the route does not know. */
  unknownMembers: readonly string[]
}

/** For messages that Kurir composes itself or that came in the format of another program. */
export const NOTHING_AS_SENT: AsSent = { metadata: undefined, unknownMembers: [] }

/** Id of a new message, and the time of its creation. */
export interface Birth {
  id: string
  at: number
}

/** Returns a recipient in its stored form. @throws ApiError `invalid_request` */
export function recipientOf({ sender, key }: Origin, phone: string): string {
  const country = sender.settings.country_code
  // The owner is exempt, because the owner sees whose number it is.
  if (key !== null && lacksZero(phone, country)) throw invalidRequest([fieldProblem('phone', 'zero_lost')])
  const recipient = normalisePhone(phone, country)
  if (!recipient.ok) throw invalidRequest([fieldProblem('phone', recipient.problem)])
  return recipient.phone
}

/**
 * As `recipientOf`, but also takes a user ID of Meta, which Meta accepts in place of a number.
 * @throws ApiError `invalid_request`
 */
export const recipientAtMeta: typeof recipientOf = (origin, phone) =>
  isUserId(phone.trim()) ? phone.trim() : recipientOf(origin, phone)

/**
 * Returns the part that requests for texts and for templates share.
 * @param recipient in its stored form
 * @throws ApiError `invalid_request`
 */
export function commonPartOf({ sender, key }: Origin, body: References, asSent: AsSent, recipient: string) {
  return {
    senderId: sender.id,
    keyNumber: key?.number ?? null,
    recipient,
    referenceId: pickReference(body),
    metadata: asSent.metadata === undefined ? null : storedMetadata(asSent.metadata),
    unknownMembers: asSent.unknownMembers.length === 0 ? null : [...asSent.unknownMembers],
  }
}

/** Returns metadata without the reference, which has its own column; null if nothing is left. */
function storedMetadata(raw: string): string | null {
  if (Buffer.byteLength(raw) > METADATA_MAX_BYTES) {
    throw invalidRequest([fieldProblem('metadata', 'too_large', { max: METADATA_MAX_BYTES })])
  }
  const metadata = Object(parseExact(raw)) as Record<string, unknown>
  delete metadata.reference_id
  const text = JSON.stringify(metadata)
  return text === '{}' ? null : text
}

/** A file of a message: a URL, or the address of an uploaded file together with its hash. */
export interface AttachedFile {
  file: string
  /** Null: its address names it. */
  name: string | null
  sha256: string | null
}

/**
 * Returns a new text or file message for the queue of a sender.
 * @throws ApiError `invalid_request`
 */
export function standardMessage(
  common: CommonPart,
  request: SendRequest,
  attached: AttachedFile | null,
  { id, at }: Birth,
): NewMessage {
  const dueAt = request.send_at == null ? at + Math.round(request.delay * 1000) : sendAt(request.send_at, at)
  return newMessage({
    ...common,
    id,
    at,
    dueAt,
    expiresAt: expiryOf(request, dueAt),
    dueNamed: request.send_at != null,
    endNamed: endNamed(request),
    body: request.message,
    file: attached?.file ?? null,
    filename: attached === null ? null : (request.filename ?? attached.name),
    fileSha256: attached?.sha256 ?? null,
    priority: request.priority ?? 'normal',
    purpose: request.purpose ?? 'transactional',
  })
}

/** Returns a template message whose only attempt begins at once, while its caller waits. */
export const templateMessage = (
  common: CommonPart,
  template: AskedTemplate,
  birth: Birth,
  purpose: Purpose,
  expiresAt?: number,
): NewMessage => newMessage({ ...common, ...birth, template, purpose, expiresAt })

export const queuedTemplate = (
  common: CommonPart,
  template: AskedTemplate,
  birth: Birth,
  purpose: Purpose,
  plan: Ending & { priority?: Priority | undefined },
): NewMessage => ({
  ...templateMessage(common, template, birth, purpose, expiryOf(plan, birth.at)),
  priority: plan.priority ?? 'normal',
  endNamed: endNamed(plan),
  status: 'queued',
  nextAt: birth.at,
  attemptBegins: false,
})

/**
 * Returns a new message with the content of an old one. If the old message may have arrived, the
 * new one has its WhatsApp id, so that WhatsApp takes both for one message.
 */
export const repeatedMessage = (old: Message, recipient: string, { id, at }: Birth): NewMessage =>
  newMessage({
    id,
    at,
    senderId: old.senderId,
    keyNumber: null,
    recipient,
    referenceId: old.referenceId,
    metadata: old.metadata,
    unknownMembers: old.unknownMembers,
    body: old.body,
    file: old.file,
    filename: old.filename,
    fileSha256: old.fileSha256,
    priority: old.priority,
    purpose: old.purpose,
    // A message on its second road has an id of Meta, which a linked number cannot reuse.
    providerMessageId:
      old.channel === 'standard' && old.error?.code === 'not_acknowledged' && recipient === old.recipient
        ? old.providerMessageId
        : null,
  })

interface Parts extends CommonPart, Birth {
  dueAt?: number
  body?: string | null
  expiresAt?: number | undefined
  dueNamed?: boolean
  endNamed?: EndNamed
  file?: string | null
  filename?: string | null
  fileSha256?: string | null
  priority?: Priority
  purpose?: Purpose
  template?: AskedTemplate | null
  providerMessageId?: string | null
}

/**
 * Returns the row of a new message; no other function makes one. Each member is written out,
 * because object spreads on every call would cost more than the rest of this function.
 */
function newMessage(parts: Parts): NewMessage {
  const { at, dueAt = at, template = null } = parts
  const channel = template === null ? 'standard' : 'template'
  return {
    id: parts.id,
    senderId: parts.senderId,
    laneId: parts.senderId,
    keyNumber: parts.keyNumber,
    channel,
    recipient: parts.recipient,
    body: parts.body ?? null,
    file: parts.file ?? null,
    filename: parts.filename ?? null,
    fileSha256: parts.fileSha256 ?? null,
    priority: parts.priority ?? 'normal',
    purpose: parts.purpose ?? 'transactional',
    template,
    referenceId: parts.referenceId,
    metadata: parts.metadata,
    unknownMembers: parts.unknownMembers,
    status: template === null ? 'queued' : 'sending',
    createdAt: at,
    dueAt,
    expiresAt: parts.expiresAt ?? dueAt + EXPIRES_AFTER[channel],
    dueNamed: parts.dueNamed ?? false,
    endNamed: parts.endNamed ?? 'no',
    nextAt: template === null ? dueAt : null,
    providerMessageId: parts.providerMessageId ?? null,
    attemptBegins: template !== null,
  }
}

// LATEST limits how far ahead a message may be planned, and how long it may wait from then.
const LATEST = 30 * DAY
const SHORTEST_LIFE = 30 * SECOND

/**
 * Returns when a message with a `send_at` is due; a time in the past means now.
 * @throws ApiError `invalid_request`
 */
function sendAt(time: string, now: number): number {
  const at = Date.parse(time)
  if (at > now + LATEST) throw invalidRequest([fieldProblem('send_at', 'too_far_ahead', { days: 30 })])
  return Math.max(at, now)
}

/** @throws ApiError `invalid_request` */
function expiresAt(time: string, dueAt: number): number {
  const at = Date.parse(time)
  if (at < dueAt + SHORTEST_LIFE) {
    throw invalidRequest([fieldProblem('expires_at', 'too_soon', { seconds: 30 })])
  }
  return Math.min(at, dueAt + LATEST)
}

/** The end of a message in the terms of a request. */
interface Ending {
  ttl?: number | null | undefined
  expires_at?: string | null | undefined
}

function expiryOf({ ttl, expires_at }: Ending, dueAt: number): number | undefined {
  if (ttl != null) return dueAt + Math.round(ttl * 1000)
  return expires_at == null ? undefined : expiresAt(expires_at, dueAt)
}

const endNamed = ({ ttl, expires_at }: Ending): EndNamed =>
  ttl != null ? 'length' : expires_at != null ? 'moment' : 'no'

/**
 * Returns the change that a caller asks for on a waiting message. If the caller moves only its
 * time, its end moves along.
 * @throws ApiError `invalid_request`
 */
export function plannedChange(
  message: Message,
  { send_at, expires_at, priority }: ChangeMessageRequest,
  at: number,
): Change {
  const dueAt = send_at === undefined ? message.dueAt : sendAt(send_at, at)
  const movedEnd = message.expiresAt + dueAt - message.dueAt
  return {
    at,
    dueAt,
    expiresAt: expires_at === undefined ? movedEnd : expiresAt(expires_at, dueAt),
    ...(expires_at === undefined ? {} : { endNamed: 'moment' as const }),
    ...(send_at === undefined ? {} : { nextAt: dueAt, dueNamed: true }),
    ...(priority === undefined ? {} : { priority }),
  }
}
