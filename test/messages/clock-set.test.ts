import { describe, expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { startReceiver } from '../support/receiver.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const phone = '6281234567890'

async function open() {
  const clock = createTestClock()
  const app = await startApp({ clock, overrides: { random: () => 0.5 } })
  const send = async (more: object = {}) => {
    const answer = await app.owner<{ id: string }>('/send', {
      body: { phone, message: 'Halo', sender_code: SANDBOX, ...more },
    })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data.id
  }
  const pause = (on: boolean) => app.owner(`/api/senders/${SANDBOX}/${on ? 'pause' : 'resume'}`, { method: 'POST' })
  /** The clock is set, and the program comes to notice. */
  const set = async (by: number) => {
    clock.jump(by)
    await clock.advance(SECOND)
    while (!app.logs().includes("the PC's clock was set")) await app.fetch('/health')
  }
  return { app, clock, send, pause, set }
}

describe.each([
  ['back by seven hours', -7 * HOUR],
  ['forward by seven hours', 7 * HOUR],
  ['forward by a year', 365 * DAY],
])('the clock is set %s while Kurir runs', (_how, by) => {
  test('how long Kurir runs is told as it is', async () => {
    const { app, clock, set } = await open()
    await clock.advance(90 * SECOND)
    await set(by)
    const health = JSON.parse((await app.fetch('/health')).text) as { data: { uptime_seconds: number } }
    expect(health.data.uptime_seconds).toBe(91)
    const diagnostics = JSON.parse((await app.owner('/api/diagnostics')).text) as { uptime_seconds: number }
    expect(diagnostics.uptime_seconds).toBe(91)
  })

  test('what waited leaves at once, a delay takes as long as it was asked for', async () => {
    const { app, clock, send, pause, set } = await open()
    await pause(true)
    const waiting = await send()
    const soon = await send({ delay: 3 })
    const late = await send({ delay: 3_600 })
    await set(by)
    await pause(false)
    await app.reached(waiting, 'sent')
    await clock.advance(3 * SECOND)
    await app.reached(soon, 'sent')
    expect((await app.message(late)).status).toBe('queued')
    await clock.advance(HOUR)
    await app.reached(late, 'sent')
    expect((await app.message(late)).expiresAt - clock.now()).toBeGreaterThan(6 * DAY)
  })

  test('a callback that waits for its next try gets it in time', async () => {
    const { app, clock, send, set } = await open()
    const receiver = await startReceiver()
    receiver.answer({ status: 500 })
    await app.owner('/api/webhooks', { body: { url: receiver.url, events: ['message.sent'] } })
    await send()
    await receiver.calls(1)
    while ((await app.app.store.deliveries.get(1))?.tries === 0) await app.fetch('/health')
    await set(by)
    await clock.advance(5 * SECOND)
    await receiver.calls(2)
  })

  test('a limited key is refused for the rest of its minute, no longer', async () => {
    const { app, clock, set } = await open()
    const key = await app.key({ rate_limit_per_minute: 1 })
    expect((await app.call(key, '/messages')).status).toBe(200)
    await set(by)
    const refused = await app.call(key, '/messages')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    await clock.advance(MINUTE)
    expect((await app.call(key, '/messages')).status).toBe(200)
  })

  test('what WhatsApp ended for an hour, a reply on its way and a file that no message names yet keep their time', async () => {
    const { app, clock, set } = await open()
    const { senders, replies, uploads } = app.app.store
    const code = await app.sender('linked')
    const id = senders.byCode(code)?.id ?? 0
    const ends = clock.now() + HOUR
    await senders.change(id, () => ({ state: 'restricted', until: ends, noConnectionBefore: ends }))
    await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9', events: ['message.received'] } })
    const reply = { senderId: id, senderCode: code, providerMessageId: null, at: clock.now(), body: Buffer.of(1) }
    await replies.add({ ...reply, expiresAt: clock.now() + DAY })
    const body = Buffer.from('a file')
    const stored = await app.owner('/files', { headers: { 'content-type': 'text/plain' }, method: 'POST', body })
    expect(stored.status, stored.text).toBe(200)
    await set(by)
    const sender = senders.get(id)
    expect([sender?.until, sender?.noConnectionBefore]).toEqual([ends + by, ends + by])
    expect([await replies.expire(clock.now(), 10), await replies.expire(clock.now() + DAY, 10)]).toEqual([0, 1])
    expect(await uploads.removeUnused(clock.now(), 0)).toEqual([])
    expect(await uploads.removeUnused(clock.now() + DAY, 0)).toHaveLength(1)
  })

  test('the owner can learn of it, also after a restart', async () => {
    const { app, clock, set } = await open()
    expect(app.app.store.time.lastSet()).toBeNull()
    await set(by)
    const known = { at: clock.now(), by }
    expect(app.app.store.time.lastSet()).toEqual(known)
    await app.restart()
    expect(app.app.store.time.lastSet()).toEqual(known)
  })
})

test('while nothing can be written, the time goes on as it was, and the clock is followed later', async () => {
  const clock = createTestClock()
  let full = (_on: boolean): void => {}
  const app = await startApp({
    clock,
    overrides: { opened: (db) => (full = (on) => void db.pragma(`query_only = ${on ? 'ON' : 'OFF'}`)) },
  })
  const before = clock.now()
  full(true)
  clock.jump(-7 * HOUR)
  await clock.advance(SECOND)
  while (!app.logs().includes('could not be moved with it yet')) await app.fetch('/health')
  full(false)
  await clock.advance(5 * SECOND)
  while (app.app.store.time.lastSet() === null) await app.fetch('/health')
  expect(app.app.store.time.lastSet()).toEqual({ at: before - 7 * HOUR + 6 * SECOND, by: -7 * HOUR })
})

test('set back while Kurir did not run: what had no delay is due now, a delay is what was left of it', async () => {
  const { app, clock, send, pause } = await open()
  await pause(true)
  const waiting = await send()
  const late = await send({ delay: 3_600 })
  await app.restart(() => clock.jump(-7 * HOUR))
  await pause(false)
  await app.reached(waiting, 'sent')
  await clock.advance(HOUR - SECOND)
  expect((await app.message(late)).status).toBe('queued')
  await clock.advance(SECOND)
  await app.reached(late, 'sent')
})

test('a clock that was a year ahead once: time filters and counts of later messages are right, in the order of arrival', async () => {
  const { app, clock, send, set } = await open()
  clock.jump(365 * DAY)
  await clock.advance(SECOND)
  const ahead = await send()
  await app.reached(ahead, 'sent')
  while ((await app.message(ahead)).status !== 'read') await clock.advance(100)
  await set(-365 * DAY)
  const now = clock.now()
  const later = [await send({ delay: 60 }), await send({ delay: 60 })]
  const list = async (query: string) =>
    (await app.owner<MessageRow[]>(`/api/messages${query}`)).body.data.map(({ id }) => id)
  const span = (from: number, to: number) => `?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
  expect(await list(span(now - MINUTE, now + MINUTE))).toEqual(later.toReversed())
  expect(await list(`${span(now - MINUTE, now + MINUTE)}&limit=1&status=queued`)).toEqual([later[1]])
  expect(await list(span(now + DAY, now + 400 * DAY))).toEqual([ahead])
  expect(await list('')).toEqual([...later.toReversed(), ahead])
  const dues = () => Promise.all(later.map(async (id) => (await app.message(id)).nextAt))
  const before = await dues()
  await app.restart()
  expect(await dues(), 'moved once').toEqual(before)
})

test('a page of a span of time goes on where the last one ended, also where arrival and time differ', async () => {
  const { app, clock, send, set } = await open()
  const ids = [await send({ delay: 60 })]
  await set(-HOUR)
  ids.unshift(await send({ delay: 60 }))
  const from = encodeURIComponent(new Date(clock.now() - DAY).toISOString())
  const first = await app.owner<MessageRow[]>(`/api/messages?from=${from}&limit=1`)
  const second = await app.owner<MessageRow[]>(`/api/messages?from=${from}&limit=1&cursor=${first.body.next_cursor}`)
  expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids)
  expect(second.body.next_cursor).toBeNull()
})

test('the cap of the day counts on when the clock is set to another day', async () => {
  const { app, clock, set } = await open()
  const code = await app.sender('sandbox', { daily_cap: 1 })
  const send = async () =>
    (await app.owner<{ id: string }>('/send', { body: { phone, message: 'Halo', sender_code: code } })).body.data.id
  await app.reached(await send(), 'sent')
  await set(-2 * DAY)
  const second = await send()
  await clock.advance(MINUTE)
  expect((await app.message(second)).status).toBe('queued')
})
