import { expect, onTestFinished, test } from 'vitest'
import { openDrillShop } from './shop.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const CUSTOMER = '628120000000'

test('a line that takes messages and brings nothing is connected again, and where that does not help, all that is known of it', async () => {
  const shop = await openDrillShop(Math.ceil(Date.now() / DAY) * DAY + 9 * HOUR)
  onTestFinished(shop.close)
  await shop.link()
  await shop.customer(CUSTOMER)
  await shop.quiet()
  const { logins } = shop.peer.journal
  const before = logins.length

  shop.phone.mute()
  for (let n = 0; n < 9; n += 1) {
    await shop.send(`invoice ${n}`, 'known', [CUSTOMER])
    await shop.pass(30 * MINUTE)
  }
  expect(logins.length - before, 'nine messages prove nothing').toBe(0)
  await shop.send('the tenth invoice', 'known', [CUSTOMER])
  await shop.pass(5 * MINUTE)
  expect(logins.length - before).toBe(1)
  expect(shop.restarts()).toBe(0)

  // The new connection announces what waits, and does not bring it either.
  shop.phone.unmute()
  await shop.pass(6 * MINUTE)
  expect(shop.restarts()).toBe(1)
  expect(logins.length - before).toBe(2)
  await shop.pass(12 * HOUR)
  expect(shop.phone.pending.unconfirmed).toBe(0)
  await shop.send('the last invoice', 'known', [CUSTOMER])
  await shop.pass(MINUTE)
  const { experiences } = await shop.observed()
  expect(experiences.map(({ status, arrived }) => [status, arrived])).toEqual(experiences.map(() => ['read', 1]))
  expect(logins.length - before, 'it is heard again').toBe(2)
})
