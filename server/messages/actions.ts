import { ApiError } from '../contract/errors.ts'
import type { MessageStore, SenderRow } from '../store/index.ts'
import type { QueueMessage } from './accept.ts'
import { recipientOf, repeatedMessage } from './new-message.ts'
import type { Recorder } from './record.ts'
import { failed } from './results.ts'
import { mayBecome } from './status.ts'

const BATCH = 500

export interface ActionDeps {
  messages: Pick<MessageStore, 'find' | 'due'>
  senderOf: (senderId: number) => SenderRow | undefined
  queueMessage: QueueMessage
  record: Recorder
  /** Deletes the file of a message. */
  releaseMedia: (messageId: string) => Promise<void>
  newId: () => string
  now: () => number
}

export type MessageActions = ReturnType<typeof createMessageActions>

/** What people do to messages: cancel, send again, give up with their sender. */
export function createMessageActions(deps: ActionDeps) {
  const { messages, senderOf, queueMessage, record, releaseMedia, newId, now } = deps

  return {
    /** @throws ApiError `message_not_cancellable` */
    async cancel(id: string): Promise<void> {
      const changed = await record.change({ id }, (message) =>
        mayBecome(message.status, 'cancelled') ? { status: 'cancelled', at: now(), nextAt: null } : null,
      )
      if (changed === undefined) {
        throw new ApiError('message_not_cancellable', 'Only a message that is still queued can be cancelled.')
      }
      await releaseMedia(id)
    },

    /**
     * Queues a new message with the same content; resolves with its id. `phone` is another number, as people write it.
     * @throws ApiError `conflict`, `invalid_request`
     */
    async sendAgain(id: string, phone?: string): Promise<string> {
      const old = await messages.find({ id })
      if (old === undefined || !['failed', 'cancelled'].includes(old.status) || old.channel !== 'standard') {
        throw new ApiError('conflict', 'Only a failed or cancelled message of a linked number can be sent again.')
      }
      const sender = senderOf(old.senderId)
      if (sender === undefined) {
        throw new ApiError('conflict', 'The sender of this message was deleted. Send it through another one.')
      }
      const recipient = phone === undefined ? old.recipient : recipientOf(sender, phone)
      const message = repeatedMessage(old, recipient, { id: newId(), at: now() })
      await queueMessage(message, { key: null })
      return message.id
    },

    /** Before a sender is deleted. */
    async failWaiting(senderId: number): Promise<void> {
      for (;;) {
        const batch = await messages.due(senderId, Number.MAX_SAFE_INTEGER, BATCH)
        if (batch.length === 0) return
        const at = now()
        await Promise.all(
          batch.map(({ seq }) =>
            record.change({ seq }, (message) => failed(message, 'sender_deleted', at) ?? { at, nextAt: null }),
          ),
        )
      }
    },
  }
}
