import { expect, it, onTestFinished } from 'vitest'
import type { OfficialAccount } from '../../../server/connections/official/accounts.ts'
import { startSchedule } from '../../../server/connections/official/schedule.ts'
import { createBackground } from '../../../server/lib/background.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createTestClock } from '../../support/clock.ts'

const HOUR = 3_600_000
const account = (senderId: number): OfficialAccount => ({
  ...{ senderId, code: `SND-${senderId}`, phoneNumberId: `${senderId}`, wabaId: '1' },
  ...{ accessToken: 't', appSecret: 's', verifyToken: 'v' },
})

it('an account that Meta does not let in keeps no other one from its templates and its check', async () => {
  const clock = createTestClock()
  const background = createBackground({ clock, logger: createLogger('silent') })
  onTestFinished(background.stop)
  const done: string[] = []
  const ask = (what: string) => async (asked: OfficialAccount) => {
    if (asked.senderId === 1) throw new Error('the token is refused')
    done.push(`${what} ${asked.code}`)
  }
  startSchedule({
    background,
    lookAfterStaleMessages: async () => undefined,
    accounts: () => [account(1), account(2)],
    syncTemplates: ask('templates of'),
    check: ask('check of'),
    refresh: async () => undefined,
    applyKept: () => undefined,
    settleEarlyStatuses: async () => undefined,
    inbox: { expire: async () => 0 },
    holds: { expire: async () => undefined },
    now: clock.now,
  })
  await clock.advance(6 * HOUR)
  expect(done).toEqual(['templates of SND-2'])
  await clock.advance(18 * HOUR)
  expect(done).toContain('check of SND-2')
})
