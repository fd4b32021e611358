import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'

const DAY = 86_400_000
const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX }

interface Queued {
  id: string
}

/** Waiting messages of one sender, written past a program that is not running. */
function waiting(senderId: number, count: number): string {
  const soon = Date.now() + DAY
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO messages (id, sender_id, channel, recipient, body, status, created_at, due_at, expires_at, next_at, occurred_at, lane_id)
    SELECT '00000000-0000-7000-8000-' || substr(CAST(1000000000000 + i AS TEXT), 2), ${senderId}, 'standard', '6281234567890',
      'Halo', 'queued', 0, ${soon}, ${soon + DAY}, ${soon}, 0, ${senderId} FROM n`
}

async function withWaiting(count: number): Promise<{ app: TestApp; key: string }> {
  const app = await startApp()
  const senderId = app.app.store.senders.byCode(SANDBOX)?.id ?? 0
  const key = await app.key()
  await app.restart(() => app.disk.write(waiting(senderId, count)))
  return { app, key }
}

test('at most 100,000 messages wait for a sender; then 503 until one has gone', async () => {
  const { app, key } = await withWaiting(99_999)
  const send = (code = SANDBOX) => app.call<Queued>(key, '/send', { ...body, sender_code: code, delay: 3600 })
  const last = await send()
  expect(last.status, last.text).toBe(200)
  const refused = await send()
  expect(refused.status).toBe(503)
  expect(refused.body.error).toMatchObject({ code: 'queue_full', retry_after: 60 })
  expect(refused.headers['retry-after']).toBe('60')
  expect((await send(await app.sender('linked'))).status, 'another sender').toBe(200)
  await app.call(key, `/messages/${last.body.data.id}`, undefined, { method: 'DELETE' })
  expect((await send()).status).toBe(200)
})

test('of calls at once no more are taken than there is room for', async () => {
  const { app, key } = await withWaiting(99_995)
  const calls = Array.from({ length: 20 }, () => app.call(key, '/send', { ...body, delay: 3600 }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(5)
})

test.each([
  ['at once', 0],
  ['in three days', 3 * 86_400],
])('a message due %s that cannot leave expires seven days after it was due', async (_when, delay) => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
  const { body: answer } = await app.owner<Queued>('/send', { body: { ...body, delay } })
  await clock.advance(delay * 1000 + 7 * DAY - 1)
  expect((await app.message(answer.data.id)).status).toBe('queued')
  const failed = app.reached(answer.data.id, 'failed')
  await clock.advance(1)
  expect((await failed).error).toMatchObject({ code: 'expired', hint: expect.stringMatching(/\w/) })
})

test('a file that the disk does not give up now keeps nobody from cancelling its message, nor those behind it', async () => {
  const app = await startApp()
  const send = async () =>
    (await app.owner<Queued>('/send', { body: { ...body, file: 'http://127.0.0.1:9/a.pdf', delay: 3_600 } })).body.data
      .id
  const ids = [await send(), await send(), await send()]
  // As where a virus scanner has it open on Windows.
  for (const id of ids) mkdirSync(join(app.home, 'media', id, 'open'), { recursive: true })
  const cancelled = await app.owner(`/messages/${ids[0]}`, { method: 'DELETE' })
  expect(cancelled.status, cancelled.text).toBe(200)
  const noted = await app.owner('/suppressions', { body: { phone: body.phone, scope: 'all' } })
  expect(noted.status, noted.text).toBe(200)
  const statuses = await Promise.all(ids.map(async (id) => (await app.message(id)).status))
  expect(statuses).toEqual(Array(3).fill('cancelled'))
})

test('a message may be cancelled while it is queued, and only then', async () => {
  const app = await startApp()
  const key = await app.key()
  const { body: queued } = await app.call<Queued>(key, '/send', { ...body, delay: 3600 })
  const path = `/messages/${queued.data.id}`
  const cancelled = await app.call(key, path, undefined, { method: 'DELETE' })
  expect(cancelled.status).toBe(200)
  expect(cancelled.body.data).toMatchObject({ id: queued.data.id, status: 'cancelled' })
  const again = await app.call(key, path, undefined, { method: 'DELETE' })
  expect(again.status).toBe(409)
  expect(again.body.error.code).toBe('message_not_cancellable')
})
