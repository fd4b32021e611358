import { expect, test } from 'vitest'
import { keyState } from '../../server/cli/access.ts'

test.each([
  ['valid', { revoked_at: null, expires_at: null }],
  ['until 2026-11-22T00:00:00.000Z', { revoked_at: null, expires_at: '2026-11-22T00:00:00.000Z' }],
  ['expired 2026-11-21T00:00:00.000Z', { revoked_at: null, expires_at: '2026-11-21T00:00:00.000Z' }],
  ['revoked', { revoked_at: '2026-11-01T00:00:00.000Z', expires_at: '2026-11-21T00:00:00.000Z' }],
])('the command line shows a key as %s', (expected, key) => {
  expect(keyState(key, Date.UTC(2026, 10, 21))).toBe(expected)
})
