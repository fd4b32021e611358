import { expect, it, onTestFinished } from 'vitest'
import type { OfficialAccount } from '../../../server/connections/official/graph/accounts.ts'
import { startSchedule } from '../../../server/connections/official/index.ts'
import { createBackground } from '../../../server/lib/background.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import type { OfficialFacts, Store } from '../../../server/store/index.ts'
import { startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { officialContext } from '../../support/official-context.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const account = (senderId: number): OfficialAccount => ({
  ...{ senderId, code: `SND-${senderId}`, phoneNumberId: `${senderId}`, wabaId: '1' },
  ...{ accessToken: 't', appSecret: 's', verifyToken: 'v' },
})

/** Two accounts, of which Meta does not let in the first, and a PC that is on now and then. */
async function world() {
  const clock = createTestClock()
  const { store } = (await startApp()).app
  const nothing = await store.officialFacts.get(0)
  const known = new Map<number, OfficialFacts>()
  const done: string[] = []
  const ask = (what: string, now: () => Partial<OfficialFacts>) => async (asked: OfficialAccount) => {
    if (asked.senderId === 1) throw new Error('the token is refused')
    known.set(asked.senderId, { ...nothing, ...known.get(asked.senderId), ...now() })
    done.push(`${what} ${asked.code}`)
  }
  const quietStore: Store = {
    ...store,
    officialFacts: { ...store.officialFacts, get: async (senderId) => known.get(senderId) ?? nothing },
  }
  const start = () => {
    const background = createBackground({ clock, logger: createLogger('silent') })
    onTestFinished(background.stop)
    const context = officialContext(quietStore, { background, clock })
    const accounts = { ...context.accounts, list: () => [account(1), account(2)] }
    startSchedule(
      { ...context, accounts },
      {
        lookAfterStaleMessages: async () => undefined,
        syncTemplates: ask('templates of', () => ({ templatesSyncedAt: clock.now() })),
        check: ask('check of', () => ({ templatesSyncedAt: clock.now(), checkedAt: clock.now() })),
        refresh: async () => undefined,
        applyKept: () => undefined,
        settleEarlyStatuses: async () => undefined,
      },
    )
    return background.stop
  }
  return { clock, done, start }
}

it('an account that Meta refuses does not stop the templates and checks of others', async () => {
  const { clock, done, start } = await world()
  start()
  await clock.advance(6 * HOUR)
  expect(done).toEqual(['check of SND-2'])
  await clock.advance(2 * HOUR)
  expect(done).toEqual(['check of SND-2', 'templates of SND-2'])
})

it('a PC that is on for two hours a day still does the daily jobs', async () => {
  const { clock, done, start } = await world()
  for (let day = 0; day < 4; day += 1) {
    const stop = start()
    await clock.advance(2 * HOUR)
    await stop()
    clock.sleep(22 * HOUR)
  }
  expect(done.filter((each) => each.startsWith('check'))).toHaveLength(4)
})
