import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'
import type { Message } from '../store/rows.ts'
import type { LaneState, Lanes } from '../store/sqlite/lanes.ts'
import type { Messages } from '../store/sqlite/messages.ts'
import type { Outcome } from './channel.ts'
import { afterOutcome, type RetryPolicy, restrictionWait } from './outcome.ts'
import type { Recorder } from './record.ts'

// A disk that takes nothing is not asked again at full speed.
const UNRECORDED_WAIT = 5_000

export interface LandingDeps {
  senderId: number
  messages: Pick<Messages, 'find' | 'attempts'>
  lanes: Lanes
  record: Recorder
  media: { release(messageId: string): Promise<void> }
  clock: Clock
  retry: RetryPolicy
  logger: Logger
}

export interface Landing {
  /** Writes down what became of a message. Resolves when that is on disk, or when `stop` is aborted. Never rejects. */
  land(message: Message, outcome: Outcome, isFirstContact: boolean): Promise<void>
}

export function createLanding(deps: LandingDeps, stop: AbortSignal): Landing {
  const { senderId, messages, lanes, record, clock, logger } = deps

  /** A first contact that gets through ends a row of restrictions. */
  function afterSend(isFirstContact: boolean, now: number): Partial<LaneState> {
    const isFree = lanes.get(senderId).restrictedUntil <= now
    return { lastSentAt: now, ...(isFirstContact && isFree ? { restrictions: 0 } : {}) }
  }

  /** What an outcome says of the sender; in the transaction of the message. */
  function noteOutcome(outcome: Outcome, after: Message, isFirstContact: boolean, now: number): void {
    const { restrictions, restrictedUntil, sentOnDay } = lanes.get(senderId)
    // Several may be on their way when a restriction begins: it counts once.
    const isFree = restrictedUntil <= now
    if (outcome.kind === 'acknowledged') {
      lanes.set(senderId, afterSend(isFirstContact, now))
    } else if (outcome.kind === 'refused' && outcome.code === 'account_restricted' && isFree) {
      const count = restrictions + 1
      lanes.set(senderId, { restrictions: count, restrictedUntil: now + restrictionWait(count) })
    } else if (outcome.kind === 'offline' && after.attempts === 0) {
      // It never left: the cap of the day gets its place back.
      lanes.set(senderId, { sentOnDay: Math.max(0, sentOnDay - 1) })
    }
  }

  async function settle(message: Message, outcome: Outcome, isFirstContact: boolean): Promise<void> {
    const now = clock.now()
    const doubtful =
      message.attempts > 1 && messages.attempts(message.seq).some((attempt) => attempt.outcome === 'unknown')
    const changed = await record.change(
      { seq: message.seq },
      (m) => afterOutcome(m, outcome, now, { retry: deps.retry, doubtful }),
      (after) => noteOutcome(outcome, after, isFirstContact, now),
      'soon',
    )
    // A receipt may be faster than the acknowledgement: it settled the message, but knows nothing of the sender.
    if (changed === undefined && outcome.kind === 'acknowledged') {
      await lanes.save(senderId, afterSend(isFirstContact, now))
    }
    if (message.file !== null && messages.find({ seq: message.seq })?.nextAt == null) {
      await deps.media
        .release(message.id)
        .catch((error: unknown) =>
          logger.warn({ err: error, message: message.id }, 'a media file could not be deleted'),
        )
    }
  }

  return {
    async land(message, outcome, isFirstContact) {
      do {
        try {
          return await settle(message, outcome, isFirstContact)
        } catch (error) {
          // Forgetting that a message was acknowledged would send it again.
          logger.error({ err: error, message: message.id }, 'could not record an outcome yet')
          await sleep(clock, UNRECORDED_WAIT, stop).catch(() => undefined)
        }
      } while (!stop.aborted)
    },
  }
}
