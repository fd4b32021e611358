import { expect, test } from 'vitest'
import { SECOND } from '../../server/lib/clock.ts'
import { fittingHeap } from '../../server/lib/heap.ts'

/** A heap that is collected `perSecond` times in each of some seconds, of so many megabytes. */
function heap() {
  const set: number[] = []
  let bytes = 2_000_000
  let now = 0
  const collected = fittingHeap({ youngBytes: () => bytes, setGrowth: (factor) => set.push(factor) })
  return (perSecond: number, seconds: number, megabytes = 2): number[] => {
    bytes = megabytes * 1_000_000
    for (let n = 0; n < perSecond * seconds; n += 1) collected(now + (n * SECOND) / perSecond)
    now += seconds * SECOND
    return set.splice(0)
  }
}

test('a heap that is collected often for some seconds grows to a bound, and again where V8 took the room back', () => {
  const collect = heap()
  expect(collect(100, 2), 'linking a number collects as often, for less long').toEqual([])
  expect(collect(100, 10)).toEqual([2])
  expect(collect(5, 60, 34)).toEqual([1])
  expect(collect(100, 10, 34)).toEqual([])
  expect(collect(100, 10, 2)).toEqual([2])
})

test('a heap that is collected now and then stays small', () => {
  const collect = heap()
  expect(collect(10, 3_600)).toEqual([])
  for (let hour = 0; hour < 10; hour += 1) expect([...collect(100, 1), ...collect(1, 3_600)]).toEqual([])
})

test('a heap that grew stops growing when few calls come', () => {
  const collect = heap()
  expect(collect(100, 10)).toEqual([2])
  expect(collect(1, 10)).toEqual([1])
})
