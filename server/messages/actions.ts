import { ApiError } from '../contract/errors.ts'
import type { ChangeMessageRequest, Status } from '../contract/messages.ts'
import { uploadedFileId } from '../contract/send.ts'
import { DAY } from '../lib/clock.ts'
import type { Message, Store } from '../store/index.ts'
import { acceptMessage } from './accept.ts'
import type { Outcome } from './channel.ts'
import type { MessageContext } from './context.ts'
import { plannedChange, recipientOf, repeatedMessage } from './new-message.ts'
import { backToFirstRoad, cancelled, failed, givenUp, mayBeOfOtherNumber, NOTHING_LEFT } from './status.ts'

const BATCH = 500
// Newer messages to one recipient that are read at once in the search for a repetition.
const NEWER = 50
const OVER: readonly Status[] = ['failed', 'cancelled']

// WhatsApp's phones accept a deletion for two days and some hours.
const REVOCABLE_FOR = 2 * DAY
const SENT: readonly Status[] = ['sent', 'delivered', 'read']
const NOT_SENT = 'Only a sent message of a linked number can be deleted for everyone.'
const OTHER_NUMBER =
  'Only the number that sent a message can delete it for everyone, and another one is linked to this sender now.'

function afterRevoke(outcome: Outcome | undefined): string {
  if (outcome === undefined || outcome.kind === 'offline') return 'The sender is not connected. Try again when it is.'
  return outcome.kind === 'refused'
    ? 'WhatsApp refused to delete this message.'
    : 'WhatsApp did not confirm that the message is deleted. Try again.'
}

/**
 * Runs an act on one message, unless the same act is running.
 * @throws ApiError `conflict`
 */
async function once<T>({ underWay }: MessageContext, act: string, refusal: string, work: () => Promise<T>): Promise<T> {
  if (underWay.has(act)) throw new ApiError('conflict', refusal)
  underWay.add(act)
  try {
    return await work()
  } finally {
    underWay.delete(act)
  }
}

/** Resolves with the reason why a message cannot be deleted for everyone; null: it can. */
async function notRevocable(
  { store: { messages, events, senders }, now }: MessageContext,
  { seq, channel, status, senderId }: Message,
): Promise<string | null> {
  if (channel !== 'standard' || !SENT.includes(status)) return NOT_SENT
  if ((await events.ofMessage(seq)).some(({ type }) => type === 'message.revoked')) {
    return 'This message was deleted for everyone before.'
  }
  const attempts = await messages.attempts(seq)
  if (now() - (attempts.at(-1)?.at ?? 0) > REVOCABLE_FOR) {
    return 'WhatsApp deletes a message for everyone only within two days.'
  }
  return mayBeOfOtherNumber(attempts, senders.get(senderId)) ? OTHER_NUMBER : null
}

const ELSEWHERE =
  'The connection of this sender is not here now. Try again in a moment; where several programs share the database, ask the one that has it.'

async function revokeOne(context: MessageContext, id: string): Promise<void> {
  const message = await context.store.messages.find({ id })
  const problem = message === undefined ? NOT_SENT : await notRevocable(context, message)
  if (message?.providerMessageId == null || problem !== null) {
    throw new ApiError('message_not_revocable', problem ?? NOT_SENT)
  }
  const { providerMessageId } = message
  const channel = context.channelOf(message.senderId)
  if (channel === undefined && context.store.senders.get(message.senderId)?.state === 'connected')
    throw new ApiError('conflict', ELSEWHERE)
  const outcome = await channel?.revoke?.({ ...message, providerMessageId })
  if (outcome?.kind !== 'acknowledged') throw new ApiError('conflict', afterRevoke(outcome))
  await context.record.change({ id }, () => ({ at: context.now(), revoked: true }))
}

