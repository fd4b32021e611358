import { SECOND } from '../lib/clock.ts'
import type { Outcome } from './channel.ts'

/** Number of stanzas that may be unacknowledged at once if the owner wants no pacing. */
export const WINDOW = 32
/** Pause after a storage error, or after a connection that seemed ready and was not; ms. */
export const REST = 5 * SECOND

/** The memory of a lane; everything else is in the database. Times are ms since 1970. */
export interface LaneState {
  /** Running attempts by `seq`. While one of them is going back to the queue, nothing leaves. */
  attempts: ReadonlyMap<number, 'on_its_way' | 'going_back'>
  /** Rises when an attempt begins to go back and when it is back, which makes older reads stale. */
  returns: number
  /** When the connection last claimed to be ready and was not. */
  restingSince: number
}

export type LaneEvent =
  /** The message was written to the connection. */
  | { type: 'dispatched'; seq: number }
  | { type: 'landed'; seq: number; outcome: Outcome; isReady: boolean; now: number }
  /** The result of an attempt is on disk. */
  | { type: 'stored'; seq: number }
  /** A check before an attempt found no connection. */
  | { type: 'offline'; isReady: boolean; now: number }

export const IDLE: LaneState = { attempts: new Map(), returns: 0, restingSince: Number.NEGATIVE_INFINITY }

export function next(state: LaneState, event: LaneEvent): LaneState {
  switch (event.type) {
    case 'dispatched':
      return { ...state, attempts: new Map(state.attempts).set(event.seq, 'on_its_way') }
    case 'landed': {
      const { seq, outcome } = event
      const rested = outcome.kind === 'offline' ? afterOffline(state, event) : state
      if (!goesBack(outcome)) return rested
      const attempts = new Map(state.attempts).set(seq, 'going_back')
      return { ...rested, attempts, returns: state.returns + 1 }
    }
    case 'stored': {
      const attempts = new Map(state.attempts)
      attempts.delete(event.seq)
      const isBack = state.attempts.get(event.seq) === 'going_back'
      return { ...state, attempts, returns: state.returns + (isBack ? 1 : 0) }
    }
    case 'offline':
      return afterOffline(state, event)
  }
}

/**
 * Begins a pause if the connection claims to be ready, because an offline outcome proves that it
 * was not. A connection that is down wakes the lane when it is back.
 */
const afterOffline = (state: LaneState, { isReady, now }: { isReady: boolean; now: number }): LaneState =>
  isReady ? { ...state, restingSince: now } : state

const goesBack = (outcome: Outcome): boolean =>
  outcome.kind === 'offline' || (outcome.kind === 'unknown' && outcome.isLost === true)

export interface QueueRead {
  /** `LaneState.returns` when the queue was read. */
  returns: number
  /** When the first message is due. */
  headAt: number
}

/**
 * Decides what a lane does with the queue that it read: send, or look again at a time; null: look
 * again when something changes. Pure.
 * @param opensAt when the next message may leave
 */
export function turnOf(state: LaneState, queue: QueueRead, opensAt: number, now: number): 'send' | number | null {
  if (opensAt > now) return opensAt
  if (state.attempts.size >= WINDOW || [...state.attempts.values()].includes('going_back')) return null
  if (state.returns !== queue.returns) return now
  if (queue.headAt > now) return queue.headAt
  const restsUntil = state.restingSince + REST
  // The first comparison ends the pause if the clock was set back.
  if (state.restingSince <= now && now < restsUntil) return restsUntil
  return 'send'
}
