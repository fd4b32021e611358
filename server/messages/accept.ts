import { ApiError, duplicateReference } from '../contract/errors.ts'
import type { SendRequest } from '../contract/send.ts'
import type { Bus } from '../lib/bus.ts'
import type { IdempotencyRecord, KeyRow, MessageStore, NewMessage } from '../store/index.ts'
import { type AsSent, addressOf, type Origin, standardMessage } from './new-message.ts'

export const MAX_WAITING = 100_000

/** Another call with the same idempotency key was quicker: its answer is the one to give. */
export class IdempotencyKeyInUse extends Error {}

export interface QueueOptions {
  /** Who sends; null: the owner. */
  key: KeyRow | null
  idempotency?: IdempotencyRecord | undefined
  providerRequest?: unknown
}

/**
 * Writes a message and wakes its lane. Resolves with its `seq` when it is on disk.
 * @throws ApiError `duplicate_reference`, `queue_full`, `sender_not_found`, IdempotencyKeyInUse, StorageError: nothing was accepted
 */
export type QueueMessage = (message: NewMessage, options: QueueOptions) => Promise<number>

export function createQueueMessage(deps: {
  messages: Pick<MessageStore, 'accept' | 'waiting'>
  bus: Bus
}): QueueMessage {
  return async (message, { key, idempotency, providerRequest }) => {
    if (message.nextAt !== null && deps.messages.waiting(message.senderId) >= MAX_WAITING) throw queueFull()
    const unique = key?.refuseDuplicateReference ?? false
    const accepted = await deps.messages.accept(message, { unique, idempotency, providerRequest })
    if (accepted.kind === 'duplicate_reference') throw duplicateReference(accepted.id)
    if (accepted.kind === 'sender_deleted') throw new ApiError('sender_not_found', 'This sender was deleted.')
    if (accepted.kind === 'key_in_use') throw new IdempotencyKeyInUse()
    const { seq } = accepted
    if (message.nextAt !== null) deps.bus.emit('lane', { senderId: message.senderId })
    deps.bus.emit('message', { seq, status: message.status, channel: message.channel, isNewStatus: true, sinceDue: 0 })
    return seq
  }
}

const queueFull = () =>
  new ApiError('queue_full', `${MAX_WAITING} messages wait for this sender already. Nothing was accepted.`, {
    retry_after: 60,
  })

export interface PrepareDeps {
  newId: () => string
  now: () => number
}

/**
 * The message that a request of /send asks for, not written yet.
 * @throws ApiError `invalid_request`
 */
export type PrepareMessage = (origin: Origin, request: SendRequest, asSent: AsSent) => NewMessage

export function createPrepareMessage({ newId, now }: PrepareDeps): PrepareMessage {
  return (origin, request, asSent) =>
    standardMessage(addressOf(origin, request, asSent), request, { id: newId(), at: now() })
}
