import type { MessageDetail, TimelineEntry } from '../contract/messages.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { Store } from '../store/index.ts'
import type { AttemptRow, Message } from '../store/rows.ts'
import { messageRow } from './view.ts'

const AFTER_ACCEPTANCE = new Set(['sent', 'delivered', 'read', 'failed'])

type Reads = Pick<Store, 'messages' | 'events' | 'deliveries' | 'senders' | 'calls'>

/** Meta's acceptance is no event, because callers have it as their answer; the history shows it all the same. */
function attemptEntries(message: Message, { at, endedAt, outcome, reason }: AttemptRow) {
  const attempt = { type: 'attempt', at, detail: reason ?? outcome }
  const accepted = message.channel === 'template' && outcome === 'acknowledged' && endedAt !== null
  return accepted ? [attempt, { type: 'accepted', at: endedAt, detail: null }] : [attempt]
}

function timelineOf(message: Message, store: Reads): TimelineEntry[] {
  const entries = [
    { type: message.channel === 'standard' ? 'queued' : 'sending', at: message.createdAt, detail: null },
    ...store.messages.attempts(message.seq).flatMap((attempt) => attemptEntries(message, attempt)),
    ...store.events.ofMessage(message.seq).map((event) => ({
      type: event.type.replace('message.', ''),
      at: event.at,
      detail: event.type === 'message.failed' ? (message.error?.message ?? null) : null,
    })),
  ]
  // Meta tells whole seconds, so its statuses may seem older than the call that they answer.
  const accepted = entries.find(({ type }) => type === 'accepted')?.at ?? 0
  const rank = ({ type, at }: { type: string; at: number }) =>
    AFTER_ACCEPTANCE.has(type) ? Math.max(at, accepted) : at
  return entries.sort((a, b) => rank(a) - rank(b)).map((entry) => ({ ...entry, at: isoTime(entry.at) }))
}

function providerOf(message: Message, store: Reads): MessageDetail['provider'] {
  const call = store.calls.get(message.seq)
  return call === undefined ? null : { request: call.request, http_status: call.httpStatus, answer: call.answer }
}

/** Everything that is known of one message. */
export function messageDetail(message: Message, store: Reads): MessageDetail {
  return {
    ...messageRow(message, store.senders.codeOf(message.senderId), true),
    timeline: timelineOf(message, store),
    attempt_log: store.messages.attempts(message.seq).map((attempt) => ({
      number: attempt.number,
      at: isoTime(attempt.at),
      ended_at: isoTimeOrNull(attempt.endedAt),
      outcome: attempt.outcome,
      reason: attempt.reason,
    })),
    deliveries: store.deliveries.ofMessage(message.seq).map((delivery) => ({
      id: String(delivery.id),
      webhook_id: String(delivery.endpointId),
      event: delivery.event,
      state: delivery.state,
    })),
    provider: providerOf(message, store),
  }
}
