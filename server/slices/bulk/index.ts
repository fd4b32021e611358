import { ApiError } from '../../contract/errors.ts'
import { mayHaveArrived, worthSendingAgain } from '../../contract/failures.ts'
import { idParams } from '../../contract/fields.ts'
import { isGroupId } from '../../contract/phone.ts'
import { messageFilter } from '../../http/message-filter.ts'
import { defineRoute, ok, type Route } from '../../http/route.ts'
import { type Clock, isoTime, MINUTE } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { MAX_WAITING } from '../../messages/accept.ts'
import { cancelMessage, sendAgain, wasSentAgain } from '../../messages/actions.ts'
import type { MessageContext } from '../../messages/context.ts'
import { senderOfTexts } from '../../senders/pick.ts'
import type { Message, MessageSelection, SenderRow, SenderStore } from '../../store/index.ts'
import {
  BULK_MAX,
  type BulkAction,
  type BulkRequest,
  type BulkView,
  bulkAnswer,
  bulkRequest,
  UNDO_WITHIN,
  undoneAnswer,
} from './contract.ts'

const PAGE = 500
// Calls that share one commit. One by one, a slow disk would need longer than HELD_FOR.
const AT_ONCE = 100
// Longer than taking all messages plus the time to undo, so that no held message leaves before.
const HELD_FOR = MINUTE

/** A message that waits for an action, without its text: there may be thousands of long texts. */
interface Taken {
  id: string
  dueAt: number
  /** `nextAt` before the message was held back. */
  nextAt: number | null
  heldUntil: number | null
}

/** `to` is the new sender of a move. */
interface Act {
  id: string
  action: BulkAction
  to: SenderRow | null
  /** `nextAt` that a lane gives a held message when it comes due. */
  until: number
  taken: Taken[]
}

interface Pending extends Act {
  stopTimer: () => void
}

interface BulkContext extends MessageContext {
  clock: Clock
  logger: Logger
  pending: Map<string, Pending>
  running: Set<Promise<void>>
  /** Ids of messages that an action has taken and not finished. */
  busy: Set<string>
}

type BulkActions = ReturnType<typeof createBulkActions>

/**
 * Carries out one action on many messages, which the owner may undo for ten seconds. Actions live
 * in memory: a normal exit carries them out first; after a crash none has happened, and the held
 * messages continue by themselves.
 */
export function createBulkActions(messaging: MessageContext, clock: Clock, logger: Logger) {
  const context: BulkContext = { ...messaging, clock, logger, pending: new Map(), running: new Set(), busy: new Set() }
  return {
    /** `filter` is the parsed filter of the request, unused if the request names ids. */
    begin(request: BulkRequest, filter: MessageSelection, to: SenderRow | null = null): Promise<BulkView> {
      const act = { id: context.newId(), action: request.action, to, until: clock.now() + HELD_FOR, taken: [] }
      return begin(context, act, candidates(context, request, filter))
    },

    /**
     * Resolves with the number of messages that stay unchanged. @throws ApiError if it is too late
     */
    async undo(id: string): Promise<number> {
      const found = forget(context, id)
      if (found === undefined) throw new ApiError('not_found', 'It is too late to undo this.')
      await giveBack(context, found, found.taken)
      return found.taken.length
    },

    /** Carries out pending actions and waits for running ones, because the owner asked for them. */
    close: (): Promise<void> => finish(context, [...context.pending.keys()]),
  }
}

async function begin(context: BulkContext, act: Act, messages: AsyncIterable<Message>): Promise<BulkView> {
  const { store, clock, pending } = context
  const { id, action, to, taken } = act
  try {
    await takeAll(context, act, messages)
  } catch (error) {
    await giveBack(context, act, taken)
    throw error
  }
  const room = to === null ? BULK_MAX : Math.min(BULK_MAX, MAX_WAITING - store.queues.waiting(to.id))
  const rest = taken.splice(Math.max(room, 0))
  await giveBack(context, act, rest)
  const runsAt = clock.now() + UNDO_WITHIN
  if (taken.length > 0) {
    const stopTimer = clock.after(UNDO_WITHIN, () => void finish(context, [id]))
    pending.set(id, { ...act, stopTimer })
  }
  return { id, action, count: taken.length, more: rest.length > 0, runs_at: isoTime(runsAt) }
}

