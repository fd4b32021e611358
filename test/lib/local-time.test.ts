import { afterEach, expect, test } from 'vitest'
import { localDay, nextTimeOfDay, startOfDate, startOfDay } from '../../server/lib/local-time.ts'

const zone = process.env.TZ

afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

test.each([
  ['Asia/Jakarta', '2026-11-20T17:00:00.000Z'],
  ['UTC', '2026-11-21T00:00:00.000Z'],
  ['America/New_York', '2026-11-21T05:00:00.000Z'],
])('a date begins at midnight of the place: %s', (place, expected) => {
  process.env.TZ = place
  const start = startOfDate('2026-11-21')
  expect(new Date(start).toISOString()).toBe(expected)
  expect(startOfDay(start + 3_600_000)).toBe(start)
  expect(localDay(start)).toBe('2026-11-21')
  expect(localDay(start - 1)).toBe('2026-11-20')
  expect(localDay(startOfDate('2026-11-30', 1))).toBe('2026-12-01')
})

test('a time of the day is the next one at which the clock of the place shows it', () => {
  process.env.TZ = 'Asia/Jakarta'
  const noon = startOfDate('2026-11-21') + 12 * 3_600_000
  expect(new Date(nextTimeOfDay(noon, '12:00')).toISOString()).toBe('2026-11-21T05:00:00.000Z')
  expect(new Date(nextTimeOfDay(noon, '11:59')).toISOString()).toBe('2026-11-22T04:59:00.000Z')
})
