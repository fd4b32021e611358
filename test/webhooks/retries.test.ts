import { describe, expect, test } from 'vitest'
import { librarySignature, startWithCallbacks } from '../support/callbacks.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'

const HOUR = 3_600_000
const SECONDS = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

test('a receiver that is down for days is tried twelve times with one id, then the delivery is dead', async () => {
  const { clock, webhook, send, deliveries, delivery, attempts, tried, retry } = await startWithCallbacks()
  const receiver = await startReceiver()
  receiver.always({ status: 500 })
  const { id, secret } = await webhook(receiver.url, { events: ['message.sent'] })
  await send()
  await receiver.calls(1)
  const row = (await deliveries(id))[0]?.id ?? 0
  await tried(row, 1)
  for (const [i, seconds] of SECONDS.entries()) {
    expect(((await delivery(row)).nextAt ?? 0) - clock.now(), `wait ${i + 1}`).toBe(seconds * 1_000)
    expect(receiver.received).toHaveLength(i + 1)
    await retry(row)
  }
  expect(await delivery(row)).toMatchObject({ state: 'dead', nextAt: null, tries: 12 })
  await clock.advance(48 * HOUR)
  expect(receiver.received).toHaveLength(12)
  expect((await attempts(row)).map(({ status }) => status)).toEqual(Array(12).fill(500))
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1)
  const stamps = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  expect(stamps[11]).toBe((stamps[0] ?? 0) + SECONDS.reduce((sum, wait) => sum + wait, 0))
  for (const call of receiver.received) {
    expect(call.headers['webhook-signature']).toBe(librarySignature(call, secret))
  }
})

test.each([
  [0, 4_000],
  [1, 6_000],
])('waits vary in both directions: a random value of %i gives %i ms', async (chance, wait) => {
  const { clock, webhook, send, deliveries, tried } = await startWithCallbacks({ overrides: { random: () => chance } })
  const receiver = await startReceiver()
  receiver.always({ status: 500 })
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  await send()
  await receiver.calls(1)
  await tried((await deliveries(id))[0]?.id ?? 0, 1)
  expect(((await deliveries(id))[0]?.nextAt ?? 0) - clock.now()).toBe(wait)
})

test.each([
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, 302],
  ['an error', { status: 404 }, 404],
  ['garbage', 'garbage', null],
  ['a cut line', 'drop', null],
] as const)('%s is a failure that is tried again', async (_, reply, status) => {
  const { webhook, send, deliveries, attempts, tried, retry } = await startWithCallbacks()
  const receiver = await startReceiver()
  receiver.answer(reply)
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  await send()
  await receiver.calls(1)
  const row = (await deliveries(id))[0]?.id ?? 0
  await tried(row, 1)
  expect(await attempts(row)).toMatchObject([{ status, error: status === null ? expect.any(String) : null }])
  await retry(row)
  expect(await deliveries(id)).toMatchObject([{ state: 'delivered' }])
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook'])
})

test('Retry-After is honoured, at most for a day', async () => {
  const { clock, webhook, send, deliveries, delivery, tried, retry } = await startWithCallbacks()
  const receiver = await startReceiver()
  receiver.answer(
    { status: 503, headers: { 'retry-after': '3600' } },
    { status: 429, headers: { 'retry-after': '999999' } },
  )
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  await send()
  await receiver.calls(1)
  const row = (await deliveries(id))[0]?.id ?? 0
  await tried(row, 1)
  expect(((await delivery(row)).nextAt ?? 0) - clock.now()).toBe(HOUR)
  await clock.advance(HOUR - 1_000)
  expect(receiver.received).toHaveLength(1)
  await retry(row)
  expect(((await delivery(row)).nextAt ?? 0) - clock.now()).toBe(24 * HOUR)
})

