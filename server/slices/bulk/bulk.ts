import { ApiError } from '../../contract/errors.ts'
import { mayHaveArrived, worthSendingAgain } from '../../contract/failures.ts'
import type { Status } from '../../contract/messages.ts'
import { isGroupId } from '../../contract/phone.ts'
import { type Clock, isoTime } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { MINUTE } from '../../lib/time.ts'
import { MAX_WAITING } from '../../messages/accept.ts'
import { cancelMessage, sendAgain, wasSentAgain } from '../../messages/actions.ts'
import type { MessageContext } from '../../messages/context.ts'
import type { Message, MessageSelection, SenderRow } from '../../store/index.ts'
import { BULK_MAX, type BulkAction, type BulkRequest, type BulkView, UNDO_WITHIN } from './contract.ts'

const PAGE = 500
// Share a commit each: one by one, a slow disk would need longer for all of them than they are held
// back.
const AT_ONCE = 100
// Longer than taking them all and the time to undo: what is held back must not leave in between.
const HELD_FOR = MINUTE

/**
 * A message of an action that waits, without its text: there may be thousands of long ones.
 * `nextAt` is what it was before it was held back.
 */
interface Taken {
  message: { id: string; nextAt: number | null; dueAt: number }
  heldUntil: number | null
  /** Time that a lane sets if it finds the message due all the same. */
  asideUntil: number
}

/** An action on messages; `to` gets those that are moved. */
interface Act {
  id: string
  action: BulkAction
  to: SenderRow | null
}

interface Pending extends Act {
  taken: Taken[]
  stopTimer: () => void
}

export type BulkActions = ReturnType<typeof createBulkActions>

/**
 * One action on many messages, which the owner may undo for ten seconds. It is kept in memory: a
 * program that stops carries it out first; after a crash nothing of it happened, and what was held
 * back goes on by itself.
 */
