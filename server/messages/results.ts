import { SECOND } from '../lib/clock.ts'
import { untilDone } from '../lib/sleep.ts'
import type { Also, Change, Message } from '../store/index.ts'
import type { Outcome } from './channel.ts'
import type { LaneContext } from './context.ts'
import { afterAttempt } from './gates.ts'
import { afterOutcome, withoutSender } from './status.ts'

// Pause after a result that could not be stored.
const STORE_AGAIN_AFTER = 5 * SECOND

export type Results = ReturnType<typeof createResults>

export function createResults(context: LaneContext, stop: AbortSignal) {
  const { messages, record, clock, logger } = context

  /** The change of the message, with what the outcome says of its sender and recipient. */
  function changeOf(
    message: Message,
    outcome: Outcome,
    more: { now: number; isFirstContact: boolean; doubtful: boolean; attempted: Message },
  ): Change | null {
    const { now, isFirstContact, doubtful, attempted } = more
    // Another lane has it by now.
    if (message.laneId !== attempted.laneId) return null
    // An attempt that was never counted is not taken back from the one before it.
    if (outcome.kind === 'offline' && message.attempts !== attempted.attempts) return null
    const next = afterOutcome(message, outcome, now, { retry: context.retry, doubtful })
    const change =
      next?.nextAt == null || context.senderOf(message.senderId) !== undefined
        ? next
        : withoutSender(message, next, doubtful)
    // A receipt may be faster than the acknowledgement: it settled the message, but says nothing
    // about the sender.
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
    // Earlier attempts say nothing about a message that arrived; and while they are read, a receipt
    // could be written before the acknowledgement.
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
     * Stores what became of a message; ends when it is on disk, or by `stop`. Never rejects:
     * forgetting that a message was acknowledged would send it again.
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
