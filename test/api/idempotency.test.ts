import { describe, expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'

interface Queued {
  id: string
}

const HOUR = 3_600_000
const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, delay: 86_400 * 7 }

const send = (app: TestApp, key: string, idempotencyKey: string, more: object = {}) =>
  app.call<Queued>(key, '/send', { ...body, ...more }, { headers: { 'idempotency-key': idempotencyKey } })

const accepted = async (app: TestApp): Promise<number> => (await app.app.store.messages.list({ limit: 1000 })).length

test('the same call again gets the first answer, letter by letter, and sends nothing', async () => {
  const app = await startApp()
  const key = await app.key()
  const more = { metadata: { '2': 1, b: 'Wati 🙏' }, reference_id: 'INV-1' }
  const first = await send(app, key, 'order-1', more)
  const again = await send(app, key, 'order-1', more)
  expect(first.headers['idempotent-replayed']).toBeUndefined()
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(again.status).toBe(200)
  expect(again.text).toBe(first.text)
  expect(await accepted(app)).toBe(1)
})

test('numbers of the first answer come back digit by digit', async () => {
  const app = await startApp()
  const key = await app.key()
  const text = `${JSON.stringify(body).slice(0, -1)},"metadata":{"total":1.10,"n":12345678901234567890}}`
  const call = () => app.call<Queued>(key, '/send', text, { headers: { 'idempotency-key': 'k' } })
  expect((await call()).text).toContain('"metadata":{"total":1.10,"n":12345678901234567890}')
  expect((await call()).text).toContain('"metadata":{"total":1.10,"n":12345678901234567890}')
})

test('another body under the same key is refused', async () => {
  const app = await startApp()
  const key = await app.key()
  await send(app, key, 'order-1')
  const other = await send(app, key, 'order-1', { message: 'Halo!' })
  expect(other.status).toBe(409)
  expect(other.body.error.code).toBe('idempotency_conflict')
  expect(await accepted(app)).toBe(1)
})

test('of twenty calls at once one is taken, and all hear of it', async () => {
  const app = await startApp()
  const key = await app.key()
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(app, key, 'order-1')))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
  expect(await accepted(app)).toBe(1)
})

test('of calls with different bodies at once one is taken, the others are refused', async () => {
  const app = await startApp()
  const key = await app.key()
  const calls = Array.from({ length: 10 }, (_, i) => send(app, key, 'order-1', { message: `Halo ${i}` }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(409)])
  expect(await accepted(app)).toBe(1)
})

test('a restart in between changes nothing', async () => {
  const app = await startApp()
  const key = await app.key()
  const first = await send(app, key, 'order-1')
  await app.restart()
  const again = await send(app, key, 'order-1')
  expect(again.text).toBe(first.text)
  expect(again.headers['idempotent-replayed']).toBe('true')
})

test('the answer is kept for 24 hours', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const key = await app.key()
  const first = await send(app, key, 'order-1')
  await clock.advance(24 * HOUR)
  expect((await send(app, key, 'order-1')).text).toBe(first.text)
  await clock.advance(1)
  const later = await send(app, key, 'order-1')
  expect(later.status).toBe(200)
  expect(later.body.data.id).not.toBe(first.body.data.id)
  // From now on it is this one that is remembered.
  expect((await send(app, key, 'order-1')).text).toBe(later.text)
})

test('over a weekend the answer is kept until an hour after the start', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const key = await app.key()
  const first = await send(app, key, 'order-1')
  await app.restart(() => clock.sleep(40 * HOUR))
  await clock.advance(HOUR - 1)
  expect((await send(app, key, 'order-1')).text).toBe(first.text)
  await clock.advance(1)
  expect((await send(app, key, 'order-1')).text).not.toBe(first.text)
})

test('a call that was refused leaves no trace: corrected, it is taken under the same key', async () => {
  const app = await startApp()
  const key = await app.key()
  expect((await send(app, key, 'order-1', { phone: 'x' })).status).toBe(400)
  expect((await send(app, key, 'order-1', { sender_code: 'SND-NOBODY' })).status).toBe(404)
  const taken = await send(app, key, 'order-1')
  expect(taken.status).toBe(200)
  expect(taken.headers['idempotent-replayed']).toBeUndefined()
})