test('410 switches the endpoint off; switched on again it gets old and new events in order', async () => {
  const { app, clock, webhook, send, deliveries, settled } = await startWithCallbacks()
  const receiver = await startReceiver()
  receiver.answer({ status: 410 })
  const { id } = await webhook(receiver.url, { events: ['message.sent', 'message.delivered'] })
  await send()
  const view = () => app.app.store.endpoints.get(Number(id))
  await eventually(() => view()?.enabled === false)
  expect(view()).toMatchObject({ disabledReason: 'gone' })
  await clock.advance(48 * HOUR)
  expect(receiver.received).toHaveLength(1)
  expect(await deliveries(id)).toMatchObject([
    { state: 'pending', tries: 1 },
    { state: 'pending', tries: 0, nextAt: null },
  ])

  const first = (await deliveries(id))[0]?.id ?? 0
  const refused = await app.owner(`/api/deliveries/${first}/replay`, { method: 'POST' })
  expect(refused.status, 'a webhook that is off is not replayed').toBe(409)

  await app.owner(`/api/webhooks/${id}`, { method: 'PATCH', body: { enabled: true } })
  await settled(id)
  const types = receiver.received.map(({ event }) => event.type)
  expect(types).toEqual(['message.sent', 'message.sent', 'message.delivered'])
  await eventually(() => view()?.lastError === null)
  expect(view()).toMatchObject({ enabled: true, disabledReason: null })
})

test('events are kept for three days for an endpoint that 410 switched off, and not kept after the owner did', async () => {
  const { app, clock, webhook, send, deliveries } = await startWithCallbacks()
  const receiver = await startReceiver()
  receiver.answer({ status: 410 })
  const gone = await webhook(receiver.url, { events: ['message.read'] })
  const off = await webhook(receiver.url, { events: ['message.read'], enabled: false })
  const pass = async () => {
    const id = await send()
    while ((await app.message(id)).status !== 'read') await clock.advance(100)
  }
  await pass()
  await eventually(() => app.app.store.endpoints.get(Number(gone.id))?.enabled === false)
  await pass()
  for (let hours = 0; hours < 71; hours += 1) await clock.advance(HOUR)
  expect(await deliveries(gone.id)).toMatchObject([{ state: 'pending' }, { state: 'pending' }])
  for (let hours = 0; hours < 2; hours += 1) await clock.advance(HOUR)
  await eventually(async () => (await deliveries(gone.id)).every(({ state }) => state === 'dead'))
  expect(await deliveries(off.id)).toEqual([])
})

test('a delivery that is replayed during its last try is tried again', async () => {
  const { app, clock, webhook, send, deliveries, delivery, tried, retry } = await startWithCallbacks()
  const receiver = await startReceiver()
  receiver.always({ status: 500 })
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  await send()
  await receiver.calls(1)
  const row = (await deliveries(id))[0]?.id ?? 0
  await tried(row, 1)
  for (const _ of SECONDS.slice(1)) await retry(row)
  receiver.always({ status: 200 })
  receiver.answer('hold')
  await clock.advance(((await delivery(row)).nextAt ?? 0) - clock.now())
  await receiver.calls(12)
  expect((await app.owner(`/api/deliveries/${row}/replay`, { method: 'POST' })).status).toBe(200)
  await clock.advance(15_000)
  await receiver.calls(13)
  await eventually(async () => (await delivery(row)).state === 'delivered')
})

test('a silent receiver times out after 15 seconds and does not delay others', async () => {
  const { app, clock, webhook, send, deliveries, attempts, settled } = await startWithCallbacks()
  const [slow, fast] = [await startReceiver(), await startReceiver()]
  slow.always('hold')
  const slowId = (await webhook(slow.url, { events: ['message.sent'] })).id
  const fastId = (await webhook(fast.url, { events: ['message.sent'] })).id
  const ids = []
  for (let n = 0; n < 20; n += 1) ids.push(await send(`62812345610${String(n).padStart(2, '0')}`))
  for (const id of ids) await app.reached(id, 'sent')
  await fast.calls(20)
  await settled(fastId)
  await slow.calls(8)
  expect(slow.received, 'a slow receiver is not flooded').toHaveLength(8)
  await clock.advance(15_000)
  await eventually(async () => (await deliveries(slowId)).filter(({ tries }) => tries === 1).length >= 8)
  const first = (await deliveries(slowId))[0]?.id ?? 0
  expect(await attempts(first)).toMatchObject([{ status: null, error: 'no answer within 15 seconds', tookMs: 15_000 }])
  slow.always({ status: 200 })
  slow.release()
})

