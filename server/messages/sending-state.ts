import type { SenderSettings } from '../contract/senders.ts'
import { localDay } from '../lib/local-time.ts'
import { HOUR, SECOND } from '../lib/time.ts'
import type { SendingState } from '../store/index.ts'
import type { Outcome } from './channel.ts'

/**
 * How the counters of a sender move; pure, because they run inside the transaction of a message.
 */

/**
 * How long first contacts wait after the n-th restriction in a row: 1, 2, 4 … hours, a day at most.
 */
export const restrictionWait = (n: number): number => Math.min(24 * HOUR, HOUR * 2 ** (n - 1))

/** Time of the next message, with a new random pause each time. @param random from 0 to 1 */
export const pacedUntil = (
  { min_seconds, max_seconds }: SenderSettings['pacing'],
  now: number,
  random: number,
): number => now + Math.round((min_seconds + (max_seconds - min_seconds) * random) * SECOND)

/** One more of this day. */
export function countSend(state: SendingState, at: number): SendingState {
  const day = localDay(at)
  return { ...state, day, sentOnDay: (state.day === day ? state.sentOnDay : 0) + 1 }
}

/**
 * After an attempt of a lane.
 * @param isOnlyAttempt no earlier attempt of this message counts
 */
export function afterAttempt(
  state: SendingState,
  outcome: Outcome,
  { now, isFirstContact, isOnlyAttempt }: { now: number; isFirstContact: boolean; isOnlyAttempt: boolean },
): SendingState {
  // Several may be on their way when a restriction begins: it counts once.
  const isFree = state.restrictedUntil <= now
  if (outcome.kind === 'acknowledged') {
    // A first contact that gets through ends a row of restrictions.
    return { ...state, lastSentAt: now, restrictions: isFirstContact && isFree ? 0 : state.restrictions }
  }
  if (outcome.kind === 'accepted') return { ...state, lastSentAt: now }
  const isReturned = outcome.kind === 'offline' || outcome.kind === 'held'
  // The attempt does not count, and the next one is the first again: the cap of the day gets its
  // place back.
  const counted = isReturned && isOnlyAttempt ? { ...state, sentOnDay: Math.max(0, state.sentOnDay - 1) } : state
  // WhatsApp does not say how long: a guess that grows.
  if (outcome.kind === 'held' && outcome.until === null && isFree) {
    const restrictions = state.restrictions + 1
    return { ...counted, restrictions, restrictedUntil: now + restrictionWait(restrictions) }
  }
  return counted
}
