import { expect, it } from 'vitest'
import { createRateLimitBackoff, waitSeconds } from '../../../server/connections/official/graph/rate-limit-backoff.ts'

it.each([
  [131056, [4, 16, 64, 256]],
  [130429, [1, 2, 4, 8]],
  [80007, [60, 120, 240, 480]],
])('after %i the waits grow like %j', (code, expected) => {
  expect([1, 2, 3, 4].map((refusals) => waitSeconds(code, refusals))).toEqual(expected)
})

it('never asks for more than an hour', () => {
  expect(waitSeconds(131056, 50)).toBe(3600)
})

it('grows per key while refusals go on, and starts again after success or a quiet time', () => {
  let now = 0
  const waits = createRateLimitBackoff(() => now)
  expect([waits.refused('a', 131056), waits.refused('a', 131056), waits.refused('b', 131056)]).toEqual([4, 16, 4])
  waits.accepted('a')
  expect(waits.refused('a', 131056)).toBe(4)
  now += 8_000
  expect(waits.refused('a', 131056)).toBe(4)
})
