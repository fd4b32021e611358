import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFewAtOnce, type FewAtOnce } from '../../server/lib/places.ts'
import { TooManyWaiting } from '../../server/lib/turns.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Lets go on what can. */
const settled = () => vi.advanceTimersByTimeAsync(0)

/** Calls of a caller, numbered in the order in which they begin. */
function calls(few: FewAtOnce<string>, caller: string) {
  const ends: (() => void)[] = []
  const leaves: (() => void)[] = []
  return {
    begun: () => ends.length,
    async end(...numbers: number[]): Promise<void> {
      for (const n of numbers) ends[n]?.()
      await settled()
    },
    /** Gives the place of the nth back, which goes on. */
    async leave(n: number): Promise<void> {
      leaves[n]?.()
      await settled()
    },
    async make(count: number): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        void few.run(caller, (leave) => {
          leaves.push(leave)
          return new Promise<void>((resolve) => ends.push(resolve))
        })
      }
      await settled()
    },
  }
}

test('a caller that is alone has all its calls under way', async () => {
  const few = createFewAtOnce<string>()
  const shop = calls(few, 'shop')
  await shop.make(50)
  expect(shop.begun()).toBe(50)
})

test('beside another one each has two under way; the others go on one by one, and none waits for another caller', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await till.make(1)
  await shop.make(5)
  expect(shop.begun()).toBe(2)
  await till.make(1)
  expect(till.begun()).toBe(2)
  await shop.end(0)
  expect(shop.begun()).toBe(3)
  await shop.end(1, 2)
  expect(shop.begun()).toBe(5)
})

test('what began alone does not end; what comes beside another one waits until enough of it has ended', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await shop.make(3)
  await till.make(1)
  await shop.make(1)
  await shop.end(0)
  expect(shop.begun()).toBe(3)
  await shop.end(1)
  expect(shop.begun()).toBe(4)
})

test('a second after the last call of another one a caller is alone again', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await till.make(1)
  await vi.advanceTimersByTimeAsync(999)
  await shop.make(9)
  expect(shop.begun()).toBe(2)
  await vi.advanceTimersByTimeAsync(1)
  await shop.end(0)
  expect(shop.begun()).toBe(9)
})

test('a call that takes a second, or that waits for others, gives its place back; it counts once', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await shop.make(2)
  await vi.advanceTimersByTimeAsync(500)
  await till.make(1)
  await shop.make(4)
  expect(shop.begun()).toBe(2)
  await vi.advanceTimersByTimeAsync(500)
  expect(shop.begun()).toBe(4)
  await shop.end(0, 1)
  expect(shop.begun()).toBe(4)
  await shop.leave(2)
  expect(shop.begun()).toBe(5)
  await shop.end(2)
  expect(shop.begun()).toBe(5)
})

test('one that fails gives its place back, and its caller hears why', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await till.make(1)
  await shop.make(1)
  await expect(few.run('shop', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await shop.make(1)
  expect(shop.begun()).toBe(2)
})

test('one whose calls wait still calls, though no new one comes', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await till.make(1)
  await shop.make(3)
  await vi.advanceTimersByTimeAsync(900)
  await till.make(1)
  await shop.make(3)
  // Two of the shop's give their places back, and two others begin: the newest of its calls.
  await vi.advanceTimersByTimeAsync(100)
  expect(shop.begun()).toBe(4)
  await vi.advanceTimersByTimeAsync(950)
  await till.make(5)
  expect(till.begun()).toBe(4)
})

test('a new call does not overtake those that wait', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  const order: string[] = []
  await till.make(1)
  await vi.advanceTimersByTimeAsync(700)
  await shop.make(2)
  const waiting = few.run('shop', async () => void order.push('waited'))
  await vi.advanceTimersByTimeAsync(301)
  const late = few.run('shop', async () => void order.push('came later'))
  await Promise.all([waiting, late])
  expect(order).toEqual(['waited', 'came later'])
})

test('what is more than a thousand that wait is refused', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await till.make(1)
  await shop.make(1_002)
  await expect(few.run('shop', async () => undefined)).rejects.toThrow(TooManyWaiting)
  await shop.end(0)
  await shop.make(1)
  expect(shop.begun()).toBe(3)
})
