import { describe, expect, test } from 'vitest'
import { createPaces } from '../../server/lib/paces.ts'

const MIB = 1024 * 1024

describe('the pace of reading', () => {
  test('is free up to the bytes at once, and then waits until they fit into a second’s', () => {
    let now = 0
    const paces = createPaces<string>({ perSecond: 4 * MIB, atOnce: MIB }, () => now)
    expect(paces.after('till', MIB)).toBe(0)
    expect(paces.after('till', MIB)).toBe(250)
    expect(paces.after('till', 2 * MIB)).toBe(750)
    now += 1000
    expect(paces.after('till', MIB)).toBe(0)
  })

  test('of one caller is not that of another', () => {
    const paces = createPaces<string>({ perSecond: MIB, atOnce: MIB }, () => 0)
    paces.after('hostile', 5 * MIB)
    expect(paces.after('till', 1000)).toBe(0)
  })

  test('counts the work that few bytes make, and not that of an ordinary body', () => {
    let now = 0
    const paces = createPaces<string>({ perSecond: 4 * MIB, atOnce: MIB }, () => now)
    for (let n = 0; n < 1000; n += 1) paces.worked('till', 0.5)
    for (let n = 0; n < 100; n += 1) paces.worked('hostile', 3)
    expect(paces.after('till', 1000)).toBe(0)
    // 300 ms of work are a quarter of 1,200 ms, of which 250 are free.
    expect(paces.after('hostile', 0)).toBeCloseTo(950)
    now += 1000
    expect(paces.after('hostile', 0)).toBe(0)
  })

  test('makes nobody wait for more than ten seconds, whatever came before', () => {
    const paces = createPaces<string>({ perSecond: MIB, atOnce: MIB }, () => 0)
    expect(paces.after('hostile', 1000 * MIB)).toBe(10_000)
  })
})
