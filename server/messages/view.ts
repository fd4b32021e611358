import {
  type AskedTemplate,
  type HeldBy,
  type MessageData,
  type MessageDetail,
  type MessageRow,
  SHOWN_IN_LIST,
  type TimelineEntry,
} from '../contract/messages.ts'
import { isGroupId, isUserId } from '../contract/phone.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { parseExact } from '../lib/json.ts'
import type { AttemptRow, EventRow, Message, NewMessage, SenderRow } from '../store/index.ts'
import type { MessageContext, OwnerHold } from './context.ts'
import { areAllPaused, type Gate, nextOpening, queueEnd, stoppedBy } from './gates.ts'
import { receiptsView } from './groups.ts'

/** The reason why a message has not left yet, and when that reason ends; null: unknown. */
export interface Hold {
  heldBy: HeldBy | null
  until: number | null
}

export interface QueueFacts {
  stoppedBy: 'paused' | 'not_connected' | 'suspended' | 'other_phone' | null
  gate: Gate
  sending: { restrictedUntil: number }
  /** Restrictions on messages to people that the number never wrote to, as the connection knows. */
  firstContacts: SenderRow['firstContacts']
  /** `seq` of the next message; null: none is due. */
  next: number | null
  isInFlight: (seq: number) => boolean
  /** Returns the act of the owner that holds a message and can still be undone. */
  heldByOwner: (id: string) => OwnerHold['why'] | undefined
}

const NOT_HELD: Hold = { heldBy: null, until: null }

/**
 * Returns why a message waits. The first reason counts: an act of the owner on it, its own time,
 * its sender, then the lane's gate and queue. Pure.
 */
export function holdOf(
  message: Pick<Message, 'id' | 'seq' | 'nextAt' | 'dueAt' | 'attempts'>,
  queue: QueueFacts,
  now: number,
): Hold {
  const { id, seq, nextAt, dueAt, attempts } = message
  if (nextAt === null || queue.isInFlight(seq)) return NOT_HELD
  const byOwner = queue.heldByOwner(id)
  if (byOwner !== undefined) return { heldBy: byOwner, until: null }
  if (attempts === 0 && dueAt > now) return { heldBy: 'delay', until: dueAt }
  if (queue.stoppedBy !== null) return { heldBy: queue.stoppedBy, until: null }
  if (nextAt > now) {
    const { firstContacts: known } = queue
    if (attempts === 0 && nextAt === known?.until) {
      const { heldBy } = known
      const byKurir = heldBy === 'wrong_numbers' || heldBy === 'new_link'
      return { heldBy: byKurir ? heldBy : 'first_contacts', until: nextAt }
    }
    const isStranger = attempts === 0 && nextAt === queue.sending.restrictedUntil
    return { heldBy: isStranger ? 'first_contacts' : 'retry', until: nextAt }
  }
  const { heldBy, at } = queue.gate
  // Quiet hours and the daily cap hold the whole lane; pacing holds only the next message.
  if (heldBy === 'quiet_hours' || heldBy === 'daily_cap') return { heldBy, until: at }
  if (seq !== queue.next) return { heldBy: 'queue', until: null }
  return heldBy === null ? NOT_HELD : { heldBy, until: at }
}

/** Returns the caller's metadata with all digits of its numbers. */
export const metadataOf = (metadata: string | null): Record<string, unknown> =>
  metadata === null ? {} : Object(parseExact(metadata))

/** Returns a new message as its caller gets it in the answer. */
export function queuedView({ id, recipient, metadata, referenceId }: NewMessage, senderCode: string) {
  const reference = referenceId === null ? {} : { reference_id: referenceId }
  return {
    id,
    message_id: id,
    sender_code: senderCode,
    recipient,
    status: 'queued' as const,
    metadata: { ...metadataOf(metadata), ...reference },
  }
}

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
    metadata: metadataOf(message.metadata),
    provider_message_id: message.providerMessageId,
    occurred_at: isoTime(message.occurredAt),
    pricing: message.pricing,
    error: message.error,
  }
}

/** Shortens a text without splitting a surrogate pair, which strict JSON parsers refuse. */
export const shortened = (text: string): string =>
  text.slice(0, SHOWN_IN_LIST.textLength).replace(/[\ud800-\udbff]$/, '')

const isLong = (json: string): boolean => Buffer.byteLength(json) > SHOWN_IN_LIST.jsonBytes

const withoutLong = (template: AskedTemplate): AskedTemplate =>
  isLong(JSON.stringify(template.components)) ? { ...template, components: [] } : template

/** Returns a row of a list; `whole` leaves text, template and metadata uncut. */
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

/** Reasons under which a message has a place in the queue that can be forecast. */
const IN_LINE: ReadonlySet<HeldBy | null> = new Set<HeldBy>(['queue', 'pacing', 'quiet_hours', 'daily_cap'])

