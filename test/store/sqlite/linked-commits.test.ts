import { expect, test } from 'vitest'
import { commitsIn } from '../../support/commits.ts'
import { startShop } from '../../support/shop.ts'

const MESSAGES = 10

const countIn = (home: string) => ({
  messages: commitsIn(home, 'kurir.db'),
  sessions: commitsIn(home, 'sessions.db'),
})

test('a text to a known contact costs one commit of session keys, and one for each thing that becomes of it', async () => {
  const shop = await startShop()
  await shop.link()
  const sendAndSettle = async () => shop.app.reached(await shop.send({}), 'read')
  // Look-up, devices, sessions and tokens of a new contact; what a new link brings is over too.
  for (let n = 0; n < 5; n += 1) await sendAndSettle()
  const before = countIn(shop.app.home)
  for (let n = 0; n < MESSAGES; n += 1) await sendAndSettle()
  const after = countIn(shop.app.home)

  // The sessions with the recipient's phone and with the owner's, which gets a copy, step on together.
  expect(after.sessions - before.sessions).toBe(MESSAGES)
  // Accepted, claimed, sent, delivered, read; the last three share what comes at once.
  const perMessage = (after.messages - before.messages) / MESSAGES
  expect(perMessage).toBeGreaterThanOrEqual(3)
  expect(perMessage).toBeLessThanOrEqual(5)
})

test('texts that leave one after the other share commits of session keys', async () => {
  const shop = await startShop()
  await shop.link()
  await shop.app.reached(await shop.send({}), 'read')
  await shop.owner('pause')
  const ids: string[] = []
  for (let n = 0; n < MESSAGES; n += 1) ids.push(await shop.send({}))
  const before = countIn(shop.app.home)
  await shop.owner('resume')
  for (const id of ids) await shop.app.reached(id, 'read')
  const after = countIn(shop.app.home)

  expect(after.sessions - before.sessions).toBeGreaterThanOrEqual(1)
  expect(after.sessions - before.sessions).toBeLessThanOrEqual(MESSAGES / 2)
})
