import type { WASocket } from 'baileys'
import { expect, test, vi } from 'vitest'
import type { LinkedContext } from '../../../server/connections/linked/account/context.ts'
import { createTrust, type TokenEntry } from '../../../server/connections/linked/account/trust.ts'
import { DAY, SECOND } from '../../../server/lib/clock.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'

test('a token that comes while old ones are cleared away stays', async () => {
  const clock = createTestClock()
  const issued = (ago: number): TokenEntry => ({
    token: Buffer.from('token'),
    timestamp: String(Math.floor((clock.now() - ago) / SECOND)),
  })
  const [old, fresh] = [issued(90 * DAY), issued(DAY)]
  const notes = ['1@lid', '2@lid'].map((id) => ({ id, value: old }))
  const context = {
    account: { learnForm: () => undefined },
    auth: { notes: async () => notes },
    clock,
    logger: createLogger('silent'),
  } as unknown as LinkedContext
  const props = { tag: 'props', attrs: {}, content: [] }
  const keys = { get: vi.fn(async () => ({ '1@lid': old, '2@lid': fresh })), set: vi.fn(async () => undefined) }
  const query = async () => ({ tag: 'iq', attrs: {}, content: [props] })
  createTrust(context).onUp({ query, serverProps: {}, authState: { keys } } as unknown as WASocket)
  await eventually(() => keys.set.mock.calls.length > 0)
  expect(keys.set.mock.calls).toEqual([[{ tctoken: { '1@lid': null } }]])
})
