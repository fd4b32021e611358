import type { SenderSettings } from '../contract/senders.ts'
import { DAY, HOUR, SECOND } from '../lib/clock.ts'
import { localDay, nextTimeOfDay, startOfDay } from '../lib/local-time.ts'
import type { SendingState, Store } from '../store/index.ts'
import type { Outcome } from './channel.ts'
import type { AcceptContext } from './context.ts'

export interface Gate {
  /** When the next message may leave; not in the future if it may leave now. */
  at: number
  heldBy: 'pacing' | 'quiet_hours' | 'daily_cap' | null
}

export type Rules = Pick<SenderSettings, 'pacing' | 'quiet_hours' | 'daily_cap'>

/**
 * The cause that stops a sender until something changes; null: none. `otherPhone`: another number
 * was linked, and the owner has not confirmed it. Pure.
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

/** The end of the quiet hours around `ms`, or `ms` itself. They may span midnight. */
export function afterQuietHours(quiet: Rules['quiet_hours'], ms: number): number {
  if (quiet === null || quiet.from === quiet.to) return ms
  const opens = nextTimeOfDay(ms + 1, quiet.to)
  const closes = nextTimeOfDay(ms + 1, quiet.from)
  // Inside, the end comes before the next beginning.
  return opens < closes ? opens : ms
}

/** When a lane may send next: pacing, then the cap of the day, then quiet hours. Pure. */
export function nextOpening(rules: Rules, state: SendingState, now: number): Gate {
  let gate: Gate = { at: now, heldBy: null }
  // A wait longer than the longest interval does not count: the owner shortened that, or the PC's
  // clock was set back.
  const wait = state.pacedUntil - now
  if (wait > 0 && wait <= rules.pacing.max_seconds * 1000) gate = { at: state.pacedUntil, heldBy: 'pacing' }
  const sentOnDay = state.day === localDay(gate.at) ? state.sentOnDay : 0
  if (rules.daily_cap !== null && sentOnDay >= rules.daily_cap)
    gate = { at: startOfDay(gate.at, 1), heldBy: 'daily_cap' }
  const open = afterQuietHours(rules.quiet_hours, gate.at)
  if (open <= gate.at) return gate
  // A limit that ends in a night keeps its name: the quiet hours have not begun.
  return { at: open, heldBy: gate.heldBy === 'daily_cap' ? 'daily_cap' : 'quiet_hours' }
}

// From here: how the counters of a sender move. Pure, for they run in a message's transaction.

/** How long first contacts wait after the n-th restriction in a row: 1, 2, 4 … 24 hours. */
export const restrictionWait = (n: number): number => Math.min(24 * HOUR, HOUR * 2 ** (n - 1))

/** Time of the next message, with a new random pause each time. @param random from 0 to 1 */
export const pacedUntil = (
  { min_seconds, max_seconds }: SenderSettings['pacing'],
  now: number,
  random: number,
): number => now + Math.round((min_seconds + (max_seconds - min_seconds) * random) * SECOND)

/** Counts one more message of this day. */
export function countSend(state: SendingState, at: number): SendingState {
  const day = localDay(at)
  return { ...state, day, sentOnDay: (state.day === day ? state.sentOnDay : 0) + 1 }
}

/**
 * The counters after an attempt of a lane.
 * @param isOnlyAttempt no earlier attempt of this message counts
 */
export function afterAttempt(
  state: SendingState,
  outcome: Outcome,
  { now, isFirstContact, isOnlyAttempt }: { now: number; isFirstContact: boolean; isOnlyAttempt: boolean },
): SendingState {
  // Several may be on their way when a restriction begins: it counts once.
  const isUnrestricted = state.restrictedUntil <= now
  if (outcome.kind === 'acknowledged') {
    // A first contact that gets through ends a row of restrictions.
    return { ...state, lastSentAt: now, restrictions: isFirstContact && isUnrestricted ? 0 : state.restrictions }
  }
  if (outcome.kind === 'accepted') return { ...state, lastSentAt: now }
  const isReturned = outcome.kind === 'offline' || outcome.kind === 'held'
  // The attempt does not count, and the next one is the first again: the cap of the day gets its
  // place back.
  const counted = isReturned && isOnlyAttempt ? { ...state, sentOnDay: Math.max(0, state.sentOnDay - 1) } : state
  // WhatsApp does not say how long: a guess that grows.
  if (outcome.kind === 'held' && outcome.until === null && isUnrestricted) {
    const restrictions = state.restrictions + 1
    return { ...counted, restrictions, restrictedUntil: now + restrictionWait(restrictions) }
  }
  return counted
}

/** Nobody plans further ahead. */
const FARTHEST = 366 * DAY

/** About the time of one message where the owner wants no pacing. */
const LEAST_STEP = SECOND / 20

/**
 * When the last of `count` messages leaves, by the settings of its sender alone: the middle of the
 * pacing, the cap of each day, quiet hours. Null: not within a year. Pure.
 */
export function queueEnd(rules: Rules, state: SendingState, count: number, now: number): number | null {
  const { min_seconds, max_seconds } = rules.pacing
  const step = Math.max(((min_seconds + max_seconds) / 2) * SECOND, LEAST_STEP)
  let { at } = nextOpening(rules, state, now)
  let { day, sentOnDay } = state
  for (let left = count; at - now <= FARTHEST; ) {
    const today = localDay(at)
    if (today !== day) [day, sentOnDay] = [today, 0]
    // One stretch without a rule in between: to midnight, the quiet hours, or the cap.
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

/** True while the owner wants no sender to send. It is kept over restarts. */
export const areAllPaused = ({ meta }: Store): boolean => meta.get('all_paused') === 'true'

/** Resolves when it is on disk. What was paused one by one stays as it is. */
export async function setAllPaused({ store, bus }: AcceptContext, on: boolean): Promise<void> {
  await store.meta.save('all_paused', String(on))
  for (const { id, code } of store.senders.list()) {
    bus.emit('sender', { code })
    bus.emit('lane', { senderId: id })
  }
}
