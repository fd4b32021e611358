import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAuthState } from '../../../server/connections/linked/keys/auth-state.ts'
import { forgetStrangers } from '../../../server/connections/linked/keys/forget.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createVault } from '../../../server/lib/vault.ts'
import { createWorld } from './world.ts'

const [STRANGER, CONTACT, BEFORE, NOW] = ['628120001', '628120002', '628120003', '628120004']

test('the keys of a number that is no contact any more are removed, and the number of its LID', async () => {
  const { store, senderId } = await createWorld()
  const vault = createVault(randomBytes(32))
  const auth = createAuthState(senderId, store.sessions, vault, systemClock, createLogger('silent'))
  const creds = auth.fresh()
  await auth.begin(creds, { sameAccount: true, former: undefined })
  const bytes = Buffer.of(1)
  await auth.keysOf(creds).set({
    'lid-mapping': {
      ...{ [STRANGER]: '71', '71_reverse': STRANGER, [CONTACT]: '72', '72_reverse': CONTACT },
      // One person with a new number.
      ...{ [BEFORE]: '73', [NOW]: '73', '73_reverse': NOW },
    },
    session: { [`${STRANGER}.0`]: bytes, '71_1.0': bytes, [`${CONTACT}.0`]: bytes },
  })
  for (const phone of [CONTACT, NOW])
    await store.contacts.change(senderId, phone, { jid: `${phone}@s.whatsapp.net`, checkedAt: 1 })
  await forgetStrangers(store, vault, () => true)
  const left = async (type: string) => (await store.sessions.keysOf(senderId, type)).map(({ id }) => id).sort()
  expect(await left('lid-mapping')).toEqual([CONTACT, NOW, '72_reverse', '73_reverse'])
  expect(await left('session')).toEqual([`${CONTACT}.0`, '71_1.0'])
})
