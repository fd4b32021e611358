import { expect, test } from 'vitest'
import { commitsIn } from '../../support/commits.ts'
import { startShop } from '../../support/shop.ts'

const MESSAGES = 10

test('a text to a known contact costs one commit of session keys, and one for each thing that becomes of it', async () => {
  const shop = await startShop()
  await shop.link()
  const sendAndSettle = async () => shop.app.reached(await shop.send({}), 'read')
  // Look-up, devices, sessions and tokens of a new contact; what a new link brings is over too.
  for (let n = 0; n < 5; n += 1) await sendAndSettle()
  const count = () => ({
    messages: commitsIn(shop.app.home, 'kurir.db'),
    sessions: commitsIn(shop.app.home, 'sessions.db'),
  })
  const before = count()
  for (let n = 0; n < MESSAGES; n += 1) await sendAndSettle()
  const after = count()

  // The sessions with the recipient's phone and with the owner's, which gets a copy, step on together.
  expect(after.sessions - before.sessions).toBe(MESSAGES)
  // Accepted, claimed, sent, delivered, read; the last three share what comes at once.
  const perMessage = (after.messages - before.messages) / MESSAGES
  expect(perMessage).toBeGreaterThanOrEqual(3)
  expect(perMessage).toBeLessThanOrEqual(5)
}, 60_000)
