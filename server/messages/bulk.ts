import { BULK_MAX, type BulkAction, type BulkRequest, type BulkView, UNDO_WITHIN } from '../contract/bulk.ts'
import { ApiError } from '../contract/errors.ts'
import { mayHaveArrived, worthSendingAgain } from '../contract/failures.ts'
import type { Status } from '../contract/messages.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { MINUTE } from '../lib/time.ts'
import type { Message, MessageFilter, MessageStore } from '../store/index.ts'
import type { MessageActions } from './actions.ts'
import type { Recorder } from './record.ts'

const PAGE = 500
// Of one customer's newer messages this many are looked at for a repetition.
const NEWER = 50
// Longer than taking them all and the time to undo: what is held back must not leave in between.
const HELD_FOR = MINUTE

export interface BulkDeps {
  messages: Pick<MessageStore, 'find' | 'list'>
  actions: Pick<MessageActions, 'cancel' | 'sendAgain'>
  record: Recorder
  newId: () => string
  bus: Bus
  clock: Clock
  logger: Logger
}

/** A message of an action that waits; `nextAt` is what it was before it was held back. */
interface Taken {
  message: Message
  heldUntil: number | null
}

interface Pending {
  action: BulkAction
  taken: Taken[]
  stopTimer: () => void
}

export type BulkActions = ReturnType<typeof createBulkActions>

/**
 * One action on many messages, which the owner may undo for ten seconds. It is kept in memory: a program that stops
 * carries it out first; after a crash nothing of it happened, and what was held back goes on by itself.
 */
export function createBulkActions(deps: BulkDeps) {
  const { messages, actions, record, bus, clock, logger } = deps
  const pending = new Map<string, Pending>()
  const busy = new Set<string>()

  async function fits(action: BulkAction, message: Message): Promise<boolean> {
    if (message.channel !== 'standard' || busy.has(message.id)) return false
    if (action === 'cancel') return message.status === 'queued'
    const { status, error } = message
    if (status !== 'failed' || error === null || mayHaveArrived(error.code)) return false
    return worthSendingAgain(error.code) && !(await repeated(message))
  }

  /** Whether the same was sent again since, so that a second press sends nothing twice. */
  async function repeated({ id, recipient, body, file, createdAt }: Message): Promise<boolean> {
    const newer = await messages.list({ recipients: [recipient], from: createdAt, limit: NEWER })
    return newer.some((one) => one.id > id && one.body === body && one.file === file && one.status !== 'cancelled')
  }

  async function* candidates(request: BulkRequest, filter: Omit<MessageFilter, 'limit'>) {
    if (request.ids !== undefined) {
      for (const id of request.ids) {
        const message = await messages.find({ id })
        if (message !== undefined) yield message
      }
      return
    }
    const wanted: Status = request.action === 'cancel' ? 'queued' : 'failed'
    if (filter.statuses !== undefined && !filter.statuses.includes(wanted)) return
    for (let before: number | undefined; ; ) {
      const rows = await messages.list({ ...filter, statuses: [wanted], before, limit: PAGE })
      yield* rows
      if (rows.length < PAGE) return
      before = rows.at(-1)?.seq
    }
  }

  /** Keeps a message in the queue until after the action; null if it has left meanwhile. */
  async function hold(message: Message, until: number): Promise<Taken | null> {
    const changed = await record.change({ id: message.id }, ({ status, nextAt }) =>
      status === 'queued' && nextAt !== null ? { at: clock.now(), nextAt: Math.max(nextAt, until) } : null,
    )
    return changed === undefined ? null : { message: changed.before, heldUntil: changed.after.nextAt }
  }

  async function release({ message: { id, nextAt }, heldUntil }: Taken): Promise<void> {
    const changed = await record.change({ id }, (now) =>
      now.status === 'queued' && now.nextAt === heldUntil ? { at: clock.now(), nextAt } : null,
    )
    if (changed !== undefined) bus.emit('lane', { senderId: changed.after.senderId })
  }

  function forget(id: string): Pending | undefined {
    const found = pending.get(id)
    pending.delete(id)
    found?.stopTimer()
    for (const { message } of found?.taken ?? []) busy.delete(message.id)
    return found
  }

  async function run(id: string): Promise<void> {
    const found = forget(id)
    if (found === undefined) return
    // The oldest first, so that their order stays.
    for (const { message } of found.taken.toReversed()) {
      try {
        await (found.action === 'cancel' ? actions.cancel(message.id) : actions.sendAgain(message.id))
      } catch (error) {
        // One that was cancelled, sent or deleted meanwhile.
        if (!(error instanceof ApiError)) logger.error({ err: error, action: found.action }, 'a bulk action failed')
      }
    }
  }

  return {
    /** `filter` is that of the request; it is not used where the request names ids. */
    async begin(request: BulkRequest, filter: Omit<MessageFilter, 'limit'>): Promise<BulkView> {
      const { action } = request
      const heldUntil = clock.now() + HELD_FOR
      const id = deps.newId()
      const taken: Taken[] = []
      let more = false
      for await (const message of candidates(request, filter)) {
        if (!(await fits(action, message))) continue
        more = taken.length === BULK_MAX
        if (more) break
        const held = action === 'cancel' ? await hold(message, heldUntil) : { message, heldUntil: null }
        if (held === null) continue
        busy.add(message.id)
        taken.push(held)
      }
      const runsAt = clock.now() + UNDO_WITHIN
      if (taken.length > 0) {
        const stopTimer = clock.after(UNDO_WITHIN, () => void run(id))
        pending.set(id, { action, taken, stopTimer })
      }
      return { id, action, count: taken.length, more, runs_at: isoTime(runsAt) }
    },

    /** Resolves with how many messages stay as they were. @throws ApiError `not_found` when it is too late */
    async undo(id: string): Promise<number> {
      const found = forget(id)
      if (found === undefined) throw new ApiError('not_found', 'It is too late to undo this.')
      if (found.action === 'cancel') for (const taken of found.taken) await release(taken)
      return found.taken.length
    },

    /** Carries out what waits: the owner has asked for it. */
    async close(): Promise<void> {
      for (const id of [...pending.keys()]) await run(id)
    },
  }
}
