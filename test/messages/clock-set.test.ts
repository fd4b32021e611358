import { describe, expect, test } from 'vitest'
import { StorageError } from '../../server/lib/storage-error.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { isShared } from '../support/engine.ts'
import { startReceiver } from '../support/receiver.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const phone = '6281234567890'
/** The sandbox goes on with it as the clock moves. */
const LEFT = ['sent', 'delivered', 'read'] as const

/** What the program goes by: the PC's clock, or where nodes share a database that one's. */
const programTime = (clock: TestClock): number => (isShared ? clock.trueTime() : clock.now())

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
    await app.reached(waiting, ...LEFT)
    await clock.advance(3 * SECOND)
    await app.reached(soon, ...LEFT)
    expect((await app.message(late)).status).toBe('queued')
    await clock.advance(HOUR)
    await app.reached(late, ...LEFT)
    expect((await app.message(late)).expiresAt - programTime(clock)).toBeGreaterThan(6 * DAY)
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

  test('what WhatsApp ended until a time ends then; a reply on its way and a file that no message names yet keep their time', async () => {
    const { app, clock, set } = await open()
    const { senders, replies, uploads, retention } = app.app.store
    const code = await app.sender('linked')
    const id = senders.byCode(code)?.id ?? 0
    const ends = clock.now() + HOUR
    await senders.change(id, () => ({ state: 'restricted', until: ends, noConnectionBefore: ends }))
    await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9', events: ['message.received'] } })
    const reply = { senderId: id, senderCode: code, providerMessageId: null, at: clock.now(), body: Buffer.of(1) }
    await replies.add({ ...reply, author: 1, expiresAt: clock.now() + DAY })
    const body = Buffer.from('a file')
    const stored = await app.owner('/files', { headers: { 'content-type': 'text/plain' }, method: 'POST', body })
    expect(stored.status, stored.text).toBe(200)
    await set(by)
    const sender = senders.get(id)
    const now = programTime(clock)
    expect([sender?.until, sender?.noConnectionBefore]).toEqual([ends, ends])
    const expired = (ended: number) => retention.expire({ now, ended }, 10)
    expect([await expired(now), await expired(now + DAY)]).toEqual([0, 1])
    expect(await uploads.removeUnused(now, 0)).toEqual([])
    expect(await uploads.removeUnused(now + DAY, 0)).toHaveLength(1)
  })

  test('the owner can learn of it, also after a restart', async () => {
    const { app, clock, set } = await open()
    expect(app.app.store.time.lastSet()).toBeNull()
    await set(by)
    const { at } = app.app.store.time.lastSet() ?? { at: 0 }
    expect(app.app.store.time.lastSet()).toMatchObject({ by })
    expect(Math.abs(programTime(clock) - at)).toBeLessThanOrEqual(SECOND)
    await app.restart()
    expect(app.app.store.time.lastSet()).toMatchObject({ by })
  })
})

test('while nothing can be written, or the time of the database is not known, the time goes on as it was', async () => {
  const clock = createTestClock()
  let isCut = false
  const sharedTime = async () => {
    if (isCut) throw new StorageError('no_server', 'a database of the tests')
    return clock.trueTime()
  }
  const app = await startApp({ clock, overrides: { sharedTime } })
  const before = clock.now()
  isCut = true
  await app.disk.full(true)
  clock.jump(-7 * HOUR)
  await clock.advance(SECOND)
  while (!/could not be (moved with it yet|compared)/.test(app.logs())) await app.fetch('/health')
  isCut = false
  await app.disk.full(false)
  await clock.advance(5 * SECOND)
  while (app.app.store.time.lastSet() === null) await app.fetch('/health')
  expect(app.app.store.time.lastSet()).toMatchObject({ by: -7 * HOUR })
  expect(programTime(clock)).toBe(before + 6 * SECOND + (isShared ? 0 : -7 * HOUR))
})

test('what was sent again after the clock was set back is not sent again a second time', async () => {
  const { app, clock, send, set } = await open()
  const failed = await send({ phone: '6281234560005' })
  await app.reached(failed, 'failed')
  await set(-7 * HOUR)
  const again = async () => {
    const body = { action: 'send_again', ids: [failed] }
    return (await app.owner<{ count: number }>('/api/bulk', { body })).body.data.count
  }
  expect(await again()).toBe(1)
  await clock.advance(10 * SECOND)
  while ((await app.app.store.messages.list({ limit: 5 })).length < 2) await app.fetch('/health')
  expect(await again()).toBe(0)
})

test('set back while Kurir did not run: what had no delay is due now, a delay is what was left of it', async () => {
  const { app, clock, send, pause } = await open()
  await pause(true)
  const waiting = await send()
  const late = await send({ delay: 3_600 })
  await app.restart(() => clock.jump(-7 * HOUR))
  await pause(false)
  await app.reached(waiting, ...LEFT)
  const left = ((await app.message(late)).nextAt ?? 0) - programTime(clock)
  expect(left).toBeGreaterThan(HOUR - MINUTE)
  expect(left).toBeLessThanOrEqual(HOUR)
  await clock.advance(left - SECOND)
  expect((await app.message(late)).status).toBe('queued')
  await clock.advance(SECOND)
  await app.reached(late, ...LEFT)
})

test('a night off, then a start with a clock that is seven hours behind and set right: what is over leaves at once', async () => {
  const { app, send, pause, set, clock } = await open()
  await pause(true)
  const late = await send({ delay: 10 * 3_600 })
  await app.restart(() => {
    clock.sleep(15.5 * HOUR)
    clock.jump(-7 * HOUR)
  })
  await set(7 * HOUR)
  await pause(false)
  await app.reached(late, ...LEFT)
})

test.skipIf(isShared)(
  'a dead battery: a delay is what was left of it, in 2020 and when the clock is right again',
  async () => {
    const { app, clock, send, pause, set } = await open()
    await pause(true)
    const late = await send({ delay: 3_600 })
    const left = async () => ((await app.message(late)).nextAt ?? 0) - clock.now()
    const by = Date.UTC(2020, 0, 1) - clock.now()
    await app.restart(() => clock.jump(by))
    const isAnHour = (ms: number) => ms > HOUR - MINUTE && ms <= HOUR
    expect(isAnHour(await left()), '2020').toBe(true)
    await set(-by)
    while ((app.app.store.time.lastSet()?.by ?? 0) < 0) await app.fetch('/health')
    expect(isAnHour(await left()), 'right again').toBe(true)
  },
)

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

test('what was accepted while the clock was ahead is no duplicate of what comes now', async () => {
  const { app, clock, set } = await open()
  const key = await app.key({ refuse_duplicate_content_seconds: 5 })
  const send = () => app.call(key, '/send', { phone, message: 'Your table is ready', sender_code: SANDBOX })
  await app.reached((await send()).body.data.id as string, ...LEFT)
  expect((await send()).status).toBe(409)
  await set(-7 * HOUR)
  await clock.advance(13 * SECOND)
  expect((await send()).status).toBe(200)
})

test('an end that nobody named comes no earlier than an hour after a start, one that was named in its time', async () => {
  const { app, clock, send, pause } = await open()
  await pause(true)
  const plain = await send()
  const short = await send({ ttl: 3_600 })
  await app.restart(() => clock.sleep(8 * DAY))
  expect((await app.reached(short, 'failed')).error?.code).toBe('expired')
  await clock.advance(HOUR - MINUTE)
  expect((await app.message(plain)).status).toBe('queued')
  await clock.advance(20 * MINUTE)
  expect((await app.reached(plain, 'failed')).error?.code).toBe('expired')
})
