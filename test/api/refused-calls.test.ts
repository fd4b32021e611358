import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { ApiError } from '../../server/contract/errors.ts'
import { createRefusedCalls } from '../../server/slices/refused-calls/calls.ts'
import { type RefusedCall, refusedCode } from '../../server/slices/refused-calls/contract.ts'
import { createRefusedCallStore } from '../../server/slices/refused-calls/store.ts'
import { en } from '../../server/words/en/index.ts'
import { id } from '../../server/words/id/index.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { trackTimers } from '../support/timers.ts'

const refused = async (app: TestApp, query = '') => {
  const { body } = await app.owner<RefusedCall[]>(`/api/refused-calls${query}`)
  return body as typeof body & { not_kept: number }
}

test('a call that was refused is listed with what the owner needs, and without its text', async () => {
  const app = await startApp()
  const key = await app.key({ name: 'Kasir' })
  const body = { phone: '6281234567890', message: 'rahasia', sender_code: SANDBOX }
  await app.call(key, '/send', body)
  await app.call(key, '/send', { ...body, delay: -1 })
  await app.call('kurir_g_wrong', '/send', body)
  await app.call(key, '/send', { ...body, phone: 6281234567890, sender_code: 'SND-NOBODY' })
  await app.call(key, '/messages/0194?q=rahasia', undefined)
  await app.call(key, '/send', '{"phone":"rahasia')
  const { data } = await refused(app)
  const shown = data.map(({ key, method, path, status, code, field, problem, recipient }) =>
    [key, method, path, status, code, field, problem, recipient].join(' '),
  )
  expect(shown).toEqual([
    'Kasir POST /send 400 invalid_json   ',
    'Kasir GET /messages/{id} 404 message_not_found   ',
    'Kasir POST /send 404 sender_not_found   6281234567890',
    ' POST /send 401 invalid_api_key   ',
    'Kasir POST /send 400 invalid_request delay too_small 6281234567890',
  ])
  expect(data[0]?.address).toBe('127.0.0.1')
  expect(JSON.stringify(data)).not.toContain('rahasia')
})

test.each<[phone: unknown]>([
  [{ toString: 1 }],
  [{ toString: null, valueOf: 1 }],
  [[[{ toString: 1 }]]],
  [[6281234567890]],
])('a phone that is %j is refused as any other, and listed without a number', async (phone) => {
  const app = await startApp()
  const key = await app.key()
  for (const path of ['/send', '/waba/send-template', '/suppressions']) {
    const { status, body } = await app.call(key, path, { phone, message: 'x', sender_code: SANDBOX })
    expect([status, body.error.code], path).toEqual([400, 'invalid_request'])
  }
  const { data } = await refused(app)
  expect(data.map(({ field, recipient }) => [field, recipient])).toEqual(Array(3).fill(['phone', null]))
})

test('what the window does wrong, and what anybody asks of public routes, is not listed', async () => {
  const app = await startApp()
  await app.owner('/send', { body: {} })
  await app.owner('/api/keys', { body: {} })
  await app.fetch('/api/keys')
  await app.fetch('/api/sessions', { body: {} })
  expect((await refused(app)).data).toEqual([])
})

test('it is there after a restart, page by page, the newest 1,000', async () => {
  const app = await startApp()
  const refusedCalls = createRefusedCallStore(app.app.store.statements)
  const call = { at: 1, keyNumber: 1, address: '::1', method: 'POST', path: '/send', status: 401, field: null }
  const caller = { groupId: 'a', hint: null, program: null, looksLike: null, told: true, count: 1 }
  const rows = Array.from({ length: 1005 }, () => ({
    ...{ ...call, ...caller },
    code: 'missing_api_key',
    problem: null,
    recipient: null,
  }))
  await refusedCalls.add(rows, 1000, 100)
  await app.call('kurir_g_wrong', '/messages')
  await app.restart()
  const first = await refused(app, '?limit=200')
  expect(first.data[0]).toMatchObject({ path: '/messages', code: 'invalid_api_key' })
  const ids = first.data.map(({ id }) => id)
  let cursor = first.next_cursor
  while (cursor !== null) {
    const page = await refused(app, `?limit=200&cursor=${cursor}`)
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.next_cursor
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toHaveLength(1000)
})

test('a program in a loop does not push out all that was before it', async () => {
  // The loop ends within the second in which calls are collected, however slow the machine is.
  const app = await startApp({ clock: createTestClock() })
  const key = await app.key()
  await app.call(key, '/messages/0194')
  await refused(app)
  for (let i = 0; i < 60; i += 1) await app.call(key, '/send', {})
  const { data, not_kept } = await refused(app)
  expect(data.length).toBeLessThan(61)
  expect(data.length + not_kept).toBe(61)
})

test('calls that were refused while nothing could be written are listed once it can', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const key = await app.key()
  const ofSend = async () => await app.disk.rows<{ status: number }>('SELECT status FROM refused_calls ORDER BY seq')
  await app.call(key, '/send', {})
  await app.disk.full(true)
  await clock.advance(1_000)
  expect((await app.call(key, '/send', { phone: '6281234567890', message: 'x', sender_code: SANDBOX })).status).toBe(
    503,
  )
  // Asked for, it is tried at once.
  await refused(app)
  expect(await ofSend()).toEqual([])
  await app.disk.full(false)
  await clock.advance(5_000)
  await eventually(async () => (await ofSend()).length === 2)
  expect((await ofSend()).map(({ status }) => status)).toEqual([400, 503])
  expect((await refused(app)).not_kept).toBe(0)
})

test('a call that ends after the program leaves no timer behind', async () => {
  const app = await startApp()
  const { store, logger } = app.app
  const timers = trackTimers(createTestClock())
  const rows = createRefusedCallStore(store.statements)
  const calls = createRefusedCalls(rows, [], timers.clock, logger)
  const cut = {
    route: { method: 'POST', path: '/files', auth: 'key_or_owner' },
    req: { method: 'POST', url: '/files', headers: {}, socket: new Socket() },
    caller: undefined,
    body: undefined,
    head: Buffer.alloc(0),
    assumedCharset: null,
  } as const
  const error = new ApiError('invalid_request', 'The rest of the file did not come.')
  calls.failed(cut, error)
  expect(timers.waiting()).toHaveLength(1)
  await calls.close()
  calls.failed(cut, error)
  expect(timers.waiting()).toEqual([])
  expect(await rows.list({ before: undefined, limit: 10 })).toHaveLength(1)
})

test('there is advice for every code, in both languages', () => {
  expect(Object.keys(en.refusals).toSorted()).toEqual([...refusedCode.options].toSorted())
  for (const code of refusedCode.options) expect(en.refusals[code]).not.toBe(id.refusals[code])
})

test('strangers without a key push out none of the calls of the shop', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const key = await app.key({ name: 'Kasir' })
  await app.call(key, '/send', {})
  for (let second = 0; second < 6; second += 1) {
    for (let n = 0; n < 25; n += 1) await app.call('kurir_g_wrong', '/send', {})
    await app.call(key, '/send', {})
    for (let n = 0; n < 25; n += 1) await app.call('kurir_g_wrong', '/send', {})
    await refused(app)
  }
  const { data, next_cursor } = await refused(app, '?limit=200')
  expect(next_cursor).toBeNull()
  expect(data.filter((each) => each.key === 'Kasir')).toHaveLength(7)
  expect(data.filter((each) => each.key === null)).toHaveLength(100)
})