test('a slow call does not hold up a retry that falls due meanwhile', async () => {
  const { clock, webhook, send, deliveries, delivery, tried } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  receiver.answer({ status: 500 }, 'hold')
  await send()
  await receiver.calls(1)
  const first = (await deliveries(id))[0]?.id ?? 0
  await tried(first, 1)
  await send()
  await receiver.calls(2)
  await clock.advance(5_000)
  await receiver.calls(3)
  await eventually(async () => (await delivery(first)).state === 'delivered')
  receiver.release()
})

test('a later event of a message waits for the earlier one; events of other messages do not', async () => {
  const { app, clock, webhook, send, deliveries, delivery, tried, retry, settled } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url)
  receiver.always({ status: 500 })
  const blocked = await send()
  await receiver.calls(1)
  const first = (await deliveries(id))[0]?.id ?? 0
  await tried(first, 1)
  await clock.advance(600)
  await app.reached(blocked, 'read')
  for (let n = 0; n < 5; n += 1) await retry(first)
  expect(new Set(receiver.received.map(({ event }) => event.type))).toEqual(new Set(['message.sent']))
  expect((await deliveries(id)).map(({ state, nextAt }) => [state, nextAt === null])).toEqual([
    ['pending', false],
    ['pending', true],
    ['pending', true],
  ])

  receiver.always({ status: 200 })
  const other = await send('6281234569999')
  await app.reached(other, 'sent')
  await clock.advance(600)
  await receiver.event('message.read', other)
  expect((await delivery(first)).state).toBe('pending')

  const before = receiver.received.length
  await retry(first)
  await settled(id)
  expect(receiver.received.slice(before).map(({ event }) => event.type)).toEqual([
    'message.sent',
    'message.delivered',
    'message.read',
  ])
})

test('a later event goes out after the earlier one is dead', async () => {
  const { app, clock, webhook, send, deliveries, delivery, tried, retry, settled } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent', 'message.delivered'] })
  receiver.always({ status: 500 })
  const message = await send()
  await receiver.calls(1)
  const first = (await deliveries(id))[0]?.id ?? 0
  await tried(first, 1)
  await clock.advance(600)
  await app.reached(message, 'read')
  for (let n = 0; n < 10; n += 1) await retry(first)
  receiver.answer({ status: 500 })
  receiver.always({ status: 200 })
  await retry(first)
  await settled(id)
  expect((await deliveries(id)).map(({ event, state }) => [event, state])).toEqual([
    ['message.sent', 'dead'],
    ['message.delivered', 'delivered'],
  ])
  expect((await delivery(first)).tries).toBe(12)
})

test('all dead deliveries can be replayed at once, in order for each message', async () => {
  const { app, clock, webhook, send, deliveries, tried, retry, settled } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent', 'message.delivered'] })
  receiver.always({ status: 500 })
  const message = await send()
  await receiver.calls(1)
  await app.reached(message, 'sent')
  await clock.advance(600)
  for (const n of [0, 1]) {
    await eventually(async () => (await deliveries(id))[n]?.nextAt != null)
    const row = (await deliveries(id))[n]?.id ?? 0
    await tried(row, 1)
    for (let tries = 1; tries < 12; tries += 1) await retry(row)
  }
  expect((await deliveries(id)).map(({ state }) => state)).toEqual(['dead', 'dead'])
  expect((await app.owner('/api/overview')).text).toContain('callbacks_dead')
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  const before = receiver.received.length

  receiver.answer({ status: 500 })
  receiver.always({ status: 200 })
  const answer = await app.owner<{ replayed: number }>('/api/deliveries/replay-dead', { method: 'POST' })
  expect(answer.body.data.replayed).toBe(2)
  await receiver.calls(before + 1)
  const first = (await deliveries(id))[0]?.id ?? 0
  await tried(first, 13)
  await retry(first)
  await settled(id)
  const again = receiver.received.slice(before)
  expect(again.map(({ event }) => event.type)).toEqual(['message.sent', 'message.sent', 'message.delivered'])
  expect(
    again.every(({ headers }) => ids.has(headers['webhook-id'])),
    'a replay is the same event',
  ).toBe(true)
})

