import type { ConnectionState } from '../../../contract/senders.ts'
import { DAY, MINUTE } from '../../../lib/clock.ts'
import type { ClosingDecision } from './closing.ts'

/** Why a sender is in its state. Both members are null if there is nothing to explain. */
interface Why {
  /** A stable code that the owner's window translates. */
  reason: string | null
  /** WhatsApp's own words or code for the reason. */
  detail: string | null
}

export type EndedState = Extract<ConnectionState, 'unlinked' | 'logged_out' | 'replaced' | 'restricted'>

/** State of a linked identity's connection. Times are in milliseconds since 1970. */
export type SessionState =
  /**
   * There is no identity, or WhatsApp does not accept it. `until`: when this ends by itself; null:
   * the owner must act.
   */
  | ({ is: 'ended'; state: EndedState; until: number | null; forget: boolean } & Why)
  /**
   * The next attempt is due at `at`; null: when the PC wakes up. `ordered`: WhatsApp asked for this
   * wait, so neither a restart nor a new network shortens it.
   */
  | ({ is: 'waiting'; at: number | null; ordered: boolean } & Why)
  /** `restarts`: how often in a row WhatsApp asked for a restart, even if the connection opened. */
  | { is: 'connecting' | 'open'; restarts: number }

export type SessionEvent =
  /** The stored identity was read. */
  | { type: 'started'; identity: 'there' | 'missing' | 'unreadable'; now: number }
  | { type: 'opened' }
  /** `backOffMs`: how long to wait if WhatsApp names no time. */
  | { type: 'closed'; decision: ClosingDecision; backOffMs: number; now: number }
  /** Another version of WhatsApp's protocol may be tried. */
  | { type: 'version_found' }
  /** WhatsApp's current version could not be read. */
  | { type: 'version_unknown'; now: number }
  | { type: 'due'; now: number }
  /** The owner wants the connection. */
  | { type: 'wanted' }
  /** The network or the PC is back. */
  | { type: 'online'; now: number }
  | { type: 'slept' }
  /** A phone has vouched for a new identity. */
  | { type: 'linked' }
  | { type: 'unlinked' }

const MOST_RESTARTS = 3
const CONNECTING: SessionState = { is: 'connecting', restarts: 0 }
const ENDED_STATES: ReadonlySet<ConnectionState> = new Set(['unlinked', 'logged_out', 'replaced', 'restricted'])

const ended = (state: EndedState, reason: string, more: { forget?: boolean } = {}): SessionState => ({
  is: 'ended',
  state,
  reason,
  detail: null,
  until: null,
  forget: more.forget ?? false,
})

const waiting = (at: number | null, reason: string, more: { detail?: string | null; ordered?: boolean } = {}) =>
  ({ is: 'waiting', at, reason, detail: more.detail ?? null, ordered: more.ordered ?? false }) satisfies SessionState

export interface LastRun {
  state: ConnectionState
  reason: string | null
  reasonDetail: string | null
  until: number | null
  /** No connection is attempted before this time; null: at any time. */
  noConnectionBefore: number | null
}

const isEnded = (state: ConnectionState): state is EndedState => ENDED_STATES.has(state)

export function stateAfterRestart(last: LastRun): SessionState {
  const { state, reason, reasonDetail: detail, until, noConnectionBefore } = last
  if (isEnded(state)) return { is: 'ended', state, reason, detail, until, forget: false }
  return noConnectionBefore === null
    ? { is: 'waiting', at: 0, reason, detail, ordered: false }
    : { is: 'waiting', at: noConnectionBefore, reason, detail, ordered: true }
}

/** Returns when the next attempt is due by itself; null: it is not. */
export const attemptAt = (state: SessionState): number | null => {
  if (state.is === 'waiting') return state.at
  return state.is === 'ended' ? state.until : null
}

