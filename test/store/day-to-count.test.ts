import { expect, test } from 'vitest'
import { daysBetween } from '../../server/lib/local-time.ts'
import { dayToCount } from '../../server/store/day-to-count.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const midnight = (day: number) => new Date(2026, 10, day).getTime()
const FIRST = midnight(1) + 9 * HOUR

const dateOf = (day: ReturnType<typeof dayToCount>) => (day === undefined ? undefined : new Date(day.since).getDate())
const counted = (from: number, to: number, talliedAt: number | null) =>
  daysBetween(midnight(from), midnight(to + 1)).map((day) => ({ ...day, talliedAt }))

test('the newest day that has been over for an hour comes first, then the ones before it, back to the first message', () => {
  expect(dateOf(dayToCount(FIRST, [], midnight(21) + HOUR - 1))).toBe(19)
  expect(dateOf(dayToCount(FIRST, [], midnight(21) + HOUR))).toBe(20)
  const now = midnight(21) + 2 * HOUR
  expect(dateOf(dayToCount(FIRST, counted(3, 20, now), now))).toBe(2)
  expect(dateOf(dayToCount(FIRST, counted(1, 20, now), now))).toBeUndefined()
  expect(dateOf(dayToCount(midnight(21), [], now)), 'before the first message').toBeUndefined()
})

test('one whose count was broken off is counted, and so is one of another time zone in the days of this one', () => {
  const now = midnight(21) + 2 * HOUR
  expect(dayToCount(FIRST, [...counted(1, 19, now), ...counted(20, 20, null)], now)?.talliedAt).toBeNull()
  const shifted = counted(1, 20, now).map((day) => ({ ...day, since: day.since - HOUR, until: day.until - HOUR }))
  expect(dateOf(dayToCount(FIRST, shifted, now))).toBe(20)
})

test('a day is counted again each day until nothing of it changes any more', () => {
  const now = midnight(21) + 2 * HOUR
  expect(dateOf(dayToCount(FIRST, counted(1, 20, now - DAY), now))).toBeUndefined()
  expect(dateOf(dayToCount(FIRST, counted(1, 20, now - DAY - 1), now))).toBe(20)
  expect(dateOf(dayToCount(FIRST, counted(1, 20, now + 2 * DAY), now)), 'the clock was set back').toBe(20)
  const later = midnight(21) + 40 * DAY
  const settled = counted(1, 20, midnight(21) + 33 * DAY)
  expect(dateOf(dayToCount(FIRST, [...settled, ...counted(21, 60, later)], later))).toBeUndefined()
  const earlier = counted(1, 20, midnight(21) + 31 * DAY)
  expect(dateOf(dayToCount(FIRST, [...earlier, ...counted(21, 60, later)], later))).toBe(20)
})
