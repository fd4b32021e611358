import type { MessageDetail, TimelineEntry } from '../contract/messages.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { Message } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { messageRow } from './view.ts'

type Reads = Pick<Store, 'messages' | 'events' | 'deliveries' | 'senders' | 'calls'>

function timelineOf(message: Message, store: Reads): TimelineEntry[] {
  const entries = [
    { type: message.channel === 'standard' ? 'queued' : 'sending', at: message.createdAt, detail: null },
    ...store.messages.attempts(message.seq).map((attempt) => ({
      type: 'attempt',
      at: attempt.at,
      detail: attempt.reason ?? attempt.outcome,
    })),
    ...store.events.ofMessage(message.seq).map((event) => ({
      type: event.type.replace('message.', ''),
      at: event.at,
      detail: event.type === 'message.failed' ? (message.error?.message ?? null) : null,
    })),
  ]
  return entries.sort((a, b) => a.at - b.at).map((entry) => ({ ...entry, at: isoTime(entry.at) }))
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
    provider: store.calls.get(message.seq) ?? null,
  }
}
