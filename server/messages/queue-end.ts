import { localDay, nextTimeOfDay, startOfDay } from '../lib/local-time.ts'
import { DAY, SECOND } from '../lib/time.ts'
import type { SendingState } from '../store/index.ts'
import { nextOpening, type Rules } from './gates.ts'

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
