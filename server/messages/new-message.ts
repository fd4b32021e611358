import type { AskedTemplate, ChangeMessageRequest, Priority, Purpose } from '../contract/messages.ts'
import { isUserId, lacksZero, normalisePhone } from '../contract/phone.ts'
import { METADATA_MAX_BYTES, pickReference, type References, type SendRequest } from '../contract/send.ts'
import { DAY, SECOND } from '../lib/clock.ts'
import { parseExact } from '../lib/json.ts'
import type { Change, EndNamed, KeyRow, Message, NewMessage, SenderRow } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'

/** Time from `dueAt`: a text finds no connection, or a template's outcome stays unknown. */
const EXPIRES_AFTER = { standard: 7 * DAY, template: DAY }

/** The key that sends and its sender; a null key is the owner. */
export interface Origin {
  sender: SenderRow
  key: KeyRow | null
}

/** The common part of a request, checked and in the form in which it is stored. */
export type CommonPart = ReturnType<typeof commonPartOf>

/** Parts of a request that are kept as they came. */
export interface AsSent {
  /** The text of the metadata member: its length counts, and each digit of its numbers. */
  metadata: string | undefined
  /** Names that the route did not know. */
  unknownMembers: readonly string[]
}

/** For a message that is put together here, or that came in the form of another program. */
export const NOTHING_AS_SENT: AsSent = { metadata: undefined, unknownMembers: [] }

/** When a message is created, and the id it gets. */
export interface Birth {
  id: string
  at: number
}

/** A recipient in the form in which it is stored. @throws ApiError `invalid_request` */
export function recipientOf({ sender, key }: Origin, phone: string): string {
  const country = sender.settings.country_code
  // The owner sees whose number it is.
  if (key !== null && lacksZero(phone, country)) throw invalidRequest([fieldProblem('phone', 'zero_lost')])
  const recipient = normalisePhone(phone, country)
  if (!recipient.ok) throw invalidRequest([fieldProblem('phone', recipient.problem)])
  return recipient.phone
}

/**
 * As `recipientOf`; Meta writes to people by its own ID of them as well.
 * @throws ApiError `invalid_request`
 */
export const recipientAtMeta: typeof recipientOf = (origin, phone) =>
  isUserId(phone.trim()) ? phone.trim() : recipientOf(origin, phone)

/**
 * The part of a request that both routes share.
 * @param recipient in the form in which it is stored
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

/** Without the reference, which has a column of its own; null for an empty object. */
function storedMetadata(raw: string): string | null {
  if (Buffer.byteLength(raw) > METADATA_MAX_BYTES) {
    throw invalidRequest([fieldProblem('metadata', 'too_large', { max: METADATA_MAX_BYTES })])
  }
  const metadata = Object(parseExact(raw)) as Record<string, unknown>
  delete metadata.reference_id
  const text = JSON.stringify(metadata)
  return text === '{}' ? null : text
}

/** A file of a message: an address, or one whose bytes are here. */
export interface AttachedFile {
  file: string
  /** Null: its address names it. */
  name: string | null
  sha256: string | null
}

/**
 * A text or file for the queue of a sender.
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

/** A template message, sent while its caller waits: its only attempt begins at once. */
export const templateMessage = (
  common: CommonPart,
  template: AskedTemplate,
  birth: Birth,
  purpose: Purpose,
  expiresAt?: number,
): NewMessage => newMessage({ ...common, ...birth, template, purpose, expiresAt })

/** A template message for the queue of a sender. */
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

/** The same content once more; where the first may have arrived, under the same WhatsApp id. */
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
    // The id of a second road is Meta's.
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
 * The one place that makes a row. Written out: copies of copies, with each call, would cost more
 * than all of this.
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

// How far ahead a message may be planned, and how long it may wait from then.
const LATEST = 30 * DAY
const SHORTEST_LIFE = 30 * SECOND

/**
 * When a message with a `send_at` is due; a time that is over means now.
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

/** When a message ends, as a request says it. */
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
 * A caller's change of a message that waits. If only its time moves, its end moves with it.
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