async function queueOf(context: MessageContext, senderId: number, at: number): Promise<QueueFacts | undefined> {
  const { store, lanes, heldByOwner } = context
  const sender = store.senders.get(senderId)
  if (sender === undefined) return undefined
  const sending = await store.sendingState.get(senderId)
  const [next] = await store.queues.due(senderId, at, 1)
  const stopped = stoppedBy({
    paused: sender.paused || areAllPaused(store),
    connected: sender.state === 'connected',
    otherPhone: sender.previousPhone !== null,
  })
  return {
    stoppedBy: stopped ?? (lanes.isSuspended() ? 'suspended' : null),
    gate: nextOpening(sender.settings, sending, at),
    sending,
    firstContacts: sender.firstContacts,
    next: next?.seq ?? null,
    isInFlight: (seq) => lanes.isInFlight(senderId, seq),
    heldByOwner: (id) => heldByOwner.get(id)?.why,
  }
}

/**
 * Resolves with messages as lists show them, in the same order, each with the reason why it waits.
 * @param whole leaves the texts uncut
 */
export async function messageRows(
  context: MessageContext,
  messages: readonly Message[],
  whole = false,
): Promise<MessageRow[]> {
  const at = context.now()
  // The facts of a lane are read once for the whole page.
  const waiting = new Set(messages.filter(({ nextAt }) => nextAt !== null).map(({ laneId }) => laneId))
  const queues = new Map(
    await Promise.all([...waiting].map(async (id) => [id, await queueOf(context, id, at)] as const)),
  )
  return messages.map((message) => {
    const queue = queues.get(message.laneId)
    const hold: Hold = queue === undefined ? NOT_HELD : holdOf(message, queue, at)
    return messageRow(message, { codeOf: context.store.senders.codeOf, hold, whole })
  })
}

/** Resolves with a message's place in the queue; null: another reason than the queue holds it. */
async function placeInLine(
  { store, now }: MessageContext,
  { laneId, priority, nextAt, seq }: Message,
  heldBy: HeldBy | null,
): Promise<MessageDetail['queue']> {
  const sender = store.senders.get(laneId)
  if (nextAt === null || sender === undefined || !IN_LINE.has(heldBy)) return null
  const at = now()
  const ahead = await store.queues.dueBefore(laneId, { priority, nextAt, seq }, at)
  const leaves = queueEnd(sender.settings, await store.sendingState.get(laneId), ahead + 1, at)
  return { ahead, leaves_at: isoTimeOrNull(leaves) }
}

const AFTER_ACCEPTANCE = new Set(['sent', 'delivered', 'read', 'failed'])

/**
 * Returns the timeline entries of an attempt. Meta's acceptance is not an event, because the caller
 * gets it as the answer, so the timeline takes it from the attempt.
 */
function attemptEntries(message: Message, { at, endedAt, outcome, reason }: AttemptRow) {
  const attempt = { type: 'attempt', at, detail: reason ?? outcome }
  const accepted = message.channel === 'template' && outcome === 'acknowledged' && endedAt !== null
  return accepted ? [attempt, { type: 'accepted', at: endedAt, detail: null }] : [attempt]
}

function timelineOf(message: Message, attempts: AttemptRow[], events: EventRow[]): TimelineEntry[] {
  const entries = [
    { type: message.channel === 'standard' ? 'queued' : 'sending', at: message.createdAt, detail: null },
    ...attempts.flatMap((attempt) => attemptEntries(message, attempt)),
    ...events.map((event) => ({
      type: event.type.replace('message.', ''),
      at: event.at,
      detail: event.type === 'message.failed' ? (message.error?.message ?? null) : null,
    })),
  ]
  // Meta gives times in whole seconds, so a status may seem older than the call before it.
  const accepted = entries.find(({ type }) => type === 'accepted')?.at ?? 0
  const rank = ({ type, at }: { type: string; at: number }) =>
    AFTER_ACCEPTANCE.has(type) ? Math.max(at, accepted) : at
  return entries.sort((a, b) => rank(a) - rank(b)).map((entry) => ({ ...entry, at: isoTime(entry.at) }))
}

export async function messageDetail(context: MessageContext, message: Message): Promise<MessageDetail> {
  const { seq } = message
  const { messages, events: reported, deliveries: callbacks } = context.store
  const [rows, attempts, events, deliveries, call] = await Promise.all([
    messageRows(context, [message], true),
    messages.attempts(seq),
    reported.ofMessage(seq),
    callbacks.ofMessage(seq),
    messages.providerCall(seq),
  ])
  const [row] = rows
  if (row === undefined) throw new Error('a message has one row')
  return {
    ...row,
    queue: await placeInLine(context, message, row.held_by),
    unknown_members: message.unknownMembers ?? [],
    timeline: timelineOf(message, attempts, events),
    attempt_log: attempts.map((attempt) => ({
      number: attempt.number,
      at: isoTime(attempt.at),
      ended_at: isoTimeOrNull(attempt.endedAt),
      outcome: attempt.outcome,
      reason: attempt.reason,
    })),
    deliveries: deliveries.map((delivery) => ({
      id: String(delivery.id),
      webhook_id: String(delivery.endpointId),
      event: delivery.event,
      state: delivery.state,
    })),
    provider: call === undefined ? null : { request: call.request, http_status: call.httpStatus, answer: call.answer },
  }
}
