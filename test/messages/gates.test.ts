import { afterAll, describe, expect, test } from 'vitest'
import { afterQuietHours, nextOpening } from '../../server/messages/gates.ts'
import type { SendingState } from '../../server/store/index.ts'

const zone = process.env.TZ
process.env.TZ = 'Europe/Berlin'
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

/** A moment by the clock on the wall. */
const at = (text: string): number => new Date(text).getTime()
const shown = (ms: number): string => new Date(ms).toLocaleString('sv-SE').replace(' ', 'T')

const rules = { pacing: { min_seconds: 2, max_seconds: 5 }, quiet_hours: null, daily_cap: null }
const state: SendingState = {
  pacedUntil: 0,
  day: '2026-11-21',
  sentOnDay: 0,
  lastSentAt: null,
  restrictedUntil: 0,
  restrictions: 0,
}
const NOW = at('2026-11-21T12:00:00')

describe('quiet hours', () => {
  const night = { from: '22:00', to: '07:00' }
  test.each([
    ['2026-11-21T21:59:59', '2026-11-21T21:59:59'],
    ['2026-11-21T22:00:00', '2026-11-22T07:00:00'],
    ['2026-11-21T23:30:00', '2026-11-22T07:00:00'],
    ['2026-11-22T00:00:00', '2026-11-22T07:00:00'],
    ['2026-11-22T06:59:59', '2026-11-22T07:00:00'],
    ['2026-11-22T07:00:00', '2026-11-22T07:00:00'],
    ['2026-11-22T12:00:00', '2026-11-22T12:00:00'],
  ])('over midnight: at %s it opens at %s', (now, opens) => {
    expect(shown(afterQuietHours(night, at(now)))).toBe(opens)
  })

  test.each([
    ['2026-11-21T12:59:59', '2026-11-21T12:59:59'],
    ['2026-11-21T13:00:00', '2026-11-21T14:00:00'],
    ['2026-11-21T14:00:00', '2026-11-21T14:00:00'],
  ])('within a day: at %s it opens at %s', (now, opens) => {
    expect(shown(afterQuietHours({ from: '13:00', to: '14:00' }, at(now)))).toBe(opens)
  })

  test('hours that begin when they end are none', () => {
    expect(afterQuietHours({ from: '08:00', to: '08:00' }, NOW)).toBe(NOW)
  })

  test.each([
    ['the night is an hour shorter', '2026-03-28T23:00:00', '2026-03-29T07:00:00', 7],
    ['the night is an hour longer', '2026-10-24T23:00:00', '2026-10-25T07:00:00', 9],
  ])('when the clocks change, %s', (_, from, opens, hours) => {
    const opening = afterQuietHours(night, at(from))
    expect(shown(opening)).toBe(opens)
    expect(opening - at(from)).toBe(hours * 3_600_000)
  })

  test('an end that the clock leaps over is reached all the same', () => {
    const opening = afterQuietHours({ from: '22:00', to: '02:30' }, at('2026-03-29T01:00:00'))
    expect(opening).toBeGreaterThan(at('2026-03-29T01:00:00'))
    expect(opening).toBeLessThanOrEqual(at('2026-03-29T03:30:00'))
  })
})

describe('pacing', () => {
  test('holds until its time', () => {
    expect(nextOpening(rules, { ...state, pacedUntil: NOW + 3_000 }, NOW)).toEqual({
      at: NOW + 3_000,
      heldBy: 'pacing',
    })
    expect(nextOpening(rules, { ...state, pacedUntil: NOW }, NOW)).toEqual({ at: NOW, heldBy: null })
  })

  test('a pause that is longer than the owner wants does not count: the clock was set back', () => {
    expect(nextOpening(rules, { ...state, pacedUntil: NOW + 3_600_000 }, NOW)).toEqual({ at: NOW, heldBy: null })
  })
})

describe('the cap of a day', () => {
  const capped = { ...rules, daily_cap: 20 }
  test('lets the twentieth go and holds the next until midnight', () => {
    expect(nextOpening(capped, { ...state, sentOnDay: 19 }, NOW).heldBy).toBeNull()
    const gate = nextOpening(capped, { ...state, sentOnDay: 20 }, NOW)
    expect(gate.heldBy).toBe('daily_cap')
    expect(shown(gate.at)).toBe('2026-11-22T00:00:00')
  })

  test('counts from zero on another day', () => {
    expect(nextOpening(capped, { ...state, sentOnDay: 20 }, at('2026-11-22T00:00:00')).heldBy).toBeNull()
  })

  test('counts for the day that pacing leads into', () => {
    const beforeMidnight = at('2026-11-21T23:59:58')
    const gate = nextOpening(capped, { ...state, sentOnDay: 20, pacedUntil: beforeMidnight + 3_000 }, beforeMidnight)
    expect(gate).toEqual({ at: beforeMidnight + 3_000, heldBy: 'pacing' })
  })

  test('a limit whose midnight is in quiet hours waits for the morning, and keeps its name', () => {
    const gate = nextOpening(
      { ...capped, quiet_hours: { from: '22:00', to: '07:00' } },
      { ...state, sentOnDay: 20 },
      NOW,
    )
    expect(gate.heldBy).toBe('daily_cap')
    expect(shown(gate.at)).toBe('2026-11-22T07:00:00')
  })

  test('a day of 25 hours is one day', () => {
    const day = { ...state, day: '2026-10-25', sentOnDay: 20 }
    expect(shown(nextOpening(capped, day, at('2026-10-25T00:30:00')).at)).toBe('2026-10-26T00:00:00')
  })
})
