import { expect, test } from 'vitest'
import { localDay } from '../../server/lib/local-time.ts'
import { nextOpening, queueEnd, type Rules } from '../../server/messages/gates.ts'
import { NOTHING_SENT, type SendingState } from '../../server/store/index.ts'

const MINUTE = 60_000
/** By the clock on the wall. */
const at = (text: string): number => new Date(text).getTime()
const NOW = at('2026-11-21T12:00:00')
const rules = (more: Partial<Rules> = {}): Rules => ({
  ...{ pacing: { min_seconds: 2, max_seconds: 4 }, quiet_hours: null, daily_cap: null },
  ...more,
})

/** The same, one message after the other, as a lane asks. */
function oneByOne(its: Rules, state: SendingState, count: number, now: number): number {
  let last = now
  let mine = state
  for (let n = 0; n < count; n++) {
    last = nextOpening(its, mine, n === 0 ? now : mine.pacedUntil).at
    const day = localDay(last)
    const sentOnDay = (mine.day === day ? mine.sentOnDay : 0) + 1
    mine = { ...mine, day, sentOnDay, pacedUntil: last + its.pacing.min_seconds * 1000 }
  }
  return last
}

test('nothing that waits leaves at once, one message at once, the next after a pause', () => {
  expect([0, 1, 2, 601].map((count) => queueEnd(rules(), NOTHING_SENT, count, NOW))).toEqual([
    ...[NOW, NOW, NOW + 3000, NOW + 30 * MINUTE],
  ])
})

test('the first pause is the one that runs', () => {
  const state = { ...NOTHING_SENT, pacedUntil: NOW + 2500 }
  expect(queueEnd(rules(), state, 2, NOW)).toBe(NOW + 5500)
})

test('the cap of the day leaves the rest to the days that follow', () => {
  const state = { ...NOTHING_SENT, day: '2026-11-21', sentOnDay: 90 }
  const its = rules({ daily_cap: 100 })
  expect(queueEnd(its, state, 10, NOW)).toBe(NOW + 27_000)
  expect(queueEnd(its, state, 11, NOW)).toBe(at('2026-11-22T00:00:00'))
  expect(queueEnd(its, state, 210, NOW)).toBe(at('2026-11-23T00:00:00') + 99 * 3000)
})

test('quiet hours are left out', () => {
  const its = rules({ quiet_hours: { from: '13:00', to: '15:00' } })
  expect(queueEnd(its, NOTHING_SENT, 1200, NOW)).toBe(at('2026-11-21T12:59:57'))
  expect(queueEnd(its, NOTHING_SENT, 1201, NOW)).toBe(at('2026-11-21T15:00:00'))
})

test.each([
  ['a short night', { quiet_hours: { from: '22:00', to: '07:00' } }],
  ['a cap', { daily_cap: 37 }],
  ['a cap and a night', { quiet_hours: { from: '20:30', to: '08:15' }, daily_cap: 250 }],
  ['a noon', { quiet_hours: { from: '11:00', to: '13:00' }, daily_cap: 70 }],
])('is the sum of single messages: %s', (_, more) => {
  const its = rules({ ...more, pacing: { min_seconds: 97, max_seconds: 97 } })
  const state = { ...NOTHING_SENT, day: '2026-11-21', sentOnDay: 5, pacedUntil: NOW + 40_000 }
  for (const count of [1, 2, 36, 70, 333, 1500])
    expect(queueEnd(its, state, count, NOW), String(count)).toBe(oneByOne(its, state, count, NOW))
})

test('what takes more than a year has no end, and is not counted day by day', () => {
  expect(queueEnd(rules({ daily_cap: 1 }), NOTHING_SENT, 1_000_000, NOW)).toBeNull()
})
