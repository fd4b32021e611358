import { expect, onTestFinished, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { openTestStore } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'
import { startReceiver } from '../support/receiver.ts'
import { rowsIn } from '../support/rows-in.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

async function send(app: TestApp, more: object = {}): Promise<string> {
  const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, ...more }
  return (await app.owner<{ id: string }>('/send', { body })).body.data.id
}

/** The PC is off for a while. */
const off = (app: TestApp, clock: TestClock, ms: number) => app.restart(() => clock.sleep(ms))

const newest = (app: TestApp) => send(app, { delay: 20 * 86_400 })

async function withRetention(days: number | null) {
  const clock = createTestClock()
  const app = await startApp({ clock })
  await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: days } })
  const hook = await startReceiver()
  await app.owner('/api/webhooks', { body: { url: hook.url, events: ['message.read'] } })
  const id = await send(app)
  while ((await app.message(id)).status !== 'read') await clock.advance(100)
  await hook.event('message.read', id)
  await newest(app)
  // Hour by hour, because the next cleaning is planned when one is done.
  const pass = async (ms: number) => {
    for (let hours = 0; hours < ms / HOUR; hours += 1) await clock.advance(HOUR)
  }
  return { clock, app, id, pass }
}

test('a settled message goes with its history when its time is over, not before', async () => {
  const { clock, app, id, pass } = await withRetention(2)
  await pass(2 * DAY - HOUR)
  expect((await app.message(id)).status).toBe('read')
  expect(await rowsIn(app, 'webhook_deliveries')).toBe(1)
  while ((await app.app.store.messages.find({ id })) !== undefined) await clock.advance(HOUR)
  for (const table of ['message_attempts', 'events', 'webhook_deliveries', 'webhook_attempts'])
    expect(await rowsIn(app, table), table).toBe(0)
  expect(await rowsIn(app, 'messages')).toBe(1)
})

test('what still waits is kept, however old', async () => {
  const { clock, app, id } = await withRetention(1)
  const waiting = await send(app, { delay: 20 * 86_400 })
  while ((await app.app.store.messages.find({ id })) !== undefined) await clock.advance(HOUR)
  expect((await app.message(waiting)).status).toBe('queued')
})

test('without a limit everything is kept', async () => {
  const { app, clock, id } = await withRetention(null)
  await off(app, clock, 400 * DAY)
  await clock.advance(2 * HOUR)
  expect((await app.message(id)).status).toBe('read')
})

test('what could not be cleaned is cleaned later', async () => {
  const { clock, app, id } = await withRetention(1)
  await off(app, clock, 2 * DAY)
  await app.disk.full(true)
  // The first cleaning is a minute after the start, the next one an hour later.
  await clock.advance(2 * MINUTE)
  await app.disk.full(false)
  expect(await app.app.store.messages.find({ id })).toBeDefined()
  while ((await app.app.store.messages.find({ id })) !== undefined) await clock.advance(MINUTE)
})

test('what changed last a moment ago is kept, however long ago it was accepted', async () => {
  const { clock, app, pass } = await withRetention(1)
  const late = await send(app, { delay: 2 * 86_400 })
  await newest(app)
  await off(app, clock, 2 * DAY)
  while ((await app.message(late)).status !== 'read') await clock.advance(100)
  await pass(22 * HOUR)
  expect((await app.message(late)).status).toBe('read')
  await off(app, clock, 3 * HOUR)
  while ((await app.app.store.messages.find({ id: late })) !== undefined) await clock.advance(MINUTE)
})

test('what a callback still needs is kept until that is delivered or dead', async () => {
  const { clock, app } = await withRetention(1)
  const hook = await startReceiver()
  hook.always({ status: 500 })
  await app.owner('/api/webhooks', { body: { url: hook.url, events: ['message.sent'] } })
  const id = await send(app)
  await newest(app)
  while ((await app.message(id)).status !== 'read') await clock.advance(100)
  await off(app, clock, 2 * DAY)
  await clock.advance(HOUR + 2 * MINUTE)
  expect((await app.message(id)).status).toBe('read')
  hook.always({ status: 200 })
  while ((await app.app.store.messages.find({ id })) !== undefined) await clock.advance(HOUR)
  expect(hook.received.at(-1)?.event.data).toMatchObject({ id, status: 'sent' })
})

