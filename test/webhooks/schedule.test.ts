import { expect, test } from 'vitest'
import { parseRetryAfter } from '../../server/lib/backoff.ts'
import { afterAttempt, replyAt } from '../../server/webhooks/attempt.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const middle = (): number => 0.5
const HOUR = 3_600_000

test('the waits are those of the contract, and the twelfth failure is the last', () => {
  const waits = Array.from({ length: 12 }, (_, index) => {
    const next = afterAttempt(index + 1, { status: 500 }, NOW, middle)
    return next.type === 'retry' ? (next.at - NOW) / 1000 : next.type
  })
  expect(waits).toEqual([5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, 'dead'])
})

test('waits vary by 20 % in both directions', () => {
  expect(afterAttempt(4, {}, NOW, () => 0)).toEqual({ type: 'retry', at: NOW + 480_000 })
  expect(afterAttempt(4, {}, NOW, () => 1)).toEqual({ type: 'retry', at: NOW + 720_000 })
})

test.each([200, 201, 202, 204, 299])('%i delivers', (status) => {
  expect(afterAttempt(12, { status }, NOW, middle)).toEqual({ type: 'delivered' })
})

test.each([undefined, 199, 300, 301, 302, 307, 400, 401, 404, 408, 429, 500, 503])('%s is tried again', (status) => {
  expect(afterAttempt(1, status === undefined ? {} : { status }, NOW, middle)).toEqual({
    type: 'retry',
    at: NOW + 5_000,
  })
})

test('410 switches the endpoint off, even at the last attempt', () => {
  expect(afterAttempt(1, { status: 410 }, NOW, middle)).toEqual({ type: 'disabled' })
  expect(afterAttempt(12, { status: 410 }, NOW, middle)).toEqual({ type: 'disabled' })
})

test('Retry-After asks for more time, never for less, at most for a day', () => {
  const at = (attempt: number, retryAfter: string): number => {
    const next = afterAttempt(attempt, { status: 503, retryAfter }, NOW, middle)
    return next.type === 'retry' ? next.at - NOW : Number.NaN
  }
  expect(at(1, '120')).toBe(120_000)
  expect(at(1, 'Sat, 21 Nov 2026 09:00:00 GMT')).toBe(HOUR)
  expect(at(6, '1')).toBe(2 * HOUR)
  expect(at(1, '999999999')).toBe(24 * HOUR)
})

test.each(['', 'soon', '-5', '1.5.1', 'Fri, 20 Nov 2026 09:00:00 GMT'])(
  'Retry-After "%s" does not change the wait',
  (value) => {
    expect(parseRetryAfter(value, NOW)).toBe(value.trim() === '' || Number.isNaN(Date.parse(value)) ? null : 0)
  },
)

test('a reply is tried again before its day is over, and in the hour after a start', () => {
  const received = 1_800_000_000_000
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
  expect(replyAt(received, received, received + 5_000)).toBe(received + 5_000)
  expect(replyAt(received, received + 20 * hour, received + 40 * hour)).toBe(received + day - minute)
  expect(replyAt(received, received + 40 * hour, received + 60 * hour)).toBe(received + 40 * hour + 10 * minute)
})
