import { ApiError } from '../contract/errors.ts'
import type { MessageStore } from '../store/index.ts'
import type { QueueMessage } from './accept.ts'
import { repeatedMessage } from './new-message.ts'
import type { Recorder } from './record.ts'
import { givenUp } from './results.ts'
import { mayBecome } from './status.ts'

const BATCH = 500

export interface ActionDeps {
  messages: Pick<MessageStore, 'find' | 'due'>
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
  const { messages, queueMessage, record, releaseMedia, newId, now } = deps

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

    /** Queues a new message with the same content; resolves with its id. @throws ApiError `conflict`, `sender_not_found`, `queue_full` */
    async sendAgain(id: string): Promise<string> {
      const old = await messages.find({ id })
      if (old?.status !== 'failed' || old.channel !== 'standard') {
        throw new ApiError('conflict', 'Only a failed message of a linked number can be sent again.')
      }
      const message = repeatedMessage(old, { id: newId(), at: now() })
      await queueMessage(message, { key: null })
      return message.id
    },

    /** Ends what waits for a sender that was deleted. What may have left is not called failed for that reason. */
    async endWaiting(senderId: number): Promise<void> {
      for (;;) {
        const batch = await messages.due(senderId, Number.MAX_SAFE_INTEGER, BATCH)
        if (batch.length === 0) return
        const at = now()
        await Promise.all(
          batch.map(async ({ seq, id, file }) => {
            await record.change({ seq }, (message) => givenUp(message, 'sender_deleted', at) ?? { at, nextAt: null })
            if (file !== null) await releaseMedia(id)
          }),
        )
      }
    },
  }
}