test('an id of a delivery in another notation is not found, and a switched-off endpoint cannot replay', async () => {
  const { app, webhook, send, deliveries, settled } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  await send()
  await receiver.calls(1)
  await settled(id)
  const row = (await deliveries(id))[0]?.id ?? 0
  expect((await app.owner(`/api/deliveries/${row}`)).status).toBe(200)
  for (const other of [`${row}.5`, `${row}e0`, `0x${row}`, '-1', 'Infinity', '9'.repeat(19)]) {
    expect((await app.owner(`/api/deliveries/${other}`)).status, other).toBe(404)
    expect((await app.owner(`/api/deliveries/${other}/replay`, { method: 'POST' })).status, other).toBe(404)
    const list = await app.owner<unknown[]>(`/api/deliveries?webhook_id=${other}`)
    expect([list.status, list.body.data], other).toEqual([200, []])
  }
  const again = (webhook_id: string) => app.owner('/api/deliveries/replay-dead', { body: { webhook_id } })
  expect((await again('9999')).body.error.code).toBe('not_found')
  await app.owner(`/api/webhooks/${id}`, { method: 'PATCH', body: { enabled: false } })
  expect((await again(id)).body.error.code).toBe('conflict')
})

test('a single delivery can be replayed, even after it was delivered', async () => {
  const { app, webhook, send, deliveries, settled } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  await send()
  await receiver.calls(1)
  await settled(id)
  const row = (await deliveries(id))[0]?.id ?? 0
  const answer = await app.owner(`/api/deliveries/${row}/replay`, { method: 'POST' })
  expect(answer.status).toBe(200)
  const [first, second] = await receiver.calls(2)
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.text).toBe(first?.text)
  await settled(id)
})

test('an endpoint that is deleted during a call leaves nothing behind', async () => {
  const { app, webhook, send, deliveries } = await startWithCallbacks()
  const receiver = await startReceiver()
  receiver.always('hold')
  const { id } = await webhook(receiver.url)
  await send()
  await receiver.calls(1)
  expect((await app.owner(`/api/webhooks/${id}`, { method: 'DELETE' })).status).toBe(200)
  receiver.release()
  const other = await startReceiver()
  const second = await webhook(other.url, { events: ['message.sent'] })
  await send()
  await other.calls(1)
  await eventually(async () => (await deliveries(second.id)).every(({ state }) => state === 'delivered'))
  expect(await deliveries(id)).toEqual([])
  expect(app.logs()).not.toContain('could not be recorded')
  expect(app.logs()).not.toContain('FOREIGN KEY')
})

