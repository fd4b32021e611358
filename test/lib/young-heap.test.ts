import { expect, test } from 'vitest'
import { SECOND } from '../../server/lib/time.ts'
import { fittingHeap } from '../../server/lib/young-heap.ts'

/** A heap that is collected `perSecond` times in each of some seconds. */
function heap() {
  let grown = 0
  let now = 0
  const fit = fittingHeap({ grow: () => (grown += 1) })
  return {
    fit,
    grown: () => grown,
    collect(perSecond: number, seconds: number) {
      for (let n = 0; n < perSecond * seconds; n += 1) fit.collected(now + (n * SECOND) / perSecond)
      now += seconds * SECOND
    },
  }
}

test('a heap that is collected often for some seconds gets room, once', () => {
  const { collect, grown } = heap()
  collect(100, 3)
  expect(grown(), 'linking a number collects as often, for less long').toBe(0)
  collect(100, 10)
  expect(grown()).toBe(1)
})

test('a heap that is collected now and then stays small', () => {
  const { collect, grown } = heap()
  collect(10, 3_600)
  for (let hour = 0; hour < 10; hour += 1) {
    collect(100, 2)
    collect(1, 3_600)
  }
  expect(grown()).toBe(0)
})

test('room is given back when few collections came since the last look, and asked for again', () => {
  const { collect, fit, grown } = heap()
  collect(100, 5)
  expect(fit.isQuiet()).toBe(false)
  expect(fit.isQuiet()).toBe(true)
  collect(100, 5)
  expect(grown()).toBe(2)
})
