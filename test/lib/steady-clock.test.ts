import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSteadyClock } from '../../server/lib/clock.ts'
import { createTestClock } from '../support/clock.ts'

const HOUR = 3_600_000

function world() {
  const pc = createTestClock()
  const clock = createSteadyClock(pc)
  const calls: number[] = []
  clock.onSet(() => calls.push(clock.ahead()))
  return { pc, clock, start: pc.now(), calls }
}

test.each([
  ['back', -7 * HOUR],
  ['forward', 7 * HOUR],
  ['forward by years', 6 * 365 * 24 * HOUR],
])('a clock that is set %s is not followed until what is stored was moved', async (_how, by) => {
  const { pc, clock, start, calls } = world()
  await pc.advance(1000)
  pc.jump(by)
  expect(clock.now()).toBe(start + 1000)
  await pc.advance(1000)
  expect(clock.now()).toBe(start + 2000)
  expect(clock.ahead()).toBe(by)
  expect(calls).toEqual([by])
  clock.follow()
  expect(clock.now()).toBe(pc.now())
  expect(clock.ahead()).toBe(0)
  await pc.advance(HOUR)
  expect(clock.now()).toBe(pc.now())
  expect(calls).toHaveLength(1)
})

test('sleep of the PC is no jump', async () => {
  const { pc, clock, calls } = world()
  await pc.advance(90_000)
  clock.now()
  pc.sleep(9 * HOUR)
  expect(clock.now()).toBe(pc.now())
  await pc.advance(HOUR)
  expect(clock.now()).toBe(pc.now())
  expect(calls).toEqual([])
})

test('a clock that is set while the PC sleeps: only what it was set by is a jump', async () => {
  const { pc, clock, start } = world()
  pc.sleep(2 * HOUR)
  pc.jump(-HOUR)
  expect(clock.now()).toBe(start + 2 * HOUR)
  expect(clock.ahead()).toBe(-HOUR)
})

test('a step of some seconds is followed, but time never goes back', async () => {
  const { pc, clock, start, calls } = world()
  await pc.advance(10_000)
  clock.now()
  pc.jump(-2_000)
  expect(clock.now()).toBe(start + 10_000)
  await pc.advance(1_000)
  expect(clock.now()).toBe(start + 10_000)
  await pc.advance(4_000)
  expect(clock.now()).toBe(pc.now())
  pc.jump(3_000)
  expect(clock.now()).toBe(pc.now())
  expect(calls).toEqual([])
})

test('a time server that corrects the clock slowly causes no jump, however long it takes', async () => {
  const { pc, clock, calls } = world()
  for (let minutes = 0; minutes < 600; minutes += 1) {
    await pc.advance(60_000)
    pc.jump(30)
    clock.now()
  }
  expect(clock.now()).toBe(pc.now())
  expect(calls).toEqual([])
})

test('a jump that is undone before it was followed is none', async () => {
  const { pc, clock } = world()
  pc.jump(-HOUR)
  expect(clock.ahead()).toBe(-HOUR)
  pc.jump(HOUR + 200)
  expect(clock.ahead()).toBe(0)
  expect(clock.now()).toBe(pc.now())
})

test('a second jump adds to one that is not followed yet', async () => {
  const { pc, clock, start } = world()
  pc.jump(-HOUR)
  clock.now()
  await pc.advance(1000)
  pc.jump(-HOUR)
  expect(clock.ahead()).toBe(-2 * HOUR)
  expect(clock.now()).toBe(start + 1000)
})

test('who unsubscribed is not called', async () => {
  const { pc, clock } = world()
  let called = 0
  const stop = clock.onSet(() => {
    called += 1
  })
  stop()
  pc.jump(HOUR)
  clock.now()
  await setImmediate()
  expect(called).toBe(0)
})

test('time is counted in whole milliseconds, whenever the clock is set', async () => {
  const { pc, clock } = world()
  for (let times = 0; times < 50; times += 1) {
    await pc.advance(10_007)
    pc.jump(times % 2 === 0 ? 37_000 : -7 * HOUR)
    const seen = [clock.now(), clock.ahead()]
    clock.follow()
    expect([...seen, clock.now()].filter((time) => !Number.isInteger(time))).toEqual([])
  }
})
