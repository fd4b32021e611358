import { ApiError } from '../contract/errors.ts'
import type { SendRequest } from '../contract/send.ts'
import { SECOND } from '../lib/clock.ts'
import type { Accepted, IdempotencyRecord, IdempotencySlot, KeyRow, NewMessage } from '../store/index.ts'
import { duplicateContent, duplicateReference, fileGone, recipientOptedOut } from '../words/errors.ts'
import type { AcceptContext, MessageContext } from './context.ts'
import { withFile } from './files.ts'
import { groupMeant } from './groups.ts'
import {
  type AsSent,
  type AttachedFile,
  commonPartOf,
  NOTHING_AS_SENT,
  type Origin,
  recipientOf,
  standardMessage,
} from './new-message.ts'

export const MAX_WAITING = 100_000

/** Another call with this idempotency key was stored first, so the caller gets its answer. */
export class IdempotencyKeyInUse extends Error {}

/** An identical call came a moment ago; `id` is the message that it created. */
export class RepeatedCall extends Error {
  readonly id: string

  constructor(id: string) {
    super('the same call once more')
    this.id = id
  }
}

interface AcceptedFor {
  key: KeyRow | null
  /** An identical call at or after this time counts as a repeat of this one. */
  repeatedSince?: number | null
  idempotency?: IdempotencyRecord | undefined
}

/**
 * Stores a message of a key (null: the owner's) and wakes its lane. Resolves with the message's
 * `seq` when it is on disk.
 * @throws ApiError `duplicate_reference`, `duplicate_content`, `recipient_opted_out`, `queue_full`,
 *   `sender_not_found`, IdempotencyKeyInUse, RepeatedCall, StorageError: nothing was accepted
 */
export async function acceptMessage(
  { store: { messages, queues }, bus }: AcceptContext,
  message: NewMessage,
  { key, repeatedSince = null, idempotency }: AcceptedFor,
): Promise<number> {
  if (message.nextAt !== null && queues.waiting(message.senderId) >= MAX_WAITING) throw queueFull()
  const unique = key?.refuseDuplicateReference ?? false
  const sameContentSince = sameContentLimit(message, key)
  const accepted = await messages.accept(message, { unique, sameContentSince, repeatedSince, idempotency })
  if (accepted.kind !== 'accepted') throw refusal(accepted)
  const { seq } = accepted
  const { status, channel, laneId, providerMessageId } = message
  if (message.nextAt !== null) bus.emit('lane', { senderId: message.senderId })
  bus.emit('message', { seq, status, channel, laneId, providerMessageId, isNewStatus: true, sinceDue: 0 })
  return seq
}

/**
 * Returns the time since which the same content is refused; null: content is not compared.
 * Templates are exempt, because their content is Meta's.
 */
function sameContentLimit({ channel, createdAt }: NewMessage, key: KeyRow | null): number | null {
  const seconds = key?.refuseDuplicateContentSeconds ?? null
  return seconds === null || channel !== 'standard' ? null : createdAt - seconds * SECOND
}

const queueFull = () =>
  new ApiError('queue_full', `${MAX_WAITING} messages wait for this sender already. Nothing was accepted.`, {
    retry_after: 60,
  })

function refusal(refused: Exclude<Accepted, { kind: 'accepted' }>): Error {
  switch (refused.kind) {
    case 'duplicate_reference':
      return duplicateReference(refused.id)
    case 'duplicate_content':
      return duplicateContent(refused.id)
    case 'repeated':
      return new RepeatedCall(refused.id)
    case 'opted_out':
      return recipientOptedOut(refused.scope)
    case 'file_gone':
      return fileGone()
    case 'sender_deleted':
      return new ApiError('sender_not_found', 'This sender was deleted.')
    case 'key_in_use':
      return new IdempotencyKeyInUse()
  }
}

/**
 * Builds the message that a request of /send asks for, and does not store it.
 * @throws ApiError `invalid_request`, `group_unknown`, `group_no_marketing`
 */
export async function prepareMessage(
  { store, newId, now }: AcceptContext,
  origin: Origin,
  request: SendRequest,
  asSent: AsSent,
  attached: AttachedFile | null,
): Promise<NewMessage> {
  const { phone = '', group } = request
  if (group !== undefined && request.purpose === 'marketing') throw noMarketing()
  const recipient =
    group === undefined ? recipientOf(origin, phone) : await groupMeant(store.groups, origin.sender, group)
  const common = commonPartOf(origin, request, asSent, recipient)
  return standardMessage(common, request, attached, { id: newId(), at: now() })
}

const noMarketing = () => new ApiError('group_no_marketing', 'Advertising does not go to groups. Nothing was accepted.')

/** A request with its origin and the function that answers it. */
interface Asked<T> extends Origin {
  request: SendRequest
  asSent?: AsSent
  answer: (message: NewMessage) => T
  /** Slot that keeps the answer, with `status`, for repeats of the call. */
  slot?: IdempotencySlot | undefined
  /** Default: 200. */
  status?: number
}

/**
 * Accepts the message that a request of /send asks for. Resolves with the answer to the caller.
 * @throws ApiError nothing was accepted
 */
export function acceptRequest<T>(
  context: MessageContext,
  { sender, key, request, asSent = NOTHING_AS_SENT, answer, slot, status = 200 }: Asked<T>,
): Promise<T> {
  return withFile(context.files, request, key, async (attached) => {
    const message = await prepareMessage(context, { sender, key }, request, asSent, attached)
    const said = answer(message)
    const idempotency = slot && { ...slot, answer: { status, body: JSON.stringify(said) } }
    await acceptMessage(context, message, { key, idempotency })
    return said
  })
}
