import { expect, onTestFinished, test } from 'vitest'
import { createSteadyClock } from '../../server/lib/clock.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { followClock } from '../../server/store/index.ts'
import { createTestClock } from '../support/clock.ts'
import { openTestStore } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

test.each([
  ['seven hours behind', -7 * HOUR],
  ['a year ahead', 365 * 24 * HOUR],
])('a node whose clock is %s goes by the clock of the database from the start', async (_how, by) => {
  const pc = createTestClock(Date.now() + by)
  const clock = createSteadyClock(pc)
  const store = await openTestStore({ home: temporaryFolder(), now: clock.now })
  onTestFinished(store.close)
  const logger = createLogger('silent')
  const following = await followClock({ clock, time: store.time, marked: 0, moved: () => undefined, logger })
  onTestFinished(following.stop)
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(MINUTE)
  expect(Math.abs((store.time.lastSet()?.by ?? 0) - by)).toBeLessThan(MINUTE)
})

test('a clock that nobody corrects is compared again, and a database that is away changes nothing', async () => {
  const pc = createTestClock()
  const clock = createSteadyClock(pc)
  let ahead = 0
  let asked = 0
  let moved = 0
  const time = {
    move: async (_move: unknown, done: () => void) => done(),
    async shared() {
      asked += 1
      if (asked === 2) throw new Error('away')
      return pc.trueTime() + ahead
    },
  }
  const logger = createLogger('silent')
  const following = await followClock({ clock, time, marked: 0, moved: () => (moved += 1), logger })
  onTestFinished(following.stop)
  ahead = 20_000
  await pc.advance(10 * MINUTE)
  expect([asked, clock.now() - pc.now(), moved]).toEqual([2, 0, 0])
  await pc.advance(5_000)
  expect([asked, clock.now() - pc.now(), moved]).toEqual([3, 20_000, 1])
})
