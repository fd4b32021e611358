import { expect, onTestFinished, test } from 'vitest'
import { openDrillShop } from './shop.ts'

const SECOND = 1000
const HOUR = 3_600_000
const DAY = 24 * HOUR

const numbers = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`)

/** A linked shop with customers who wrote to it, at nine in the morning. */
async function shopWith(customers: string[]) {
  const shop = await openDrillShop(Math.ceil(Date.now() / DAY) * DAY + 9 * HOUR)
  onTestFinished(shop.close)
  await shop.link()
  for (const number of customers) await shop.customer(number)
  await shop.quiet()
  return shop
}

test('under a lock of 90 s known customers get their messages at once, and strangers when it has ended', async () => {
  const known = numbers('62812000', 20)
  const strangers = numbers('62813000', 20)
  const shop = await shopWith(known)
  shop.phone.lock({ ms: 90 * SECOND })
  await shop.quiet()
  const ends = shop.clock.now() + 90 * SECOND
  await shop.send('offers', 'stranger', strangers)
  await shop.send('invoices', 'known', known)
  await shop.passTo(ends - SECOND)

  const writtenTo = () => shop.peer.journal.messages.map(({ to }) => to)
  expect(writtenTo().toSorted()).toEqual(known)
  const view = await shop.view()
  // WhatsApp says it in whole seconds.
  expect(Math.abs(Date.parse(view.first_contacts_wait_until ?? '') - ends)).toBeLessThan(SECOND)
  expect(view).toMatchObject({ state: 'connected', waiting: 20 })

  await shop.pass(10 * 60 * SECOND)
  expect(writtenTo().toSorted()).toEqual([...known, ...strangers])
  expect(shop.peer.journal.messages.flatMap(({ error }) => error ?? [])).toEqual([])
  const { experiences } = await shop.observed()
  expect(experiences.filter(({ arrived }) => arrived !== 1)).toEqual([])
  expect(await shop.view()).toMatchObject({ first_contacts_wait_until: null, waiting: 0 })
})

test('a cap on new chats holds strangers to the end of its cycle, and is shown', async () => {
  const [known = ''] = numbers('62812000', 1)
  const shop = await shopWith([known])
  const ends = shop.clock.now() + 2 * HOUR
  shop.phone.cap({ total: 30, used: 30, warnAt: [20, 25], cycleEndsAt: ends })
  await shop.quiet()
  await shop.send('offers', 'stranger', numbers('62813000', 3))
  await shop.send('invoice', 'known', [known])
  await shop.pass(HOUR)
  expect(shop.peer.journal.messages.map(({ to }) => to)).toEqual([known])
  expect((await shop.view()).new_chats).toMatchObject({ used: 30, total: 30, warning: 'capped' })
  shop.phone.forgetReach()
  await shop.pass(2 * HOUR)
  expect(shop.peer.journal.messages).toHaveLength(4)
  expect(shop.peer.journal.messages.flatMap(({ error }) => error ?? [])).toEqual([])
})

test('a cap that nothing announced is asked for with the first 475; that message waits like the others', async () => {
  const [known = ''] = numbers('62812000', 1)
  const shop = await shopWith([known])
  // Otherwise WhatsApp was asked a moment ago.
  await shop.pass(120 * SECOND)
  const ends = shop.clock.now() + 2 * HOUR
  shop.phone.cap({ total: 30, used: 30, warnAt: [20, 25], cycleEndsAt: ends, silently: true })
  const strangers = numbers('62813000', 2)
  await shop.send('offers', 'stranger', strangers)
  await shop.send('invoice', 'known', [known])
  await shop.pass(60 * SECOND)
  const written = () => shop.peer.journal.messages.map(({ to, error }) => [to, error])
  expect(written()).toEqual([
    [strangers[0], '475'],
    [known, undefined],
  ])
  const view = await shop.view()
  expect(view).toMatchObject({ waiting: 2, new_chats: { used: 30, total: 30, warning: 'capped' } })
  expect(Math.abs(Date.parse(view.first_contacts_wait_until ?? '') - ends)).toBeLessThan(SECOND)
  shop.phone.forgetReach()
  await shop.pass(2 * HOUR)
  expect(written().slice(2)).toEqual(strangers.map((to) => [to, undefined]))
  expect((await shop.observed()).experiences.filter(({ arrived }) => arrived !== 1)).toEqual([])
})

test('during a ban there is not one attempt to connect, over two restarts, and one when it has ended', async () => {
  const [known = ''] = numbers('62812000', 1)
  const shop = await shopWith([known])
  shop.phone.ban({ code: 101, seconds: (2 * DAY) / SECOND })
  const ends = shop.clock.now() + 2 * DAY
  await shop.quiet()
  const before = shop.peer.journal.connections.length
  const banned = { state: 'restricted', reason: 'temporarily_banned', reason_detail: '101' }
  expect(await shop.view()).toMatchObject({ ...banned, until: new Date(ends).toISOString() })
  await shop.send('invoice', 'known', [known])
  await shop.pass(HOUR)
  await shop.restart()
  await shop.pass(20 * HOUR)
  await shop.restart()
  await shop.passTo(ends - SECOND)
  expect(shop.peer.journal.connections.length - before).toBe(0)
  expect(await shop.view()).toMatchObject(banned)

  await shop.pass(2 * SECOND)
  expect(shop.peer.journal.connections.length - before).toBe(1)
  await shop.pass(60 * SECOND)
  expect(await shop.view()).toMatchObject({ state: 'connected', until: null, reason_detail: null })
  expect((await shop.observed()).experiences).toMatchObject([{ arrived: 1 }])
})

test('after twenty wrong numbers in a row new contacts are held for an hour, the owner sees it, and known ones go on', async () => {
  const [known = ''] = numbers('62812000', 1)
  const shop = await shopWith([known])
  const wrong = numbers('62899000', 30)
  for (const number of wrong) shop.peer.unknownNumber(number)
  await shop.send('to wrong numbers', 'wrong', wrong)
  await shop.pass(3 * 60 * SECOND)
  await shop.send('invoice', 'known', [known])
  await shop.pass(60 * SECOND)
  const { lookUps, experiences } = await shop.observed()
  expect(lookUps.filter((one) => one.wrong)).toHaveLength(20)
  for (const [index, { at }] of lookUps.entries()) {
    if (index > 0) expect(at - (lookUps[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(SECOND)
  }
  expect(experiences.at(-1)).toMatchObject({ who: 'known', arrived: 1 })
  const view = await shop.view()
  expect(view).toMatchObject({ held_by: 'wrong_numbers', waiting: 10 })
  const [concern] = await shop.concerns()
  expect(concern).toMatchObject({ code: 'wrong_numbers', weight: 'warning', waiting: 10 })
  expect(concern?.until).toBe(view.first_contacts_wait_until)
  const lookedUpAt = lookUps.at(-1)?.at ?? 0
  expect(Math.abs(Date.parse(view.first_contacts_wait_until ?? '') - lookedUpAt - HOUR)).toBeLessThan(SECOND)
  await shop.pass(HOUR + 60 * SECOND)
  expect(await shop.view()).toMatchObject({ held_by: null, waiting: 0 })
})