/** Deletes a sent message for everyone. @throws ApiError `message_not_revocable`, `conflict` */
export const revokeMessage = (context: MessageContext, id: string): Promise<void> =>
  // A second click would delete the message, and report the deletion, twice.
  once(context, `revoke ${id}`, 'This message is being deleted for everyone already.', () => revokeOne(context, id))

async function cancelOne({ record, files, now }: MessageContext, id: string): Promise<boolean> {
  const changed = await record.change({ id }, (message) => cancelled(message, now()))
  if (changed !== undefined) await files.media.release(id)
  return changed !== undefined
}

/** @throws ApiError `message_not_cancellable` */
export async function cancelMessage(context: MessageContext, id: string): Promise<void> {
  if (await cancelOne(context, id)) return
  throw new ApiError('message_not_cancellable', 'Only a message that is still queued can be cancelled.')
}

/** Cancels all queued messages that match; resolves with their number. */
export async function cancelAll(
  context: MessageContext,
  filter: { referenceId?: string | undefined; senderId?: number | undefined },
): Promise<number> {
  let count = 0
  let before: number | undefined
  for (;;) {
    const rows = await context.store.messages.list({ ...filter, statuses: ['queued'], before, limit: BATCH })
    const changes = await Promise.all(rows.map(({ id }) => cancelOne(context, id)))
    count += changes.filter(Boolean).length
    if (rows.length < BATCH) return count
    before = rows.at(-1)?.seq
  }
}

/**
 * Changes the plan of a message that still waits.
 * @throws ApiError `message_not_changeable`, `invalid_request`
 */
export async function changeMessage(
  { store, record, lanes, now }: MessageContext,
  id: string,
  request: ChangeMessageRequest,
): Promise<void> {
  const old = await store.messages.find({ id })
  // This first call only validates, so that wrong values are refused before the transaction.
  if (old !== undefined) plannedChange(old, request, now())
  const changed = await record.change({ id }, (message) =>
    message.status === 'queued' && message.nextAt !== null ? plannedChange(message, request, now()) : null,
  )
  if (changed === undefined) {
    throw new ApiError('message_not_changeable', 'Only a message that still waits can be changed.')
  }
  lanes.wake(changed.after.laneId)
}

/**
 * Resolves with the id of a newer message that repeats an ended one; null: none does. A repetition
 * exists if another window was quicker, or if the answer to an earlier click was lost.
 * @param passedOver statuses of repetitions that do not count
 */
export async function wasSentAgain(
  { messages, time }: Store,
  { seq, occurredAt, ...old }: Message,
  recipient: string,
  passedOver: readonly Status[],
): Promise<string | null> {
  const { at, by } = time.lastSet() ?? { at: 0, by: 0 }
  // If the clock was set back since, newer messages carry earlier times than the end.
  const endedAt = occurredAt <= at - by ? Math.min(occurredAt, at) : occurredAt
  const isSame = (one: Message) =>
    // The repetition may have been moved to another sender.
    [one.senderId, one.movedFrom].includes(old.senderId) &&
    (['body', 'file', 'referenceId'] as const).every((member) => one[member] === old[member])
  for (let before: number | undefined; ; ) {
    const rows = await messages.list({ recipients: [recipient], before, limit: NEWER })
    const newer = rows.filter((one) => one.seq > seq && one.createdAt >= endedAt)
    const found = newer.find((one) => isSame(one) && !passedOver.includes(one.status))
    if (found !== undefined) return found.id
    if (newer.length < NEWER) return null
    before = newer.at(-1)?.seq
  }
}

