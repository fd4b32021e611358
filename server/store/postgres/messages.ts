import { PRIORITIES } from '../../contract/messages.ts'
import { noteChange, noteSecondRoad } from '../figures.ts'
import { changed, eventOf, partsOf, refusedTwice, statementOf } from '../message-changes.ts'
import { MESSAGE, type QueueStore, UPDATED } from '../message-reads.ts'
import type { Accepted, Also, Change, Changed, Message, MessageStore, Urgency } from '../messages.ts'

import { type KeptSenders, NOTHING_SENT, putSendingState, SENDING_STATE, type SendingState } from '../senders.ts'

import { acceptAll, type Job } from './accept.ts'
import type { Events } from './events.ts'
import { messageBy, subjectOf } from './message-reads.ts'
import { type Context, runBound, type Tx, updateChanged } from './sql.ts'
import { createWaiting } from './waiting.ts'

export async function updateSendingState(
  tx: Tx,
  senderId: number,
  next: (state: SendingState) => SendingState,
): Promise<void> {
  // A row to hold, so that of two first changes none is lost.
  void tx.run('INSERT INTO sending_state (sender_id) VALUES ($1) ON CONFLICT DO NOTHING', [senderId])
  const state = next(
    (await tx.one(SENDING_STATE, 'FROM sending_state WHERE sender_id = $1 FOR NO KEY UPDATE', [senderId])) ??
      NOTHING_SENT,
  )
  void runBound(tx, putSendingState({ senderId, ...state }))
}

async function writeAlso(tx: Tx, message: Message, also: Also, now: number): Promise<void> {
  if (also.kind === 'sending_state') return updateSendingState(tx, message.laneId, also.update)
  if (also.kind === 'second_road') return noteSecondRoad(tx.noted, message.senderId, also.month, also.by)
  const { sql, values } = statementOf(message, also, now)
  void tx.run(sql, values)
}

/** The transitions of messages, and how many wait because of them. */
export function createMessageWrites(context: Context, events: Events, senders: KeptSenders) {
  const { write, now, fence } = context
  const { isSandbox } = senders
  const waiting = createWaiting(context)
  const acceptTogether = context.writeTogether<Job, Accepted>((tx, jobs) => acceptAll(tx, jobs, isSandbox))

  async function apply(tx: Tx, before: Message, change: Change): Promise<Changed> {
    const after = changed(before, change)
    updateChanged(tx, 'messages', UPDATED, before, after, ['seq', after.seq])
    for (const { sql, values } of partsOf(before, after, change)) void tx.run(sql, values)
    const event = eventOf(before, after, change, senders.reads.codeOf)
    const endpoints = event === null ? [] : await events.announce(tx, event)
    // Last, what other messages share: such a row stays locked until the commit, which follows at
    // once.
    for (const also of change.also ?? []) await writeAlso(tx, before, also, now())
    if (!isSandbox(after.senderId)) noteChange(tx.noted, before, after, change.at)
    return { before, after, endpoints }
  }

  const messages = {
    async accept(message, options) {
      const counts = message.nextAt === null ? 0 : 1
      // Counted before it is on disk, so that accepts of one moment cannot pass the limit together.
      waiting.add(message.laneId, counts)
      if (counts > 0) waiting.coming.set(message.id, message.laneId)
      let accepted: Accepted | undefined
      try {
        const names = refusedTwice(message, options)
        const { idempotency: key } = options
        const apart = key === undefined ? names : [`key ${key.scope} ${key.key}`, ...names]
        accepted = await acceptTogether({ message, options }, apart)
        return accepted
      } finally {
        waiting.coming.delete(message.id)
        if (accepted?.kind !== 'accepted') waiting.add(message.laneId, -counts)
      }
    },

    async change(ref, decide, _urgency?: Urgency, isFenced = false) {
      const [from, values] = messageBy(ref)
      const result = await write(async (tx) => {
        const before = await tx.one(MESSAGE, `${from} FOR NO KEY UPDATE OF m`, values)
        const change = before === undefined ? null : decide(before)
        if (before === undefined || change === null) return undefined
        if (isFenced) fence(tx, before.laneId)
        return apply(tx, before, change)
      }, subjectOf(ref))
      if (result !== undefined) {
        if (result.before.nextAt !== null) waiting.add(result.before.laneId, -1)
        if (result.after.nextAt !== null) waiting.add(result.after.laneId, 1)
      }
      return result
    },
  } satisfies Partial<MessageStore>

  const queues = {
    waiting: waiting.of,
    release: (laneId, at, limit) =>
      write((tx) =>
        tx.run(
          `UPDATE messages SET next_at = due_at WHERE seq IN (SELECT seq FROM messages
             WHERE lane_id = $1 AND priority = ANY (ARRAY[${[...PRIORITIES.keys()]}]) AND next_at > $2
               AND status = 'queued' AND due_at <= $2 ORDER BY priority LIMIT $3)`,
          [laneId, at, limit],
        ),
      ),
  } satisfies Partial<QueueStore>

  return { messages, queues }
}
