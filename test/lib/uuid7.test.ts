import { expect, test } from 'vitest'
import { createUuid7 } from '../../server/lib/uuid7.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const make = (count: number, next: () => string) => Array.from({ length: count }, next)
const rises = (ids: string[]) => ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? ''))

test('an id is of version 7 and begins with its time', () => {
  const id = createUuid7(() => NOW)()
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(id.slice(0, 13).replace('-', ''), 16)).toBe(NOW)
})

test('ids rise within one moment, beyond what its counter holds', () => {
  const ids = make(
    10_000,
    createUuid7(() => NOW),
  )
  expect(rises(ids)).toBe(true)
  expect(new Set(ids).size).toBe(10_000)
})

test('ids rise although the clock is set back', () => {
  let now = NOW
  const next = createUuid7(() => now)
  const before = make(3, next)
  now -= 3_600_000
  expect(rises([...before, ...make(3, next)])).toBe(true)
})

test('ids rise over a restart with a clock that was set back', () => {
  const last = createUuid7(() => NOW)()
  const next = createUuid7(() => NOW - 3_600_000, last)
  expect(rises([last, ...make(3, next)])).toBe(true)
})
