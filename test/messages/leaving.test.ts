import { expect, test } from 'vitest'
import { lastLeavesAt } from '../../server/messages/leaving.ts'
import { NOTHING_SENT } from '../../server/store/index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** On the clock of this PC. */
const on = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime()

const rules = { pacing: { min_seconds: 4, max_seconds: 8 }, quiet_hours: null, daily_cap: null }

test('pacing alone: one after the other', () => {
  expect(lastLeavesAt(rules, NOTHING_SENT, on(21, 8), 1)).toBe(on(21, 8))
  expect(lastLeavesAt(rules, NOTHING_SENT, on(21, 8), 601)).toBe(on(21, 9))
  expect(lastLeavesAt(rules, NOTHING_SENT, on(21, 8), 0)).toBe(on(21, 8))
  expect(lastLeavesAt({ ...rules, pacing: { min_seconds: 0, max_seconds: 0 } }, NOTHING_SENT, on(21, 8), 9)).toBe(
    on(21, 8),
  )
})

test('quiet hours stop it, also over midnight', () => {
  const quiet = { ...rules, quiet_hours: { from: '20:00', to: '07:00' } }
  // 600 within the hour before they begin, the rest after they end.
  expect(lastLeavesAt(quiet, NOTHING_SENT, on(21, 19), 601)).toBe(on(22, 7))
  expect(lastLeavesAt(quiet, NOTHING_SENT, on(21, 23), 1)).toBe(on(22, 7))
})

test('the cap of a day, with what it has sent already', () => {
  const capped = { ...rules, daily_cap: 100 }
  expect(lastLeavesAt(capped, NOTHING_SENT, on(21, 8), 100)).toBe(on(21, 8) + 99 * 6_000)
  expect(lastLeavesAt(capped, NOTHING_SENT, on(21, 8), 301)).toBe(on(24, 0))
  const sent = { ...NOTHING_SENT, day: '2026-11-21', sentOnDay: 100 }
  expect(lastLeavesAt(capped, sent, on(21, 8), 1)).toBe(on(22, 0))
  expect(lastLeavesAt({ ...rules, daily_cap: 1 }, NOTHING_SENT, on(21, 8), 1_000)).toBeNull()
})

test('a pause that lasts, and days without an end of the loop', () => {
  const paced = { ...NOTHING_SENT, pacedUntil: on(21, 8) + 5_000 }
  expect(lastLeavesAt(rules, paced, on(21, 8), 1)).toBe(on(21, 8) + 5_000)
  const last = lastLeavesAt(rules, NOTHING_SENT, on(21, 0), 100_000) ?? 0
  expect(Math.abs(last - on(21, 0) - 99_999 * 6_000)).toBeLessThan(2 * HOUR)
})
