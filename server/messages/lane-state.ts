import { SECOND } from '../lib/clock.ts'
import type { Outcome } from './channel.ts'

/** Stanzas that may be unacknowledged at once where the owner wants no pacing. */
export const WINDOW = 32
/** Pause after a storage error, or after a connection that only seemed to be there. */
export const REST = 5 * SECOND

/** Memory of a lane; the table knows all the rest. Times in milliseconds since 1970. */
export interface LaneState {
  /** Attempts under way, by `seq`. While one goes back to the queue nothing later leaves. */
  attempts: ReadonlyMap<number, 'on_its_way' | 'going_back'>
  /** Rises when an attempt begins to go back, and when it is back: older reads are outdated. */
  returns: number
  /** When the connection last said that it was ready, and was not. */
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

/** The next state after an event. Pure. */
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

/** A connection that is back wakes the lane; one that only seems to be there gets a pause. */
const afterOffline = (state: LaneState, { isReady, now }: { isReady: boolean; now: number }): LaneState =>
  isReady ? { ...state, restingSince: now } : state

const goesBack = (outcome: Outcome): boolean =>
  outcome.kind === 'offline' || (outcome.kind === 'unknown' && outcome.isLost === true)

/** The queue that a lane has read. */
export interface QueueRead {
  /** `LaneState.returns` when the queue was read. */
  returns: number
  /** When its first message is due. */
  headAt: number
}

/**
 * Decides what a lane does with the queue that it read: sends, or looks again at a time; null:
 * when something changes. Pure.
 * @param opensAt when the next message may leave
 */
export function turnOf(state: LaneState, queue: QueueRead, opensAt: number, now: number): 'send' | number | null {
  if (opensAt > now) return opensAt
  if (state.attempts.size >= WINDOW || [...state.attempts.values()].includes('going_back')) return null
  if (state.returns !== queue.returns) return now
  if (queue.headAt > now) return queue.headAt
  const restsUntil = state.restingSince + REST
  // A clock that was set back ends the pause.
  if (state.restingSince <= now && now < restsUntil) return restsUntil
  return 'send'
}