async function* candidates({ store: { messages } }: BulkContext, request: BulkRequest, filter: MessageSelection) {
  for (const id of request.ids ?? []) {
    const message = await messages.find({ id })
    if (message !== undefined) yield message
  }
  if (request.ids !== undefined) return
  const wanted = request.action === 'send_again' ? 'failed' : 'queued'
  if (filter.statuses !== undefined && !filter.statuses.includes(wanted)) return
  for (let before: number | undefined; ; ) {
    const rows = await messages.list({ ...filter, statuses: [wanted], before, limit: PAGE })
    yield* rows
    if (rows.length < PAGE) return
    before = rows.at(-1)?.seq
  }
}

/** Takes at most one message more than an action may have, which shows that there are more. */
async function takeAll(context: BulkContext, act: Act, messages: AsyncIterable<Message>): Promise<void> {
  const { taken } = act
  const batch: Message[] = []
  const takeBatch = async () => {
    const found = await Promise.allSettled(batch.splice(0).map((message) => take(context, act, message)))
    for (const each of found) if (each.status === 'fulfilled' && each.value !== null) taken.push(each.value)
    for (const each of found) if (each.status === 'rejected') throw each.reason
  }
  for await (const message of messages) {
    if (!fits(context, act, message)) continue
    batch.push(message)
    if (batch.length === AT_ONCE || taken.length + batch.length > BULK_MAX) await takeBatch()
    if (taken.length > BULK_MAX) return
  }
  await takeBatch()
}

/** Resolves with null if the message does not fit, or another action took it first. */
async function take(context: BulkContext, act: Act, message: Message): Promise<Taken | null> {
  if (!fits(context, act, message)) return null
  // Mark the message before the first await: a double click arrives at the same moment.
  context.busy.add(message.id)
  let taken: Taken | null = null
  try {
    if (act.action !== 'send_again') taken = await hold(context, act, message)
    // Skip a message that was already sent again; if that repetition failed, it is listed itself.
    else if ((await wasSentAgain(context.store, message, message.recipient, ['cancelled'])) === null)
      taken = takenOf(message, null)
    return taken
  } finally {
    if (taken === null) free(context, message.id)
  }
}

function fits(context: BulkContext, { action, to }: Act, message: Message): boolean {
  const { id, channel, status, error } = message
  if (channel !== 'standard' || context.busy.has(id)) return false
  if (action === 'cancel') return status === 'queued'
  if (action === 'move') return to !== null && mayMove(context, message, to)
  return status === 'failed' && error !== null && !mayHaveArrived(error.code) && worthSendingAgain(error.code)
}

/**
 * Returns true if the message is waiting and has certainly not left. A group belongs to its sender,
 * and a sandbox message must not become real nor a real one sandboxed.
 */
const mayMove = ({ store: { senders } }: BulkContext, message: Message, to: SenderRow): boolean =>
  message.status === 'queued' &&
  message.nextAt !== null &&
  message.laneId === message.senderId &&
  message.senderId !== to.id &&
  // The new sender may have been deleted meanwhile.
  senders.get(to.id) !== undefined &&
  senders.get(message.senderId)?.kind === to.kind &&
  !isGroupId(message.recipient)

/** Holds a queued message until the action runs. Resolves with null if it has left meanwhile. */
async function hold(context: BulkContext, act: Act, { id, senderId }: Message): Promise<Taken | null> {
  const why = act.action === 'cancel' ? 'cancelling' : 'moving'
  const { until } = act
  context.heldByOwner.set(id, { why, until, senderId, finish: () => finish(context, [act.id]) })
  const changed = await context.record.change({ id }, ({ status, nextAt }) =>
    status === 'queued' && nextAt !== null ? { at: context.clock.now(), nextAt: Math.max(nextAt, until) } : null,
  )
  return changed === undefined ? null : takenOf(changed.before, changed.after.nextAt)
}

/** Restores messages of an action that is not carried out. */
async function giveBack(context: BulkContext, act: Act, taken: readonly Taken[]): Promise<void> {
  try {
    for (const { id } of taken) context.heldByOwner.delete(id)
    if (act.action !== 'send_again') for (const each of taken) await release(context, act, each)
  } finally {
    for (const { id } of taken) free(context, id)
  }
}