test('what was sent is kept as long as WhatsApp may still report on it', async () => {
  const { clock, app } = await withRetention(1)
  const id = await send(app, { phone: '6281234560002' })
  await newest(app)
  await app.reached(id, 'sent')
  await off(app, clock, 31 * DAY - 2 * HOUR)
  await clock.advance(HOUR)
  expect((await app.message(id)).status).toBe('sent')
  await off(app, clock, 2 * HOUR)
  while ((await app.app.store.messages.find({ id })) !== undefined) await clock.advance(MINUTE)
})

test('what customers wrote goes when its time is over, however much it is', async () => {
  const { clock, app } = await withRetention(null)
  await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9/', events: ['message.received'] } })
  const { replies } = app.app.store
  const reply = { senderId: 1, senderCode: SANDBOX, at: clock.now(), body: Buffer.from('sealed') }
  await Promise.all(
    Array.from({ length: 700 }, (_, n) =>
      replies.add({ ...reply, author: n, providerMessageId: `wamid.${n}`, expiresAt: clock.now() }),
    ),
  )
  expect(await rowsIn(app, 'replies')).toBe(700)
  await off(app, clock, 2 * MINUTE)
  await clock.advance(MINUTE)
  while ((await rowsIn(app, 'replies')) > 0) await clock.advance(SECOND)
  expect(clock.now(), 'before the next cleaning').toBeLessThan(reply.at + HOUR)
})

test('digests of what Meta called back with go in batches, what waits stays', async () => {
  const store = await openTestStore({ home: temporaryFolder(), now: Date.now })
  onTestFinished(store.close)
  for (let n = 0; n < 5; n += 1) await store.inbox.add(Buffer.from([n]), [], Buffer.from('{}'), n)
  await store.inbox.applied([1, 2, 3, 4], 10)
  const times = { now: 100 + 8 * DAY, ended: 0 }
  expect(await store.retention.expire(times, 3)).toBe(3)
  expect(await store.retention.expire(times, 3)).toBe(1)
  expect(
    (await store.inbox.waiting(1_000)).map(({ seq }) => seq),
    'not applied yet',
  ).toEqual([5])
})

test('long texts go and are searched in small steps, and all of them in the end', async () => {
  const app = await startApp({ clock: createTestClock() })
  const { messages, retention, search, senders } = app.app.store
  const senderId = senders.byCode(SANDBOX)?.id ?? 0
  const accept = (id: string, body: string, createdAt: number) =>
    messages.accept(newRow({ id, senderId, body, createdAt, status: 'failed', nextAt: null }), { unique: false })
  for (let n = 0; n < 20; n += 1) await accept(`m${n}`, `word${n} ${'x '.repeat(30_000)} behind`, 1)
  await accept('newest', 'Halo', 1_000)
  const found = async (text: string) => (await messages.list({ text, limit: 30 })).map(({ id }) => id)
  expect(await found('behind'), 'not in the index yet').toEqual([])
  expect(await found('word7')).toEqual(['m7'])
  let steps = 1
  while (await search.step()) steps += 1
  expect(steps).toBeGreaterThan(4)
  expect(await found('behind')).toEqual([])
  expect(await found('word19')).toEqual(['m19'])
  const removed: number[] = []
  while (removed.at(-1) !== 0) removed.push(await retention.removeBefore({ ms: 500, silent: 500 }, 100))
  expect(Math.max(...removed)).toBeLessThan(10)
  expect(removed.reduce((sum, each) => sum + each)).toBe(20)
  expect(await rowsIn(app, 'messages')).toBe(1)
})

test('a reply that nobody took before the PC went off has an hour after the next start, then it is gone with its delivery', async () => {
  const { clock, app } = await withRetention(null)
  await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9/', events: ['message.received'] } })
  const add = (id: string, expiresAt: number) =>
    app.app.store.replies.add({
      senderId: 1,
      senderCode: SANDBOX,
      author: 1,
      at: clock.now(),
      body: Buffer.of(1),
      providerMessageId: id,
      expiresAt,
    })
  await add('wamid.1', clock.now() + DAY)
  await off(app, clock, 2 * DAY)
  await clock.advance(HOUR - MINUTE)
  expect(await rowsIn(app, 'replies')).toBe(1)
  await clock.advance(HOUR)
  while ((await rowsIn(app, 'replies')) > 0) await clock.advance(SECOND)
  const webhooks = await app.owner<{ pending: number; dead: number }[]>('/api/webhooks')
  expect(webhooks.body.data.map(({ pending, dead }) => [pending, dead])).toEqual([
    [0, 0],
    [0, 0],
  ])
})