test('each API key, and the owner, has keys of its own', async () => {
  const app = await startApp()
  const keys = [await app.key(), await app.key(), await app.key({ sender: SANDBOX })]
  for (const key of keys) expect((await send(app, key, 'order-1')).headers['idempotent-replayed']).toBeUndefined()
  const init = { body, headers: { 'idempotency-key': 'order-1' } }
  expect((await app.owner('/send', init)).headers['idempotent-replayed']).toBeUndefined()
  expect((await app.owner('/send', init)).headers['idempotent-replayed']).toBe('true')
  expect(await accepted(app)).toBe(4)
})

test('each route has keys of its own', async () => {
  const app = await startApp()
  const key = await app.key()
  const template = { phone: '6281234567890', template_name: 'hello', sender_code: SANDBOX }
  const headers = { 'idempotency-key': 'order-1' }
  expect((await send(app, key, 'order-1')).status).toBe(200)
  const other = await app.call(key, '/waba/send-template', template, { headers })
  expect(other.status, other.text).toBe(200)
  expect(other.headers['idempotent-replayed']).toBeUndefined()
  const again = await app.call(key, '/waba/send-template', template, { headers })
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(again.text).toBe(other.text)
})

test('a revoked key gets no remembered answer', async () => {
  const app = await startApp()
  const key = await app.key()
  await send(app, key, 'order-1')
  const { body: list } = await app.owner<{ id: string }[]>('/api/keys')
  await app.owner(`/api/keys/${list.data[0]?.id}`, { method: 'DELETE' })
  expect((await send(app, key, 'order-1')).status).toBe(401)
})

test.each([
  ['one character', 'x', 200],
  ['255 characters', 'x'.repeat(255), 200],
  ['256 characters', 'x'.repeat(256), 400],
  ['nothing', '', 400],
  ['a tab in it', 'a\tb', 400],
])('an Idempotency-Key of %s: %#', async (_why, idempotencyKey, status) => {
  const app = await startApp()
  const answer = await send(app, await app.key(), idempotencyKey)
  expect(answer.status).toBe(status)
  if (status === 400) expect(answer.body.error.details?.[0]?.field).toBe('Idempotency-Key')
})

describe('refuse_duplicate_reference', () => {
  const withReference = (app: TestApp, key: string, more: object) =>
    app.call<Queued>(key, '/send', { ...body, ...more })

  test('is off unless the owner switches it on', async () => {
    const app = await startApp()
    const key = await app.key()
    expect((await withReference(app, key, { reference_id: 'INV-1' })).status).toBe(200)
    expect((await withReference(app, key, { reference_id: 'INV-1' })).status).toBe(200)
  })

  test('names the first message, wherever the reference stands', async () => {
    const app = await startApp()
    const key = await app.key({ refuse_duplicate_reference: true })
    const first = await withReference(app, key, { reference_id: 'INV-1' })
    for (const again of [{ reference_id: 'INV-1' }, { ref_id: 'INV-1' }, { metadata: { reference_id: 'INV-1' } }]) {
      const { status, body: answer } = await withReference(app, key, again)
      expect(status).toBe(409)
      expect(answer.error).toEqual({ code: 'duplicate_reference', message_id: first.body.data.id })
      expect(answer.message).toContain(first.body.data.id)
    }
    expect(await accepted(app)).toBe(1)
  })

  test('lets one of many through that come at once', async () => {
    const app = await startApp()
    const key = await app.key({ refuse_duplicate_reference: true })
    const calls = Array.from({ length: 10 }, () => withReference(app, key, { reference_id: 'INV-1' }))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(409)])
  })

  test('concerns neither messages without a reference nor those of other keys', async () => {
    const app = await startApp()
    const key = await app.key({ refuse_duplicate_reference: true })
    const other = await app.key({ refuse_duplicate_reference: true })
    expect((await withReference(app, key, {})).status).toBe(200)
    expect((await withReference(app, key, {})).status).toBe(200)
    expect((await withReference(app, key, { reference_id: 'INV-1' })).status).toBe(200)
    expect((await withReference(app, other, { reference_id: 'INV-1' })).status).toBe(200)
  })

  test('a caller who asks again with his Idempotency-Key hears the first answer instead', async () => {
    const app = await startApp()
    const key = await app.key({ refuse_duplicate_reference: true })
    const first = await send(app, key, 'order-1', { reference_id: 'INV-1' })
    expect((await send(app, key, 'order-1', { reference_id: 'INV-1' })).text).toBe(first.text)
    expect((await send(app, key, 'order-2', { reference_id: 'INV-1' })).status).toBe(409)
  })
})
