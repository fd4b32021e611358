import { beforeAll, describe, expect, test } from 'vitest'
import { createFormats, type Formats } from '../../server/words/format.ts'

// Not that of this machine: days are those of the PC, an hour after UTC's in the evening.
process.env.TZ = 'Asia/Jakarta'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe.each([
  ['en-GB', '14:02', 'Tue 10 Nov', '5 minutes ago', 'in 2 hours', 'Yesterday', '6,623', '1.5 GB'],
  ['id-ID', '14.02', 'Sel 10 Nov', '5 menit yang lalu', 'dalam 2 jam', 'Kemarin', '6.623', '1,5 GB'],
])('numbers and times in %s', (locale, clock, day, ago, ahead, yesterday, thousands, bytes) => {
  let format: Formats
  const at = '2026-11-10T07:02:11.000Z'
  const sameDay = Date.parse('2026-11-10T10:00:00.000Z')
  const nextDay = Date.parse('2026-11-11T10:00:00.000Z')

  beforeAll(() => {
    format = createFormats(locale)
  })

  test('one clock of 24 hours', () => {
    expect(format.clock(at)).toBe(clock)
    expect(format.clockSeconds(at)).toBe(`${clock}${clock.includes('.') ? '.' : ':'}11`)
    expect(format.clock('2026-11-10T17:05:00.000Z')).toMatch(/^00/)
    expect(format.exact(at)).toContain('14')
  })

  test('a distance is written out', () => {
    expect(format.distance(new Date(sameDay - 5 * MINUTE).toISOString(), sameDay)).toBe(ago)
    expect(format.distance(new Date(sameDay + 2 * HOUR + 1).toISOString(), sameDay)).toBe(ahead)
    expect(format.distance(new Date(sameDay - 400 * 24 * HOUR).toISOString(), sameDay)).not.toMatch(/\d{2}/)
  })

  test('in a list: the distance today, weekday, day and clock from yesterday on', () => {
    expect(format.moment(new Date(sameDay - 5 * MINUTE).toISOString(), sameDay)).toBe(ago)
    expect(format.moment(at, nextDay)).toBe(`${day} ${clock}`)
    expect(format.moment('2025-11-10T07:02:11.000Z', nextDay)).toContain('2025')
  })

  test('what is to come: the clock today, with its day otherwise', () => {
    expect(format.until(at, sameDay)).toBe(clock)
    expect(format.until(at, nextDay)).toBe(`${day} ${clock}`)
  })

  test('headings of days, by the days of this PC', () => {
    expect(format.dayHeading(at, nextDay)).toBe(yesterday)
    // 23:30 of the 10th in UTC is the 11th here.
    expect(format.dayHeading('2026-11-10T23:30:00.000Z', nextDay)).not.toBe(yesterday)
    expect(format.dayHeading(at, nextDay + 5 * 24 * HOUR)).toBe(day)
  })

  test('thousands, bytes, shares and seconds', () => {
    expect(format.number(6623)).toBe(thousands)
    expect(format.bytes(1_500_000_000)).toBe(bytes)
    expect(format.bytes(0)).toMatch(/^0/)
    expect(format.percent(1)).toBe('100%')
    expect(format.percent(0.9999), 'never all while one is missing').toBe('99%')
    expect(format.seconds(3_140)).toBe(clock.includes('.') ? '3,1' : '3.1')
  })
})

test('yesterday is the day before, also where a day has 25 hours', () => {
  process.env.TZ = 'Europe/Berlin'
  const now = Date.parse('2026-10-26T22:30:00.000Z')
  expect(createFormats('en-GB').dayHeading('2026-10-25T00:30:00.000Z', now)).toBe('Yesterday')
  process.env.TZ = 'Asia/Jakarta'
})