export function createBulkActions(context: MessageContext, clock: Clock, logger: Logger) {
  const { store, record, heldByOwner, bus } = context
  const { messages, senders } = store
  const pending = new Map<string, Pending>()
  const running = new Set<Promise<void>>()
  /** Taken by an action, until that is through with them. */
  const busy = new Set<string>()

  const free = (id: string) => {
    busy.delete(id)
    heldByOwner.delete(id)
  }

  function fits({ action, to }: Act, message: Message): boolean {
    const { id, channel, status, error } = message
    if (channel !== 'standard' || busy.has(id)) return false
    if (action === 'cancel') return status === 'queued'
    if (action === 'move') return to !== null && mayMove(message, to)
    return status === 'failed' && error !== null && !mayHaveArrived(error.code) && worthSendingAgain(error.code)
  }

  /**
   * True of what waits and has certainly not left. A group is one of its sender's, and a rehearsal
   * must not become real, nor the other way round.
   */
  const mayMove = ({ senderId, laneId, status, nextAt, recipient }: Message, to: SenderRow): boolean =>
    status === 'queued' &&
    nextAt !== null &&
    laneId === senderId &&
    senderId !== to.id &&
    // It may be deleted by now.
    senders.get(to.id) !== undefined &&
    senders.get(senderId)?.kind === to.kind &&
    !isGroupId(recipient)

  /** Takes a message for an action; null where it does not fit, or another action was quicker. */
  async function take(act: Act, message: Message, heldUntil: number): Promise<Taken | null> {
    if (!fits(act, message)) return null
    // Before anything is waited for: a second press comes in the same moment.
    busy.add(message.id)
    let taken: Taken | null = null
    try {
      if (act.action !== 'send_again') taken = await hold(act, message, heldUntil)
      // A repetition that failed too is the one to send again.
      else if ((await wasSentAgain(store, message, message.recipient, ['cancelled'])) === null)
        taken = { message: shortOf(message), heldUntil: null, asideUntil: heldUntil }
      return taken
    } finally {
      if (taken === null) free(message.id)
    }
  }

  /** At most one more than an action may take. @param taken gets them */
  async function takeAll(request: BulkRequest, filter: MessageSelection, act: Act, taken: Taken[]): Promise<void> {
    const heldUntil = clock.now() + HELD_FOR
    const batch: Message[] = []
    const takeBatch = async () => {
      const found = await Promise.allSettled(batch.splice(0).map((message) => take(act, message, heldUntil)))
      for (const each of found) if (each.status === 'fulfilled' && each.value !== null) taken.push(each.value)
      for (const each of found) if (each.status === 'rejected') throw each.reason
    }
    for await (const message of candidates(request, filter)) {
      if (!fits(act, message)) continue
      batch.push(message)
      if (batch.length === AT_ONCE || taken.length + batch.length > BULK_MAX) await takeBatch()
      if (taken.length > BULK_MAX) return
    }
    await takeBatch()
  }

  /** Messages of an action that is not carried out stay as they were. */
  async function giveBack(action: BulkAction, taken: readonly Taken[]): Promise<void> {
    try {
      for (const { message } of taken) heldByOwner.delete(message.id)
      if (action !== 'send_again') for (const each of taken) await release(each)
    } finally {
      for (const { message } of taken) free(message.id)
    }
  }

  async function* candidates(request: BulkRequest, filter: MessageSelection) {
    if (request.ids !== undefined) {
      for (const id of request.ids) {
        const message = await messages.find({ id })
        if (message !== undefined) yield message
      }
      return
    }
    const wanted: Status = request.action === 'send_again' ? 'failed' : 'queued'
    if (filter.statuses !== undefined && !filter.statuses.includes(wanted)) return
    for (let before: number | undefined; ; ) {
      const rows = await messages.list({ ...filter, statuses: [wanted], before, limit: PAGE })
      yield* rows
      if (rows.length < PAGE) return
      before = rows.at(-1)?.seq
    }
  }

  /** Keeps a message in the queue until after the action; null if it has left meanwhile. */
  async function hold({ id, action }: Act, message: Message, until: number): Promise<Taken | null> {
    const why = action === 'cancel' ? 'cancelling' : 'moving'
    heldByOwner.set(message.id, { why, until, senderId: message.senderId, finish: () => finish([id]) })
    const changed = await record.change({ id: message.id }, ({ status, nextAt }) =>
      status === 'queued' && nextAt !== null ? { at: clock.now(), nextAt: Math.max(nextAt, until) } : null,
    )
    if (changed === undefined) return null
    return { message: shortOf(changed.before), heldUntil: changed.after.nextAt, asideUntil: until }
  }

  async function release({ message: { id, nextAt, dueAt }, heldUntil, asideUntil }: Taken): Promise<void> {
    const changed = await record.change({ id }, (now) => {
      if (now.status !== 'queued') return null
      if (now.nextAt === heldUntil) return { at: clock.now(), nextAt }
      // The wait has ended meanwhile.
      return now.nextAt === asideUntil ? { at: clock.now(), nextAt: dueAt } : null
    })
    if (changed !== undefined) bus.emit('lane', { senderId: changed.after.senderId })
  }

  function forget(id: string): Pending | undefined {
    const found = pending.get(id)
    pending.delete(id)
    found?.stopTimer()
    return found
  }

  /** Moves a message that has not left, in the order that it had. */
  async function move(id: string, to: SenderRow, at: number): Promise<void> {
    const road = { channel: 'standard', laneId: to.id, template: null, providerMessageId: null } as const
    await record.change({ id }, (message) =>
      mayMove(message, to) ? { at, senderId: to.id, road, nextAt: Math.max(at, message.dueAt) } : null,
    )
  }

  async function carryOut({ action, to }: Pick<Act, 'action' | 'to'>, id: string, at: number): Promise<void> {
    try {
      if (action === 'move') await (to === null ? undefined : move(id, to, at))
      else await (action === 'cancel' ? cancelMessage(context, id) : sendAgain(context, id))
    } catch (error) {
      // One that was cancelled, sent or deleted meanwhile.
      if (!(error instanceof ApiError)) logger.error({ err: error, action }, 'a bulk action failed')
    } finally {
      free(id)
    }
  }

  function run(id: string): void {
    const found = forget(id)
    if (found === undefined) return
    const work = carryOutAll(found).finally(() => running.delete(work))
    running.add(work)
  }

  async function carryOutAll({ taken: newestFirst, ...act }: Pending): Promise<void> {
    // The oldest first, and what is sent one after the other, so that their order stays.
    const taken = newestFirst.toReversed()
    const step = act.action === 'send_again' ? 1 : AT_ONCE
    const now = clock.now()
    for (let at = 0; at < taken.length; at += step)
      await Promise.all(taken.slice(at, at + step).map(({ message }) => carryOut(act, message.id, now)))
    // Messages that stayed in the queue of their first sender were held back.
    if (act.action !== 'move') return
    for (const each of taken)
      await release(each).catch((err: unknown) => logger.error({ err }, 'what was to be moved still waits'))
  }

  /** Also what is under way. */
  async function finish(ids: readonly string[]): Promise<void> {
    for (const id of ids) run(id)
    await Promise.all(running)
  }

  return {
    /** `filter` is that of the request; it is not used where the request names ids. */
    async begin(request: BulkRequest, filter: MessageSelection, to: SenderRow | null = null): Promise<BulkView> {
      const { action } = request
      const id = context.newId()
      const taken: Taken[] = []
      try {
        await takeAll(request, filter, { id, action, to }, taken)
      } catch (error) {
        await giveBack(action, taken)
        throw error
      }
      const room = to === null ? BULK_MAX : Math.min(BULK_MAX, MAX_WAITING - store.queues.waiting(to.id))
      const rest = taken.splice(Math.max(room, 0))
      await giveBack(action, rest)
      const more = rest.length > 0
      const runsAt = clock.now() + UNDO_WITHIN
      if (taken.length > 0) {
        const stopTimer = clock.after(UNDO_WITHIN, () => run(id))
        pending.set(id, { id, action, to, taken, stopTimer })
      }
      return { id, action, count: taken.length, more, runs_at: isoTime(runsAt) }
    },

    /**
     * Resolves with how many messages stay as they were.
     * @throws ApiError `not_found` when it is too late
     */
    async undo(id: string): Promise<number> {
      const found = forget(id)
      if (found === undefined) throw new ApiError('not_found', 'It is too late to undo this.')
      await giveBack(found.action, found.taken)
      return found.taken.length
    },

    /** Carries out what waits, and what is under way: the owner has asked for it. */
    close: (): Promise<void> => finish([...pending.keys()]),
  }
}

const shortOf = ({ id, nextAt, dueAt }: Message): Taken['message'] => ({ id, nextAt, dueAt })
