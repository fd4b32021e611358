import { expect, test } from 'vitest'
import { sleep } from '../../server/lib/sleep.ts'
import { createTestClock } from '../support/clock.ts'

test('sleep ends when its time has come', async () => {
  const clock = createTestClock()
  const events: string[] = []
  const sleeping = sleep(clock, 1000, new AbortController().signal).then(() => events.push('awake'))
  await clock.advance(999)
  expect(events).toEqual([])
  await clock.advance(1)
  await sleeping
})

test('sleep ends at once with the reason of its signal, and leaves no timer', async () => {
  const clock = createTestClock()
  const stop = new AbortController()
  const sleeping = sleep(clock, 1000, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(sleeping).rejects.toThrow('stopped')
  await expect(sleep(clock, 1000, stop.signal)).rejects.toThrow('stopped')
})

test('the test clock runs timers in the order of their time, also those set on the way', async () => {
  const clock = createTestClock(0)
  const events: string[] = []
  const note = (name: string) => (): void => {
    events.push(`${name} at ${clock.now()}`)
  }
  clock.after(20, note('late'))
  clock.after(10, () => clock.after(5, note('nested')))
  const cancel = clock.after(12, note('cancelled'))
  cancel()
  await clock.advance(30)
  expect(events).toEqual(['nested at 15', 'late at 20'])
  expect(clock.now()).toBe(30)
})
