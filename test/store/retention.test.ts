import { expect, test } from 'vitest'
import type { Db } from '../../server/store/sqlite/database.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { startReceiver } from '../support/receiver.ts'
import { rowsIn } from '../support/rows-in.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

async function send(app: TestApp, more: object = {}): Promise<string> {
  const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, ...more }
  return (await app.owner<{ id: string }>('/send', { body })).body.data.id
}

async function withRetention(days: number | null, opened: (db: Db) => void = () => undefined) {
  const clock = createTestClock()
  const app = await startApp({ clock, overrides: { opened } })
  await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: days } })
  const hook = await startReceiver()
  await app.owner('/api/webhooks', { body: { url: hook.url, events: ['message.read'] } })
  const id = await send(app)
  while ((await app.message(id)).status !== 'read') await clock.advance(100)
  await hook.event('message.read', id)
  // The newest row always stays.
  await send(app, { delay: 20 * 86_400 })
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
  const { app, id, pass } = await withRetention(null)
  await pass(10 * DAY)
  expect((await app.message(id)).status).toBe('read')
})

test('what could not be cleaned is cleaned later', async () => {
  let db: Db | undefined
  const { clock, app, id } = await withRetention(1, (opened) => {
    db = opened
  })
  db?.pragma('query_only = ON')
  await clock.advance(2 * DAY)
  while (!app.logs().includes('a background job failed; it will be tried again')) await clock.advance(HOUR)
  db?.pragma('query_only = OFF')
  while ((await app.app.store.messages.find({ id })) !== undefined) await clock.advance(HOUR)
})