async function repeat(context: MessageContext, id: string, phone: string | undefined): Promise<string> {
  const { store } = context
  const old = await store.messages.find({ id })
  if (old === undefined || !OVER.includes(old.status) || !isOfLinked(old)) {
    throw new ApiError('conflict', 'Only a failed or cancelled message of a linked number can be sent again.')
  }
  const sender = store.senders.get(old.senderId)
  if (sender === undefined) {
    throw new ApiError('conflict', 'The sender of this message was deleted. Send it through another one.')
  }
  const recipient = phone === undefined ? old.recipient : recipientOf({ sender, key: null }, phone)
  const newer = await wasSentAgain(store, old, recipient, OVER)
  if (newer !== null) {
    throw new ApiError('conflict', `This message was sent again already: ${newer}.`, { message_id: newer })
  }
  const message = repeatedMessage(old, recipient, { id: context.newId(), at: context.now() })
  if (!(await isStillThere(context, old.file))) {
    throw new ApiError('conflict', 'The file of this message is not kept any more. Send it again from your program.')
  }
  await acceptMessage(context, message, { key: null })
  return message.id
}

/** Resolves with false if the file was uploaded to Kurir and its bytes are deleted. */
async function isStillThere({ files }: MessageContext, file: string | null): Promise<boolean> {
  const id = uploadedFileId(file)
  return id === undefined || (await files.uploads.get(id)) !== undefined
}

/**
 * Queues a new message with the same content; resolves with the id of the new message.
 * @param phone another recipient, in any form that people write
 * @throws ApiError `conflict`, `invalid_request`, `sender_not_found`, `queue_full`
 */
export const sendAgain = (context: MessageContext, id: string, phone?: string): Promise<string> =>
  once(context, `repeat ${id}`, 'This message is being sent again already.', () => repeat(context, id, phone))

/**
 * Ends all messages that wait for a deleted sender. A message that may have left fails as
 * `not_acknowledged`, not as `sender_deleted`. A message that was in this lane only as its second
 * road waits for its own sender again.
 */
export async function endWaiting(context: MessageContext, senderId: number): Promise<void> {
  const { queues, senders } = context.store
  await untilNone(
    () => queues.due(senderId, Number.MAX_SAFE_INTEGER, BATCH),
    (message) =>
      message.senderId !== senderId && senders.get(message.senderId) !== undefined
        ? returnToSender(context, message)
        : end(context, message),
  )
  await untilNone(
    () => queues.onOtherRoads(senderId, BATCH),
    (message) => endOnOtherRoad(context, message),
  )
}

async function end({ record, files, now }: MessageContext, { seq, id, file }: Message): Promise<void> {
  const at = now()
  await record.change({ seq }, (message) => givenUp(message, 'sender_deleted', at) ?? { at, nextAt: null })
  if (file !== null) await files.media.release(id)
}

/** Moves a message back from its second road, whose official sender was deleted. */
async function returnToSender({ store, record, now }: MessageContext, message: Message): Promise<void> {
  const { seq, laneId } = message
  const attempts = await store.messages.attempts(seq)
  const nothingLeft = attempts.every(({ outcome }) => NOTHING_LEFT.includes(outcome))
  await record.change({ seq }, (current) => {
    // An attempt began or ended since the read, so the next batch looks at the message again.
    if (current.laneId !== laneId || current.attempts !== message.attempts || current.status !== message.status) {
      return null
    }
    const at = now()
    return (nothingLeft ? backToFirstRoad(current, at) : givenUp(current, 'sender_deleted', at)) ?? { at, nextAt: null }
  })
}

/**
 * Ends a message that is queued on a second road. A message that is being sent ends by its outcome.
 * No file is released, because messages on a second road have none.
 */
async function endOnOtherRoad({ record, now }: MessageContext, { seq }: Message): Promise<void> {
  await record.change({ seq }, (message) =>
    message.status === 'queued' ? failed(message, 'sender_deleted', now()) : null,
  )
}

/** True for a text or file of a linked number, also while it is on its second road. */
const isOfLinked = ({ channel, laneId, senderId }: Message): boolean => channel === 'standard' || laneId !== senderId

async function untilNone(read: () => Promise<Message[]>, each: (message: Message) => Promise<void>): Promise<void> {
  for (;;) {
    const batch = await read()
    if (batch.length === 0) return
    await Promise.all(batch.map(each))
  }
}