async function release({ record, bus, clock }: BulkContext, { until }: Act, taken: Taken): Promise<void> {
  const changed = await record.change({ id: taken.id }, ({ status, nextAt }) => {
    if (status !== 'queued') return null
    if (nextAt === taken.heldUntil) return { at: clock.now(), nextAt: taken.nextAt }
    // The lane found the message due while it was held, and set `until`.
    return nextAt === until ? { at: clock.now(), nextAt: taken.dueAt } : null
  })
  if (changed !== undefined) bus.emit('lane', { senderId: changed.after.senderId })
}

function free({ busy, heldByOwner }: BulkContext, id: string): void {
  busy.delete(id)
  heldByOwner.delete(id)
}

function forget({ pending }: BulkContext, id: string): Pending | undefined {
  const found = pending.get(id)
  pending.delete(id)
  found?.stopTimer()
  return found
}

/** Carries out the given actions and waits for all running ones. */
async function finish(context: BulkContext, ids: readonly string[]): Promise<void> {
  const { running } = context
  for (const id of ids) {
    const found = forget(context, id)
    if (found === undefined) continue
    const work = carryOutAll(context, found).finally(() => running.delete(work))
    running.add(work)
  }
  await Promise.all(running)
}

async function carryOutAll(context: BulkContext, act: Pending): Promise<void> {
  const { clock, logger } = context
  // Oldest first. Sending again goes one by one, so that the order stays.
  const taken = act.taken.toReversed()
  const step = act.action === 'send_again' ? 1 : AT_ONCE
  const now = clock.now()
  for (let at = 0; at < taken.length; at += step)
    await Promise.all(taken.slice(at, at + step).map(({ id }) => carryOut(context, act, id, now)))
  // Release the messages that could not be moved and stay with their first sender.
  if (act.action !== 'move') return
  for (const each of taken)
    await release(context, act, each).catch((err: unknown) => logger.error({ err }, 'what was to be moved still waits'))
}

async function carryOut(context: BulkContext, { action, to }: Act, id: string, at: number): Promise<void> {
  try {
    if (to !== null) await move(context, id, to, at)
    else await (action === 'cancel' ? cancelMessage(context, id) : sendAgain(context, id))
  } catch (error) {
    // An ApiError means that the message was cancelled, sent or deleted meanwhile.
    if (!(error instanceof ApiError)) context.logger.error({ err: error, action }, 'a bulk action failed')
  } finally {
    free(context, id)
  }
}

/** Moves a message that has not left; it keeps its place in the order. */
async function move(context: BulkContext, id: string, to: SenderRow, at: number): Promise<void> {
  const road = { channel: 'standard', laneId: to.id, template: null, providerMessageId: null } as const
  await context.record.change({ id }, (message) =>
    mayMove(context, message, to) ? { at, senderId: to.id, road, nextAt: Math.max(at, message.dueAt) } : null,
  )
}

const takenOf = ({ id, nextAt, dueAt }: Message, heldUntil: number | null): Taken => ({ id, nextAt, dueAt, heldUntil })

export const bulkRoutes = (bulk: BulkActions, senders: SenderStore): Route[] => [
  defineRoute({
    tag: 'Messages',
    method: 'POST',
    path: '/api/bulk',
    auth: 'owner',
    summary: 'Cancel or move waiting messages, or send failed ones again',
    description:
      'Selects the messages by `ids` or by `filter`. The action starts after ten seconds; until then it can be undone.',
    body: bulkRequest,
    answer: bulkAnswer,
    handler: async ({ body, caller }) => {
      const to = body.to === undefined ? null : senderOfTexts(senders, body.to, 'to')
      const filter = messageFilter(senders, body.filter ?? {}, caller)
      // An unknown sender in the filter has no messages.
      const view = await bulk.begin(filter === undefined ? { ...body, ids: [] } : body, filter ?? {}, to)
      return ok(`${view.count} messages.`, view)
    },
  }),
  defineRoute({
    tag: 'Messages',
    method: 'DELETE',
    path: '/api/bulk/{id}',
    auth: 'owner',
    summary: 'Undo a bulk action',
    description: '`undone` is the number of messages that stay unchanged. 404 if the action has already started.',
    params: idParams,
    answer: undoneAnswer,
    handler: async ({ params: { id } }) => ok('Undone.', { undone: await bulk.undo(id) }),
  }),
]
