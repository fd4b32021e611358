import { expect, onTestFinished, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { startOfficial } from '../support/official.ts'
import { openDrillShop } from './shop.ts'

const HOUR = 3_600_000
const CUSTOMER = '6281200000001'
/** Of the shop's number. */
const PACING = 2_000

const texts = (count: number) => Array.from({ length: count }, (_, n) => `low ${n + 1}`)

/** Posts one body after the other. */
async function postAll(app: TestApp, path: string, bodies: object[], headers: Record<string, string> = {}) {
  const answers: { status: number; id: string }[] = []
  for (const each of bodies) {
    const { status, body } = await app.owner<{ id: string }>(path, { body: each, headers })
    answers.push({ status, id: body.data.id })
  }
  return answers
}

test('at WhatsApp: after 1,000 low ones a high one leaves within one pacing interval; what ended while the PC slept never does', async () => {
  const shop = await openDrillShop(Date.UTC(2026, 10, 23, 3))
  onTestFinished(shop.close)
  await shop.link()
  await shop.customer(CUSTOMER)
  const post = (bodies: object[]) =>
    postAll(
      shop.app,
      '/send',
      bodies.map((body) => ({ sender_code: shop.code, phone: CUSTOMER, ...body })),
    )
  const low = texts(1_000).map((message) => ({ message, priority: 'low' }))
  expect((await post(low)).filter(({ status }) => status !== 200)).toEqual([])
  await shop.pass(10 * PACING)
  const before = shop.peer.journal.messages.length
  expect(before).toBeGreaterThan(5)

  const accepted = shop.clock.now()
  const [code] = await post([{ message: 'code 4711', priority: 'high' }])
  await shop.pass(PACING)
  const { providerMessageId } = await shop.app.message(code?.id ?? '')
  const stanza = shop.peer.journal.messages.find(({ id }) => id === providerMessageId)
  expect((stanza?.at ?? Number.POSITIVE_INFINITY) - accepted).toBeLessThanOrEqual(PACING)

  const [ended, other] = await post([
    { message: 'code 4712', ttl: 60, priority: 'high' },
    { message: 'invoice', priority: 'high' },
  ])
  shop.app.app.suspend()
  shop.clock.sleep(HOUR)
  shop.app.app.resume()
  await shop.pass(20 * PACING)
  expect(await shop.app.message(ended?.id ?? '')).toMatchObject({ status: 'failed', error: { code: 'expired' } })
  expect((await shop.app.message(other?.id ?? '')).status).toBe('read')
  const arrived = (await shop.peer.recipient(CUSTOMER).messages()).map(({ text }) => text)
  expect(arrived).not.toContain('code 4712')
  // All others in the order in which they were posted.
  const others = arrived.filter((text) => text?.startsWith('low'))
  expect(others.length).toBeGreaterThan(before)
  expect(others).toEqual(texts(others.length))
})

test('at Meta: a high one passes 1,000 low ones that wait; what ended while the PC slept never leaves', async () => {
  const clock = createTestClock()
  const { app, peer, code } = await startOfficial({ clock })
  const owner = (act: string) => app.owner(`/api/senders/${code}/${act}`, { method: 'POST' })
  const post = (bodies: object[]) =>
    postAll(
      app,
      '/waba/send-template',
      bodies.map((body) => ({ phone: CUSTOMER, template_name: 'invoice', ...body })),
      { prefer: 'respond-async' },
    )
  await owner('pause')
  const low = await post(Array.from({ length: 1_000 }, () => ({ priority: 'low' })))
  expect(low.filter(({ status }) => status !== 202)).toEqual([])
  const [ended, high] = await post([{ ttl: 60, priority: 'high' }, { priority: 'high' }])
  app.app.suspend()
  clock.sleep(HOUR)
  app.app.resume()
  await owner('resume')
  await app.reached(low.at(-1)?.id ?? '', 'accepted')
  expect(await app.message(ended?.id ?? '')).toMatchObject({ status: 'failed', error: { code: 'expired' } })
  const left = peer.requests
    .filter(({ route }) => route === 'messages')
    .map(({ body }) => (body as { biz_opaque_callback_data: string }).biz_opaque_callback_data)
  expect(left).toEqual([high?.id, ...low.map(({ id }) => id)])
})
