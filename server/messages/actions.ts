import { ApiError } from '../contract/errors.ts'
import type { Message, MessageStore } from '../store/index.ts'
import type { QueueMessage } from './accept.ts'
import { repeatedMessage } from './new-message.ts'
import type { Recorder } from './record.ts'
import { backToFirstRoad, failed, givenUp } from './results.ts'
import { mayBecome } from './status.ts'

const BATCH = 500
/** Outcomes of attempts on a second road after which it is certain that nothing left. */
const NOTHING_LEFT: readonly (string | null)[] = ['offline', 'not_sent', 'refused']

export interface ActionDeps {
  messages: Pick<MessageStore, 'find' | 'due' | 'onOtherRoads' | 'attempts'>
  /** Whether a sender is not deleted. */
  isThere: (senderId: number) => boolean
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

  async function end({ seq, id, file }: Message): Promise<void> {
    const at = now()
    await record.change({ seq }, (message) => givenUp(message, 'sender_deleted', at) ?? { at, nextAt: null })
    if (file !== null) await releaseMedia(id)
  }

  /** The official sender of its second road was deleted, its own was not. */
  async function returnToSender(message: Message): Promise<void> {
    const { seq, laneId } = message
    const nothingLeft = (await messages.attempts(seq)).every(({ outcome }) => NOTHING_LEFT.includes(outcome))
    await record.change({ seq }, (current) => {
      // An attempt began or ended meanwhile: it is looked at again.
      if (current.laneId !== laneId || current.attempts !== message.attempts || current.status !== message.status) {
        return null
      }
      const at = now()
      return (
        (nothingLeft ? backToFirstRoad(current, at) : givenUp(current, 'sender_deleted', at)) ?? { at, nextAt: null }
      )
    })
  }

  /** What goes by a second road has no file. One that is being sent is ended by its outcome. */
  async function endOnOtherRoad({ seq }: Message): Promise<void> {
    await record.change({ seq }, (message) =>
      message.status === 'queued' ? failed(message, 'sender_deleted', now()) : null,
    )
  }

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
      if (old?.status !== 'failed' || !isOfLinked(old)) {
        throw new ApiError('conflict', 'Only a failed message of a linked number can be sent again.')
      }
      const message = repeatedMessage(old, { id: newId(), at: now() })
      await queueMessage(message, { key: null })
      return message.id
    },

    /**
     * Ends what waits for a sender that was deleted. What may have left is not called failed for that reason; what only
     * took its second road there waits for its own sender again.
     */
    async endWaiting(senderId: number): Promise<void> {
      await untilNone(
        () => messages.due(senderId, Number.MAX_SAFE_INTEGER, BATCH),
        (message) =>
          message.senderId !== senderId && deps.isThere(message.senderId) ? returnToSender(message) : end(message),
      )
      await untilNone(() => messages.onOtherRoads(senderId, BATCH), endOnOtherRoad)
    },
  }
}

/** A text or file; a message that took its second road is still one. */
const isOfLinked = ({ channel, laneId, senderId }: Message): boolean => channel === 'standard' || laneId !== senderId

async function untilNone(read: () => Promise<Message[]>, each: (message: Message) => Promise<void>): Promise<void> {
  for (;;) {
    const batch = await read()
    if (batch.length === 0) return
    await Promise.all(batch.map(each))
  }
}
