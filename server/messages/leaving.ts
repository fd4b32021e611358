import type { SenderSettings } from '../contract/senders.ts'
import { localDay, nextTimeOfDay, startOfDay } from '../lib/local-time.ts'
import { DAY, SECOND } from '../lib/time.ts'
import type { SendingState } from '../store/index.ts'
import { nextOpening } from './gates.ts'

type Rules = Pick<SenderSettings, 'pacing' | 'quiet_hours' | 'daily_cap'>

/** Later than anything waits. */
const NEVER = 366 * DAY

/**
 * When the last of `count` messages leaves that wait one behind the other from `from` on, at the
 * usual pace, within the cap of each day and outside of the quiet hours; null: not within a year.
 * Pure.
 */
export function lastLeavesAt(rules: Rules, state: SendingState, from: number, count: number): number | null {
  const pause = ((rules.pacing.min_seconds + rules.pacing.max_seconds) / 2) * SECOND
  let now = state
  let last = from
  for (let at = from, left = count; left > 0; at = last) {
    at = nextOpening(rules, now, at).at
    if (at - from > NEVER) return null
    const day = localDay(at)
    const sentOnDay = now.day === day ? now.sentOnDay : 0
    // Pacing goes on until the day ends or the quiet hours begin.
    const closes = closesAt(rules.quiet_hours, at)
    const fits = pause === 0 ? left : Math.ceil((closes - at) / pause)
    const sent = Math.max(1, Math.min(left, fits, (rules.daily_cap ?? left) - sentOnDay))
    last = at + (sent - 1) * pause
    left -= sent
    now = { ...now, day, sentOnDay: sentOnDay + sent, pacedUntil: last + pause }
  }
  return Math.round(last)
}

function closesAt(quiet: Rules['quiet_hours'], at: number): number {
  const midnight = startOfDay(at, 1)
  return quiet === null || quiet.from === quiet.to ? midnight : Math.min(midnight, nextTimeOfDay(at + 1, quiet.from))
}
