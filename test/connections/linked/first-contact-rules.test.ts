import { describe, expect, test } from 'vitest'
import { NO_LOOK_UPS } from '../../../server/connections/linked/account/account-facts.ts'
import {
  heldUntil,
  nextLookUpAt,
  withAnswer,
  withLookUp,
} from '../../../server/connections/linked/account/first-contacts.ts'

const NOW = 1_000_000
const HOUR = 3_600_000

const having = (answers: boolean[], from = NO_LOOK_UPS, now = NOW) =>
  answers.reduce((lookUps, isOnWhatsApp) => withAnswer(lookUps, isOnWhatsApp, now), from)
const wrong = (count: number) => Array.from({ length: count }, () => false)

describe('look-ups', () => {
  test('are a second apart', () => {
    expect(nextLookUpAt(NO_LOOK_UPS, NOW)).toBe(NOW)
    const once = withLookUp(NO_LOOK_UPS, NOW)
    expect(nextLookUpAt(once, NOW)).toBe(NOW + 1_000)
    expect(nextLookUpAt(once, NOW + 400)).toBe(NOW + 1_000)
    expect(nextLookUpAt(once, NOW + 5_000)).toBe(NOW + 5_000)
  })
  test('do not wait for a clock that was set back', () => {
    expect(nextLookUpAt(withLookUp(NO_LOOK_UPS, NOW), NOW - 7 * HOUR)).toBe(NOW - 7 * HOUR)
    expect(nextLookUpAt(having(wrong(20)), NOW - 7 * HOUR)).toBe(NOW - 7 * HOUR)
  })
})

describe('wrong numbers', () => {
  test('twenty in a row hold first contacts for an hour', () => {
    expect(heldUntil(having(wrong(19)), NOW)).toBeNull()
    const held = having(wrong(20))
    expect(heldUntil(held, NOW)).toBe(NOW + HOUR)
    expect(nextLookUpAt(held, NOW)).toBe(NOW + HOUR)
    expect(heldUntil(held, NOW + HOUR)).toBeNull()
    expect(nextLookUpAt(held, NOW + HOUR)).toBe(NOW + HOUR)
  })
  test('with a right one in between are no row', () => {
    expect(heldUntil(having([...wrong(19), true, ...wrong(19)]), NOW)).toBeNull()
  })
  test('after a hold are counted from the beginning', () => {
    const held = having(wrong(20))
    expect(heldUntil(having(wrong(19), held, NOW + HOUR), NOW + HOUR)).toBeNull()
    expect(heldUntil(having(wrong(20), held, NOW + HOUR), NOW + HOUR)).toBe(NOW + 2 * HOUR)
  })
  test('500 of them take more than a day', () => {
    let [lookUps, now] = [NO_LOOK_UPS, NOW]
    for (let number = 0; number < 500; number += 1) {
      now = nextLookUpAt(lookUps, now)
      lookUps = withAnswer(withLookUp(lookUps, now), false, now)
    }
    expect(now - NOW).toBe(24 * (HOUR + 19_000) + 19_000)
  })
})
