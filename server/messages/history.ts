import type { MessageDetail, TimelineEntry } from '../contract/messages.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { AttemptRow, EventRow, Message } from '../store/index.ts'
import type { MessageContext } from './context.ts'
import { messageRows, placeInLine } from './view.ts'

const AFTER_ACCEPTANCE = new Set(['sent', 'delivered', 'read', 'failed'])

/** Meta's acceptance is no event: callers have it as their answer. The history shows it. */
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
  // Meta gives whole seconds, so its statuses may seem older than the call that they follow.
  const accepted = entries.find(({ type }) => type === 'accepted')?.at ?? 0
  const rank = ({ type, at }: { type: string; at: number }) =>
    AFTER_ACCEPTANCE.has(type) ? Math.max(at, accepted) : at
  return entries.sort((a, b) => rank(a) - rank(b)).map((entry) => ({ ...entry, at: isoTime(entry.at) }))
}

/** Everything that is known of one message. */
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
