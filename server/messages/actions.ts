import { ApiError } from '../contract/errors.ts'
import type { Bus } from '../lib/bus.ts'
import type { Message } from '../store/rows.ts'
import type { Messages } from '../store/sqlite/messages.ts'
import { failed } from './outcome.ts'
import type { Recorder } from './record.ts'
import { mayBecome } from './status.ts'

export interface ActDeps {
  messages: Pick<Messages, 'accept' | 'find' | 'due'>
  record: Recorder
  release: (messageId: string) => Promise<void>
  bus: Bus
  newId: () => string
  now: () => number
}

const EXPIRES_AFTER = 7 * 24 * 3_600_000

/** What people do to messages: cancel, send again, give up with their sender. */
export function createActs({ messages, record, release, bus, newId, now }: ActDeps) {
  const bodyOf = (message: Message) => ({
    senderId: message.senderId,
    channel: message.channel,
    recipient: message.recipient,
    body: message.body,
    file: message.file,
    template: message.template,
    referenceId: message.referenceId,
    metadata: message.metadata,
  })

  return {
    /** @throws ApiError `message_not_cancellable` */
    async cancel(id: string): Promise<void> {
      const changed = await record.change({ id }, (m) =>
        mayBecome(m.status, 'cancelled') ? { status: 'cancelled', at: now(), nextAt: null } : null,
      )
      if (changed === undefined) {
        throw new ApiError('message_not_cancellable', 'Only a message that is still queued can be cancelled.')
      }
      await release(id)
    },

    /** A new message with the same content. Keeps WhatsApp's id where the first may have arrived, so that it shows only once. */
    async retry(id: string): Promise<string> {
      const old = messages.find({ id })
      if (old?.status !== 'failed' || old.channel !== 'standard') {
        throw new ApiError('conflict', 'Only a failed message of a linked number can be sent again.')
      }
      const at = now()
      const message = {
        ...bodyOf(old),
        id: newId(),
        keyNumber: null,
        templateName: null,
        status: 'queued' as const,
        createdAt: at,
        dueAt: at,
        expiresAt: at + EXPIRES_AFTER,
        nextAt: at,
        providerMessageId: old.error?.code === 'not_acknowledged' ? old.providerMessageId : null,
      }
      const accepted = await messages.accept(message, false)
      bus.emit('lane', { senderId: message.senderId })
      const { status, channel } = message
      if (accepted.kind === 'accepted') bus.emit('message', { seq: accepted.seq, status, channel })
      return message.id
    },

    /** Before a sender is deleted. */
    async failWaiting(senderId: number): Promise<void> {
      for (;;) {
        const batch = messages.due(senderId, Number.MAX_SAFE_INTEGER, 500)
        if (batch.length === 0) return
        await Promise.all(
          batch.map((message) =>
            record.change(
              { seq: message.seq },
              (m) => failed(m, 'sender_deleted', now()) ?? { at: now(), nextAt: null },
            ),
          ),
        )
      }
    },
  }
}