test('waiting deliveries survive a restart, and delivered ones are not sent again', async () => {
  const { app, clock, webhook, send, deliveries, tried, retry, settled } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  const done = await send('6281234561111')
  await receiver.calls(1)
  await settled(id)
  receiver.answer({ status: 500 }, 'hold')
  const failing = await send('6281234562222')
  await receiver.calls(2)
  await tried((await deliveries(id))[1]?.id ?? 0, 1)
  const cut = await send('6281234563333')
  await receiver.calls(3)

  await app.restart()
  const [, second, third] = await deliveries(id)
  // The one that was cut off in the middle may have arrived: it is sent again, with its own id.
  await receiver.calls(4)
  await tried(third?.id ?? 0, 1)
  if ((await deliveries(id))[1]?.state === 'pending') await retry(second?.id ?? 0)
  await settled(id)
  await clock.advance(HOUR)
  const callsOf = (message: string) => receiver.received.filter(({ event }) => event.data.id === message)
  expect(callsOf(done)).toHaveLength(1)
  expect(callsOf(failing)).toHaveLength(2)
  expect(callsOf(cut)).toHaveLength(2)
  expect(new Set(callsOf(cut).map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  receiver.release()
})

describe('a delivery that waits for another attempt', () => {
  /** Returns a callback that a receiver refused once. */
  async function withOneWaiting() {
    const world = await startWithCallbacks()
    const receiver = await startReceiver()
    receiver.answer({ status: 500 })
    const { id } = await world.webhook(receiver.url, { events: ['message.sent'] })
    await world.send()
    await receiver.calls(1)
    const row = (await world.deliveries(id))[0]?.id ?? 0
    await world.tried(row, 1)
    return { ...world, receiver, id, row }
  }

  test('is tried now when the owner says so', async () => {
    const { app, receiver, id, row, tried } = await withOneWaiting()
    const asked = await app.owner(`/api/webhooks/${id}/deliver-now`, { method: 'POST' })
    expect(asked.body.data, asked.text).toEqual({ hastened: 1 })
    await receiver.calls(2)
    await tried(row, 2)
    expect((await app.owner(`/api/webhooks/${id}/deliver-now`, { method: 'POST' })).body.data).toEqual({ hastened: 0 })
  })

  test('is tried when a test call goes through', async () => {
    const { app, receiver, id } = await withOneWaiting()
    await app.owner(`/api/webhooks/${id}/test`, { method: 'POST' })
    const [, second, third] = await receiver.calls(3)
    expect([second?.event.type, third?.event.type]).toEqual(['webhook.test', 'message.sent'])
  })

  test('is tried when the address changes', async () => {
    const { app, id } = await withOneWaiting()
    const other = await startReceiver()
    await app.owner(`/api/webhooks/${id}`, { method: 'PATCH', body: { url: other.url } })
    expect((await other.calls(1))[0]?.event.type).toBe('message.sent')
  })

  test('is not tried by an endpoint that is off: 409', async () => {
    const { app, id, receiver } = await withOneWaiting()
    await app.owner(`/api/webhooks/${id}`, { method: 'PATCH', body: { enabled: false } })
    expect((await app.owner(`/api/webhooks/${id}/deliver-now`, { method: 'POST' })).status).toBe(409)
    expect(receiver.received).toHaveLength(1)
  })
})

test('dead deliveries can be discarded, and then nothing lists them', async () => {
  const { app, clock, webhook, send, deliveries, tried, retry } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  receiver.always({ status: 500 })
  await app.reached(await send(), 'sent')
  await receiver.calls(1)
  const row = (await deliveries(id))[0]?.id ?? 0
  await tried(row, 1)
  for (let tries = 1; tries < 12; tries += 1) await retry(row)
  await clock.advance(600)
  const waiting = await send()
  await app.reached(waiting, 'sent')
  const discard = (webhook_id: string) =>
    app.owner<{ discarded: number }>('/api/deliveries/discard-dead', { body: { webhook_id } })
  expect((await discard('9999')).body.error.code).toBe('not_found')
  expect((await discard(id)).body.data.discarded).toBe(1)
  expect((await app.owner('/api/overview')).text).not.toContain('callbacks_dead')
  expect((await deliveries(id)).map(({ messageId, state }) => [messageId, state])).toEqual([[waiting, 'pending']])
})

test('a receiver that is switched on after this PC gets its callback an hour after the start, even at the last attempt', async () => {
  const { app, clock, webhook, send, deliveries, tried, retry } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  receiver.always({ status: 500 })
  await app.reached(await send(), 'sent')
  await receiver.calls(1)
  const row = (await deliveries(id))[0]?.id ?? 0
  await tried(row, 1)
  for (let tries = 1; tries < 11; tries += 1) await retry(row)
  await app.restart(() => clock.sleep(3 * 86_400_000))
  const start = clock.now()
  await receiver.calls(12)
  await eventually(async () => (await app.app.store.deliveries.get(row))?.tries === 12)
  const state = await app.app.store.deliveries.get(row)
  expect([state?.state, (state?.nextAt ?? 0) - start]).toEqual(['pending', 3_600_000])
})
