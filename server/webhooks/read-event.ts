import { z } from 'zod'
import { failure } from '../contract/failures.ts'
import { status } from '../contract/messages.ts'
import type { Vault } from '../lib/vault.ts'
import { messageData } from '../messages/view.ts'
import { type EventRow, type Message, PLACES, type Store } from '../store/index.ts'
import type { ReportedEvent } from './formats.ts'

/** A message as its event keeps it: the message goes on changing. */
const messageEvent = z.object({
  status,
  provider_message_id: z.string().nullable(),
  error: failure.nullable(),
})
/** Events of senders and of what customers write name their sender. */
const ofSender = z.object({ sender_code: z.string() })

/**
 * The identity of a callback, the same over all its attempts; it survives a restored backup, which
 * repeats row numbers.
 */
const webhookId = (event: EventRow, message: Message | undefined): string =>
  message === undefined ? `evt_${event.recordedAt}_${event.seq}` : `evt_${message.id}_${event.type.replace('.', '_')}`

/** The message as it was when the event happened. */
function messageAt(event: EventRow, message: Message): Message {
  const { status, provider_message_id: providerMessageId, error } = messageEvent.parse(event.data)
  return { ...message, status, providerMessageId, error, occurredAt: event.at }
}

/** Reads events for their callbacks; undefined where one is gone. */
export function createReadEvent({ store, vault }: { store: Store; vault: Vault }) {
  const { events, messages, replies, senders } = store

  async function dataOf(event: EventRow): Promise<unknown> {
    if (event.type !== 'message.received') return event.data
    const sealed = await replies.body(event.seq)
    return sealed === undefined ? undefined : JSON.parse(vault.open(sealed, PLACES.reply).toString('utf8'))
  }

  return async (seq: number): Promise<ReportedEvent | undefined> => {
    const row = await events.get(seq)
    if (row === undefined) return undefined
    const { type, recordedAt } = row
    const now = row.messageSeq === null ? undefined : await messages.find({ seq: row.messageSeq })
    if (now !== undefined) {
      const message = messageAt(row, now)
      const data = messageData(message, senders.codeOf(message.senderId))
      const sender = senders.get(message.senderId)
      return { type, webhookId: webhookId(row, message), recordedAt, data, message, sender }
    }
    const data = await dataOf(row)
    if (data === undefined) return undefined
    const named = ofSender.safeParse(data)
    const sender = named.success ? senders.byCode(named.data.sender_code) : undefined
    return { type, webhookId: webhookId(row, undefined), recordedAt, data, message: undefined, sender }
  }
}
