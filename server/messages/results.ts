import { SECOND } from '../lib/clock.ts'
import { untilDone } from '../lib/sleep.ts'
import type { Also, Change, Message } from '../store/index.ts'
import type { Outcome } from './channel.ts'
import type { LaneContext } from './context.ts'
import { afterAttempt } from './gates.ts'
import { afterOutcome, withoutSender } from './status.ts'

// Pause after an outcome could not be stored.
const STORE_AGAIN_AFTER = 5 * SECOND

export type Results = ReturnType<typeof createResults>

export function createResults(context: LaneContext, stop: AbortSignal) {
  const { messages, record, clock, logger } = context

  /** Returns the change of the message, with the effects on its sender and recipient. */
  function changeOf(
    message: Message,
    outcome: Outcome,
    more: { now: number; isFirstContact: boolean; doubtful: boolean; attempted: Message },
  ): Change | null {
    const { now, isFirstContact, doubtful, attempted } = more
    // The message has moved to another lane.
    if (message.laneId !== attempted.laneId) return null
    // If the claim was not stored after all, there is no attempt to take back.
    if (outcome.kind === 'offline' && message.attempts !== attempted.attempts) return null
    const next = afterOutcome(message, outcome, now, { retry: context.retry, doubtful })
    const change =
      next?.nextAt == null || context.senderOf(message.senderId) !== undefined
        ? next
        : withoutSender(message, next, doubtful)
    // A receipt may arrive before the acknowledgement. It settles the message, but the sender's
    // counters still need the acknowledgement.
    if (change === null && outcome.kind !== 'acknowledged') return null
    const isOnlyAttempt = message.attempts <= 1
    const also: Also[] = [
      ...('also' in outcome ? (outcome.also ?? []) : []),
      ...(change?.also ?? []),
      {
        kind: 'sending_state',
        update: (state) => afterAttempt(state, outcome, { now, isFirstContact, isOnlyAttempt }),
      },
    ]
    if (outcome.kind === 'acknowledged' && isFirstContact) also.push({ kind: 'known_contact' })
    return { at: now, ...change, also }
  }

  async function settle(message: Message, outcome: Outcome, isFirstContact: boolean): Promise<void> {
    // Earlier attempts do not matter for an acknowledged message, and during their read a receipt
    // could be stored before the acknowledgement.
    const asksEarlier = message.attempts > 0 && outcome.kind !== 'acknowledged'
    const earlier = asksEarlier ? await messages.attempts(message.seq) : []
    const doubtful = earlier.some((attempt) => attempt.outcome === 'unknown')
    const now = clock.now()
    const decide = (current: Message) =>
      changeOf(current, outcome, { now, isFirstContact, doubtful, attempted: message })
    await record.change(message, decide, 'soon')
    if (message.file !== null && (await messages.find({ seq: message.seq }))?.nextAt == null)
      await context.media.release(message.id)
  }

  return {
    /**
     * Stores the outcome of an attempt, and retries until it is on disk or `stop` is aborted. Never
     * rejects, because a lost acknowledgement would send the message again.
     */
    store: (message: Message, outcome: Outcome, isFirstContact: boolean): Promise<void> =>
      untilDone(() => settle(message, outcome, isFirstContact), {
        clock,
        pauseMs: STORE_AGAIN_AFTER,
        stop,
        onError: (err) => logger.error({ err, message: message.id }, 'could not record an outcome yet'),
      }),
  }
}
