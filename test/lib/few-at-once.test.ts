import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFewAtOnce, type FewAtOnce } from '../../server/lib/few-at-once.ts'
import { TooManyWaiting } from '../../server/lib/turns.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Calls of a caller, by number: which have begun, and how one ends. */
function calls(few: FewAtOnce<string>, caller: string) {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const leaves: (() => void)[] = []
  return {
    begun,
    /** Ends the nth that was begun. */
    end: (n: number) => ends[n]?.(),
    leave: (n: number) => leaves[n]?.(),
    async make(count: number): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        void few.run(caller, (leave) => {
          begun.push(begun.length)
          leaves.push(leave)
          return new Promise<void>((resolve) => ends.push(resolve))
        })
      }
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

test('a caller that is alone has all its calls under way', async () => {
  const few = createFewAtOnce<string>()
  const shop = calls(few, 'shop')
  await shop.make(50)
  expect(shop.begun).toHaveLength(50)
})

test('beside another one each has two under way; the others go on one by one, and none waits for another caller', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await till.make(1)
  await shop.make(5)
  expect(shop.begun).toHaveLength(2)
  await till.make(1)
  expect(till.begun).toHaveLength(2)
  shop.end(0)
  await vi.advanceTimersByTimeAsync(0)
  expect(shop.begun).toHaveLength(3)
  shop.end(2)
  shop.end(1)
  await vi.advanceTimersByTimeAsync(0)
  expect(shop.begun).toHaveLength(5)
})

test('what began alone does not end; what comes beside another one waits until enough of it has ended', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await shop.make(3)
  await till.make(1)
  await shop.make(1)
  shop.end(0)
  await vi.advanceTimersByTimeAsync(0)
  expect(shop.begun).toHaveLength(3)
  shop.end(1)
  await vi.advanceTimersByTimeAsync(0)
  expect(shop.begun).toHaveLength(4)
})

test('a second after the last call of another one a caller is alone again', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await till.make(1)
  await vi.advanceTimersByTimeAsync(999)
  await shop.make(9)
  expect(shop.begun).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  shop.end(0)
  await vi.advanceTimersByTimeAsync(0)
  expect(shop.begun).toHaveLength(9)
})

test('a call that takes a second, or that waits for others, gives its place back; it counts once', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await shop.make(2)
  await vi.advanceTimersByTimeAsync(500)
  await till.make(1)
  await shop.make(4)
  expect(shop.begun).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(500)
  expect(shop.begun).toHaveLength(4)
  shop.end(0)
  shop.end(1)
  await vi.advanceTimersByTimeAsync(0)
  expect(shop.begun).toHaveLength(4)
  shop.leave(2)
  await vi.advanceTimersByTimeAsync(0)
  expect(shop.begun).toHaveLength(5)
  shop.end(2)
  await vi.advanceTimersByTimeAsync(0)
  expect(shop.begun).toHaveLength(5)
})

test('one that fails gives its place back, and its caller hears why', async () => {
  const few = createFewAtOnce<string>()
  const [till, shop] = [calls(few, 'till'), calls(few, 'shop')]
  await till.make(1)
  await shop.make(1)
  await expect(few.run('shop', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await shop.make(1)
  expect(shop.begun).toHaveLength(2)
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
  expect(shop.begun).toHaveLength(4)
  await vi.advanceTimersByTimeAsync(950)
  await till.make(5)
  expect(till.begun).toHaveLength(4)
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
  shop.end(0)
  await vi.advanceTimersByTimeAsync(0)
  await shop.make(1)
  expect(shop.begun).toHaveLength(3)
})
