import { expect, test } from 'vitest'
import { createTurns, inPortions, TooManyWaiting } from '../../server/lib/turns.ts'

/** Work that says when it begins and ends when the test says so. */
function piece() {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<string>()
  let hasBegun = false
  const work = () => {
    hasBegun = true
    begun.resolve()
    return end.promise
  }
  return { work, begun: begun.promise, end, hasBegun: () => hasBegun }
}

test('a caller has one piece at a time, in the order of its calls; another caller does not wait for it', async () => {
  const turns = createTurns<string>(() => 2)
  const [first, second, third, other] = [piece(), piece(), piece(), piece()]
  const done = [turns.run('a', first.work), turns.run('a', second.work), turns.run('a', third.work)]
  const done2 = turns.run('b', other.work)
  await Promise.all([first.begun, other.begun])
  expect([second.hasBegun(), third.hasBegun()]).toEqual([false, false])
  first.end.resolve('first')
  await second.begun
  expect(third.hasBegun()).toBe(false)
  second.end.resolve('second')
  await third.begun
  third.end.resolve('third')
  other.end.resolve('other')
  expect(await Promise.all([...done, done2])).toEqual(['first', 'second', 'third', 'other'])
})

test('what is more than may wait does not run, and what fails lets the next one begin', async () => {
  const turns = createTurns<string>(() => 1)
  const [first, second, tooMany, later] = [piece(), piece(), piece(), piece()]
  const failing = turns.run('a', first.work)
  const waiting = turns.run('a', second.work)
  await expect(turns.run('a', tooMany.work)).rejects.toThrow(TooManyWaiting)
  first.end.reject(new Error('broken'))
  await expect(failing).rejects.toThrow('broken')
  await second.begun
  const next = turns.run('a', later.work)
  second.end.resolve('second')
  later.end.resolve('later')
  expect(await Promise.all([waiting, next])).toEqual(['second', 'later'])
  expect(tooMany.hasBegun()).toBe(false)
})

test('what others sent meanwhile comes between two pieces of one caller', async () => {
  const turns = createTurns<string>(() => 1)
  const order: string[] = []
  const note = (what: string) => async () => void order.push(what)
  const both = [turns.run('a', note('first')), turns.run('a', note('second'))]
  setImmediate(() => order.push('another caller'))
  await Promise.all(both)
  expect(order).toEqual(['first', 'another caller', 'second'])
})

/** When each piece of these callers began, if all are asked for at once. */
async function beginnings(...pieces: (readonly [caller: string, ms: number])[]): Promise<number[]> {
  let now = 0
  const wait = async (ms: number) => {
    now += ms
  }
  const turns = createTurns<string>(() => 9, { now: () => now, wait })
  const begun: number[] = []
  const run = (ms: number) => () => {
    begun.push(now)
    now += ms
  }
  await Promise.all(pieces.map(([caller, ms]) => turns.run(caller, run(ms))))
  return begun
}

test('after a piece none begins for as long as it took, 50 ms at most', async () => {
  expect(await beginnings(['a', 20], ['a', 400], ['a', 1])).toEqual([0, 40, 490])
})

test('the more callers want a piece, the longer none begins, up to eight of them', async () => {
  expect(await beginnings(['a', 20], ['b', 400], ['a', 1])).toEqual([0, 60, 560])
  const of = (callers: number) => Array.from({ length: callers }, (_, n) => [`caller ${n}`, 10] as const)
  expect((await beginnings(...of(8)))[1]).toBe(90)
  expect((await beginnings(...of(20)))[1]).toBe(90)
})

test('a list is cut into portions, and others have a turn between them', async () => {
  let turns = 0
  const tick = () => {
    turns += 1
    next = setImmediate(tick)
  }
  let next = setImmediate(tick)
  const seen: { portion: readonly number[]; turn: number }[] = []
  for await (const portion of inPortions([1, 2, 3, 4, 5], 2)) seen.push({ portion, turn: turns })
  clearImmediate(next)
  expect(seen.map(({ portion }) => portion)).toEqual([[1, 2], [3, 4], [5]])
  expect(new Set(seen.map(({ turn }) => turn)).size).toBe(3)
})
