import type { Failure } from '../contract/failures.ts'
import type { Status } from '../contract/messages.ts'
import { isoTime } from '../lib/clock.ts'
import { messageData } from '../messages/view.ts'
import type { EventRow, Message } from '../store/rows.ts'

interface Told {
  status: Status
  provider_message_id: string | null
  error: Failure | null
}

/** The identity of a callback, the same over all its attempts; it survives a restored backup, which repeats row numbers. */
export const webhookId = (event: EventRow, message: Message | undefined): string =>
  message === undefined ? `evt_${event.recordedAt}_${event.seq}` : `evt_${message.id}_${event.type.replace('.', '_')}`

/** The body of a callback: the message as it was when the event happened. */
export function payloadOf(event: EventRow, message: Message | undefined, senderCode: string): string {
  const data: unknown = JSON.parse(event.data)
  const told = data as Told
  return JSON.stringify({
    type: event.type,
    timestamp: isoTime(event.recordedAt),
    data:
      message === undefined
        ? data
        : messageData(
            {
              ...message,
              status: told.status,
              providerMessageId: told.provider_message_id,
              error: told.error,
              occurredAt: event.at,
            },
            senderCode,
          ),
  })
}
