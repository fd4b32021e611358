import type { SenderSettings } from '../contract/senders.ts'
import { DAY, HOUR, SECOND } from '../lib/clock.ts'
import { localDay, nextTimeOfDay, startOfDay } from '../lib/local-time.ts'
import type { SendingState, Store } from '../store/index.ts'
import type { Outcome } from './channel.ts'
import type { AcceptContext } from './context.ts'

export interface Gate {
  /** When the next message may leave; now or earlier if it may leave at once. */
  at: number
  heldBy: 'pacing' | 'quiet_hours' | 'daily_cap' | null
}

export type Rules = Pick<SenderSettings, 'pacing' | 'quiet_hours' | 'daily_cap'>

/**
 * Returns the cause that stops a sender until something changes; null: none. `otherPhone`: another
 * number was linked, and the owner has not confirmed it. Pure.
 */
export function stoppedBy(sender: {
  paused: boolean
  connected: boolean
  otherPhone: boolean
}): 'paused' | 'not_connected' | 'other_phone' | null {
  if (sender.paused) return 'paused'
  if (!sender.connected) return 'not_connected'
  return sender.otherPhone ? 'other_phone' : null
}

/** Returns the end of the quiet hours around `ms`, or `ms` itself. They may span midnight. */
export function afterQuietHours(quiet: Rules['quiet_hours'], ms: number): number {
  if (quiet === null || quiet.from === quiet.to) return ms
  const opens = nextTimeOfDay(ms + 1, quiet.to)
  const closes = nextTimeOfDay(ms + 1, quiet.from)
  // During quiet hours their end comes before their next beginning.
  return opens < closes ? opens : ms
}

/** Returns when a lane may send next, by pacing, then the daily cap, then quiet hours. Pure. */
export function nextOpening(rules: Rules, state: SendingState, now: number): Gate {
  let gate: Gate = { at: now, heldBy: null }
  // A wait longer than the longest interval is stale: the owner shortened the interval, or the PC's
  // clock was set back.
  const wait = state.pacedUntil - now
  if (wait > 0 && wait <= rules.pacing.max_seconds * 1000) gate = { at: state.pacedUntil, heldBy: 'pacing' }
  const sentOnDay = state.day === localDay(gate.at) ? state.sentOnDay : 0
  if (rules.daily_cap !== null && sentOnDay >= rules.daily_cap)
    gate = { at: startOfDay(gate.at, 1), heldBy: 'daily_cap' }
  const open = afterQuietHours(rules.quiet_hours, gate.at)
  if (open <= gate.at) return gate
  // A daily cap that ends within quiet hours stays the named reason, because they have not begun.
  return { at: open, heldBy: gate.heldBy === 'daily_cap' ? 'daily_cap' : 'quiet_hours' }
}

// The functions below change a sender's counters. They are pure, because they run in the
// transaction of a message.

/** Returns how long first contacts wait after the n-th restriction in a row: 1, 2, 4 … 24 hours. */
export const restrictionWait = (n: number): number => Math.min(24 * HOUR, HOUR * 2 ** (n - 1))

/**
 * Returns the time of the next message, after a random pause.
 * @param random from 0 to 1
 */
export const pacedUntil = (
  { min_seconds, max_seconds }: SenderSettings['pacing'],
  now: number,
  random: number,
): number => now + Math.round((min_seconds + (max_seconds - min_seconds) * random) * SECOND)

/** Counts one more message on the local day of `at`. */
export function countSend(state: SendingState, at: number): SendingState {
  const day = localDay(at)
  return { ...state, day, sentOnDay: (state.day === day ? state.sentOnDay : 0) + 1 }
}

/**
 * Returns the counters after an attempt.
 * @param isOnlyAttempt no earlier attempt of this message counts
 */
export function afterAttempt(
  state: SendingState,
  outcome: Outcome,
  { now, isFirstContact, isOnlyAttempt }: { now: number; isFirstContact: boolean; isOnlyAttempt: boolean },
): SendingState {
  // Several messages may be in flight when a restriction begins, but it counts once.
  const isUnrestricted = state.restrictedUntil <= now
  if (outcome.kind === 'acknowledged') {
    // A first contact that gets through ends a row of restrictions.
    return { ...state, lastSentAt: now, restrictions: isFirstContact && isUnrestricted ? 0 : state.restrictions }
  }
  if (outcome.kind === 'accepted') return { ...state, lastSentAt: now }
  const isReturned = outcome.kind === 'offline' || outcome.kind === 'held'
  // The attempt does not count and the next one is the first again, so the daily cap gets its place
  // back.
  const counted = isReturned && isOnlyAttempt ? { ...state, sentOnDay: Math.max(0, state.sentOnDay - 1) } : state
  // WhatsApp does not say how long the restriction lasts, so each one in a row waits longer.
  if (outcome.kind === 'held' && outcome.until === null && isUnrestricted) {
    const restrictions = state.restrictions + 1
    return { ...counted, restrictions, restrictedUntil: now + restrictionWait(restrictions) }
  }
  return counted
}

/** Longest forecast of `queueEnd`; nobody plans further ahead. */
const FARTHEST = 366 * DAY

/** Approximate time that one message takes without pacing, in milliseconds. */
const LEAST_STEP = SECOND / 20

/**
 * Returns when the last of `count` messages leaves, by its sender's settings alone: the mean
 * pacing, the daily cap and quiet hours. Null: not within a year. Pure.
 */
export function queueEnd(rules: Rules, state: SendingState, count: number, now: number): number | null {
  const { min_seconds, max_seconds } = rules.pacing
  const step = Math.max(((min_seconds + max_seconds) / 2) * SECOND, LEAST_STEP)
  let { at } = nextOpening(rules, state, now)
  let { day, sentOnDay } = state
  for (let left = count; at - now <= FARTHEST; ) {
    const today = localDay(at)
    if (today !== day) [day, sentOnDay] = [today, 0]
    // Messages leave at an even pace until midnight, the quiet hours or the cap.
    const byTime = Math.ceil((stretchEnd(rules, at) - at) / step)
    const room = Math.min(byTime, (rules.daily_cap ?? Number.POSITIVE_INFINITY) - sentOnDay)
    if (left <= room) return at + Math.max(left - 1, 0) * step
    left -= room
    sentOnDay += room
    at = nextOpening(rules, { ...state, day, sentOnDay, pacedUntil: 0 }, at + room * step).at
  }
  return null
}

function stretchEnd({ quiet_hours: quiet }: Rules, at: number): number {
  const midnight = startOfDay(at, 1)
  return quiet === null || quiet.from === quiet.to ? midnight : Math.min(midnight, nextTimeOfDay(at + 1, quiet.from))
}

/** True while the owner has paused all senders; survives restarts. */
export const areAllPaused = ({ meta }: Store): boolean => meta.get('all_paused') === 'true'

/** Pauses or resumes all senders; resolves when that is on disk. Each sender's own pause stays. */
export async function setAllPaused({ store, bus }: AcceptContext, on: boolean): Promise<void> {
  await store.meta.save('all_paused', String(on))
  for (const { id, code } of store.senders.list()) {
    bus.emit('sender', { code })
    bus.emit('lane', { senderId: id })
  }
}