function afterStart(state: SessionState, { identity, now }: Extract<SessionEvent, { type: 'started' }>): SessionState {
  if (identity === 'unreadable') return ended('logged_out', 'session_unreadable')
  // The last run ended in the middle of linking, or its session is gone.
  if (identity === 'missing') return state.is === 'ended' ? state : ended('unlinked', 'session_missing')
  // A replaced or restricted sender waits for its owner, or for the time that WhatsApp named.
  if (state.is === 'ended' && (state.state === 'replaced' || state.state === 'restricted')) return onTime(state, now)
  return state.is === 'waiting' ? onTime(state, now) : CONNECTING
}

function onTime(state: SessionState, now: number): SessionState {
  const at = attemptAt(state)
  return at !== null && at <= now ? CONNECTING : state
}

/**
 * True if the next connection follows at once. After `MOST_RESTARTS` in a row, WhatsApp's request
 * for a restart is ignored.
 */
export const isRestart = (state: SessionState, { next: what }: ClosingDecision): boolean =>
  what === 'at-once' && restartsBefore(state) < MOST_RESTARTS

const restartsBefore = (state: SessionState): number => ('restarts' in state ? state.restarts : 0)

function afterClosing(
  state: SessionState,
  { decision, backOffMs, now }: Extract<SessionEvent, { type: 'closed' }>,
): SessionState {
  switch (decision.next) {
    case 'at-once':
      return isRestart(state, decision)
        ? { is: 'connecting', restarts: restartsBefore(state) + 1 }
        : waiting(now + backOffMs, 'connection_lost')
    case 'back-off':
      return waiting(now + backOffMs, decision.reason, { detail: decision.detail })
    case 'wait':
      return waiting(now + decision.waitMs, decision.reason, { detail: decision.detail, ordered: true })
    case 'other-version':
      return waiting(now + DAY, decision.reason, { ordered: true })
    case 'stop': {
      const { state: end, reason, detail, until, forget } = decision
      return { is: 'ended', state: end, reason, detail, until, forget }
    }
  }
}

/** Returns the next state after an event; the same object if nothing changes. Pure. */
export function next(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'started':
      return afterStart(state, event)
    case 'opened':
      return { is: 'open', restarts: restartsBefore(state) }
    case 'closed':
      return afterClosing(state, event)
    case 'version_found':
      return state.is === 'waiting' && state.reason === 'protocol_outdated' ? CONNECTING : state
    case 'version_unknown':
      return state.is === 'waiting' && state.reason === 'protocol_outdated'
        ? waiting(event.now + 15 * MINUTE, state.reason, { ordered: true })
        : state
    case 'due':
      return onTime(state, event.now)
    case 'wanted':
      return state.is === 'open' || state.is === 'connecting' ? state : CONNECTING
    case 'online':
      if (state.is !== 'waiting') return onTime(state, event.now)
      return state.ordered ? onTime(state, event.now) : CONNECTING
    case 'slept':
      return state.is === 'ended' || (state.is === 'waiting' && state.ordered) ? state : waiting(null, 'asleep')
    case 'linked':
      // Always a new object, so that the connection that linked replaces one that is being made.
      return { ...CONNECTING }
    case 'unlinked':
      return ended('unlinked', 'unlinked_by_owner', { forget: true })
  }
}

/** Returns the state as the sender's row stores it. */
export function reportOf(state: SessionState): LastRun {
  const plain = { reason: null, reasonDetail: null, until: null, noConnectionBefore: null }
  switch (state.is) {
    case 'ended': {
      const { state: name, reason, detail, until } = state
      return { state: name, reason, reasonDetail: detail, until, noConnectionBefore: until }
    }
    case 'waiting': {
      const { reason, detail, at, ordered } = state
      return { state: 'offline', reason, reasonDetail: detail, until: null, noConnectionBefore: ordered ? at : null }
    }
    case 'connecting':
      return { ...plain, state: 'connecting' }
    case 'open':
      return { ...plain, state: 'connected' }
  }
}
