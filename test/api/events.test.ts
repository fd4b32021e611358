import { describe, expect, test } from 'vitest'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { openEvents } from '../support/event-stream.ts'
import { openSession } from '../support/session.ts'

const BETWEEN_WRITES = 50
const HEARTBEAT = 15_000

async function start(): Promise<{ app: TestApp; clock: TestClock; send: (message: string) => Promise<string> }> {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const send = async (message: string) => {
    const body = { phone: '6281234567890', message, sender_code: SANDBOX, delay: 86_400 }
    return (await app.owner<{ id: string }>('/send', { body })).body.data.id
  }
  return { app, clock, send }
}

test('a window hears of a message with its row, as the list shows it', async () => {
  const { app, clock, send } = await start()
  const events = await openEvents(app)
  expect(events.status).toBe(200)
  expect(events.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect(events.headers['cache-control']).toBe('no-store')
  await send('Halo')
  await clock.advance(BETWEEN_WRITES)
  const { type, data } = await events.next()
  expect(type).toBe('message')
  expect([data]).toEqual((await app.owner('/api/messages')).body.data)
})

test('many changes of one moment become one event a message, as it is now', async () => {
  const { app, clock, send } = await start()
  const events = await openEvents(app)
  const id = await send('Halo')
  await app.owner(`/messages/${id}`, { method: 'DELETE' })
  await clock.advance(BETWEEN_WRITES)
  expect((await events.next()).data).toMatchObject({ id, status: 'cancelled' })
  await send('more')
  await clock.advance(BETWEEN_WRITES)
  expect((await events.next()).data).toMatchObject({ message: 'more' })
})

test('senders, webhooks and settings are only named: the window reads them again', async () => {
  const { app, clock } = await start()
  const events = await openEvents(app)
  const heard = async () => {
    await clock.advance(BETWEEN_WRITES)
    const { type, data } = await events.next()
    return { type, data }
  }
  await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
  expect(await heard()).toEqual({ type: 'sender', data: { sender_code: SANDBOX } })
  const { body } = await app.owner<{ id: string }>('/api/webhooks', {
    body: { url: 'http://127.0.0.1:9/', enabled: false },
  })
  expect(await heard()).toEqual({ type: 'webhook', data: { webhook_id: body.data.id } })
  await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
  expect(await heard()).toEqual({ type: 'settings', data: {} })
})

test('a window that was away gets what it missed: new messages and changed ones', async () => {
  const { app, clock, send } = await start()
  const first = await openEvents(app)
  const [kept, changed] = [await send('kept'), await send('changed')]
  await clock.advance(BETWEEN_WRITES)
  await first.next()
  const { id: lastId } = await first.next()
  first.leave()
  await app.owner(`/messages/${changed}`, { method: 'DELETE' })
  const added = await send('added')
  await clock.advance(BETWEEN_WRITES)

  const again = await openEvents(app, lastId)
  const missed = [await again.next(), await again.next()]
  expect(missed.map(({ data }) => data.id).toSorted()).toEqual([changed, added].toSorted())
  expect(missed.map(({ data }) => data.id)).not.toContain(kept)
  // From here it is live again, and what came is not sent twice.
  const later = await send('later')
  await clock.advance(BETWEEN_WRITES)
  expect((await again.next()).data.id).toBe(later)
})

test('also over a restart', async () => {
  const { app, clock, send } = await start()
  const before = await openEvents(app)
  const ended = before.ended()
  await send('before')
  await clock.advance(BETWEEN_WRITES)
  const { id: lastId } = await before.next()
  const missed = await send('missed')
  await app.restart()
  await ended
  const after = await openEvents(app, lastId)
  expect((await after.next()).data.id).toBe(missed)
})

test.each(['', 'garbage', '-1.-1', '1', '9999999.9999999', '1e999.0', '0.0.0', "1' OR '1"])(
  'from the place %j a window begins again and gets what comes',
  async (place) => {
    const { app, clock, send } = await start()
    const events = await openEvents(app, place)
    const id = await send('Halo')
    await clock.advance(BETWEEN_WRITES)
    expect((await events.next()).data.id).toBe(id)
  },
)

test('a quiet line shows that it is alive', async () => {
  const { app, clock } = await start()
  const events = await openEvents(app)
  await clock.advance(HEARTBEAT)
  expect(await events.nextBlock()).toMatch(/^:/)
  await clock.advance(HEARTBEAT)
  expect(await events.nextBlock()).toMatch(/^:/)
})

test('a window that is lost disturbs nobody', async () => {
  const { app, clock, send } = await start()
  const [lost, stays] = [await openEvents(app), await openEvents(app)]
  lost.leave()
  const id = await send('Halo')
  await clock.advance(BETWEEN_WRITES)
  expect((await stays.next()).data.id).toBe(id)
})

test('closing ends the stream', async () => {
  const { app } = await start()
  const events = await openEvents(app)
  const ended = events.ended()
  await app.restart()
  await ended
})

test('what happens while a window catches up comes after what it missed', async () => {
  const { app, clock, send } = await start()
  const first = await openEvents(app)
  await send('seen')
  await clock.advance(BETWEEN_WRITES)
  const { id: lastId } = await first.next()
  first.leave()
  const missed = await send('missed')

  // As if the store were far away: the row is read, and cancelled before it arrives.
  const { messages } = app.app.store
  const { find } = messages
  const read = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<void>()
  messages.find = async (ref) => {
    const row = await find(ref)
    if (!('seq' in ref)) return row
    messages.find = find
    read.resolve()
    await changed.promise
    return row
  }
  const opening = openEvents(app, lastId)
  await read.promise
  await app.owner(`/messages/${missed}`, { method: 'DELETE' })
  changed.resolve()
  const again = await opening
  expect((await again.next()).data).toMatchObject({ id: missed, status: 'queued' })
  await clock.advance(BETWEEN_WRITES)
  expect((await again.next()).data).toMatchObject({ id: missed, status: 'cancelled' })
})

describe('a window that may not read any more gets nothing more', () => {
  const cutOff = (body: { text(): Promise<string> }) =>
    body.text().then(
      (text) => text,
      () => 'cut off',
    )

  test('of another PC, when the owner closes Kurir to the others', async () => {
    const { app, clock, send } = await start()
    const remote = (on: boolean) => app.owner('/api/settings', { method: 'PATCH', body: { remote_administration: on } })
    await remote(true)
    // As a proxy passes on the call of another PC.
    const headers = { authorization: `Bearer ${OWNER_TOKEN}`, 'x-forwarded-for': '192.168.1.7' }
    const elsewhere = cutOff((await app.connect('/api/events', { headers })).body)
    const here = await openEvents(app)
    await remote(false)
    const id = await send('not for everybody')
    await clock.advance(BETWEEN_WRITES)
    expect(await elsewhere).toBe('cut off')
    expect((await here.next()).type).toBe('message')
    expect((await app.owner<{ id: string }[]>('/api/messages')).body.data[0]?.id).toBe(id)
  })

  test('that was logged out where this program did not hear of it', async () => {
    const { app, clock } = await start()
    const { id, headers } = await openSession(app)
    const stream = cutOff((await app.connect('/api/events', { headers })).body)
    // As another node does, or the time.
    await app.app.store.ownerSessions.remove(id)
    await clock.advance(HEARTBEAT)
    expect(await stream).toBe('cut off')
  })
})
