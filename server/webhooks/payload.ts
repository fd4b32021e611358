import { z } from 'zod'
import { failure } from '../contract/failures.ts'
import { status } from '../contract/messages.ts'
import { isoTime } from '../lib/clock.ts'
import { messageData } from '../messages/view.ts'
import type { EventRow, Message } from '../store/index.ts'

/** A message as its event keeps it: the message goes on changing. */
const messageEvent = z.object({
  status,
  provider_message_id: z.string().nullable(),
  error: failure.nullable(),
})

/**
 * The identity of a callback, the same over all its attempts; it survives a restored backup, which
 * repeats row numbers.
 */
export const webhookId = (event: EventRow, message: Message | undefined): string =>
  message === undefined ? `evt_${event.recordedAt}_${event.seq}` : `evt_${message.id}_${event.type.replace('.', '_')}`

/** The body of a callback. */
export const payloadOf = (event: EventRow, message: Message | undefined, senderCode: string): string =>
  JSON.stringify({
    type: event.type,
    timestamp: isoTime(event.recordedAt),
    data: message === undefined ? event.data : messageData(messageAt(event, message), senderCode),
  })

/** The message as it was when the event happened. */
function messageAt(event: EventRow, message: Message): Message {
  const { status, provider_message_id: providerMessageId, error } = messageEvent.parse(event.data)
  return { ...message, status, providerMessageId, error, occurredAt: event.at }
}
