import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Concern } from '../../server/contract/concerns.ts'
import { ApiError, type ErrorCode } from '../../server/contract/errors.ts'
import type { Overview } from '../../server/contract/operation.ts'
import { PAGE_TOKEN_HEADER } from '../../server/contract/page-token.ts'
import { MINUTE, SECOND } from '../../server/lib/clock.ts'
import { createRefusedCalls } from '../../server/slices/refused-calls/calls.ts'
import type { KnownProgram, RefusedCall, RefusedGroup } from '../../server/slices/refused-calls/contract.ts'
import { createRefusedCallStore } from '../../server/slices/refused-calls/store.ts'
import { describeConcern } from '../../server/words/concern-text.ts'
import { en } from '../../server/words/en/index.ts'
import { id as indonesian } from '../../server/words/id/index.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'

const BODY = { phone: '6281234567890', message: 'rahasia', sender_code: SANDBOX }
const WRONG = 'kurir_g_0123456789abcdef'

const groupsOf = async (app: TestApp) => (await app.owner<RefusedGroup[]>('/api/refused-calls/groups')).body.data
async function concernsOf(app: TestApp): Promise<Concern[]> {
  // So that the calls of this second are written.
  await groupsOf(app)
  return (await app.owner<Overview>('/api/overview')).body.data.concerns.filter(({ code }) => code === 'calls_refused')
}

async function call(app: TestApp, times: number, key = WRONG, path = '/send', body: unknown = BODY) {
  for (let n = 0; n < times; n += 1) await app.call(key, path, body)
}

const seen = (app: TestApp, group?: string) => app.owner('/api/refused-calls/seen', { body: { group } })

test('a till whose key is unknown is one group and one concern, however often it calls', async () => {
  const app = await startApp()
  await call(app, 150)
  const groups = await groupsOf(app)
  expect(groups).toMatchObject([
    { code: 'invalid_api_key', status: 429, times: 150, hint: 'cdef', key: null, address: '127.0.0.1', here: true },
  ])
  const { since, id } = groups[0] as RefusedGroup
  const concerns = await concernsOf(app)
  expect(concerns).toMatchObject([
    {
      weight: 'warning',
      count: 150,
      since,
      detail: 'invalid_api_key',
      action: 'see_refused',
      page: `/refused-calls?open=${id}`,
    },
  ])
  const now = Date.parse(since)
  const [concern] = concerns
  if (concern === undefined) return
  expect(describeConcern(concern, en, now)).toMatchObject({
    title: expect.stringMatching(/^A program was refused 150 times since .+: its key is unknown\.$/),
    button: 'See them',
  })
  expect(describeConcern(concern, indonesian, now).title).toMatch(
    /^Sebuah program ditolak 150 kali sejak .+: kuncinya tidak dikenal\.$/,
  )
  const { text } = await app.fetch('/health')
  expect(text).toContain('calls_refused')
  expect(text).not.toContain('cdef')
  expect((await app.owner('/metrics')).text).toContain('kurir_concerns{weight="warning",code="calls_refused"} 1')
})

test('a program with a key is called by its name', async () => {
  const app = await startApp()
  const key = await app.key({ name: 'Kasir' })
  await call(app, 6, key, '/send', { ...BODY, delay: -1 })
  expect(await groupsOf(app)).toMatchObject([{ key: 'Kasir', hint: key.slice(-4), times: 6, field: 'delay' }])
  const [concern] = await concernsOf(app)
  expect(concern && describeConcern(concern, en, Date.now()).title).toMatch(
    /^Kasir was refused 6 times since .+: a field is/,
  )
})

test('four within an hour are none, five are one; it ends when nothing was refused for an hour', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const once = async () => {
    await call(app, 1)
    await clock.advance(SECOND)
  }
  for (let n = 0; n < 8; n += 1) {
    await once()
    await clock.advance(20 * MINUTE)
  }
  expect(await concernsOf(app), 'three in each hour').toEqual([])
  for (let n = 0; n < 3; n += 1) await once()
  expect(await concernsOf(app)).toMatchObject([{ count: 11 }])
  await clock.advance(58 * MINUTE)
  expect(await concernsOf(app)).toHaveLength(1)
  await clock.advance(2 * MINUTE)
  expect(await concernsOf(app)).toEqual([])
  expect(await groupsOf(app)).toMatchObject([{ times: 11, seen: false }])
  await call(app, 4)
  expect(await concernsOf(app), 'the count begins again').toEqual([])
  expect(await groupsOf(app)).toMatchObject([{ times: 4 }])
})

test('what the owner has seen is no concern, and what is refused later is', async () => {
  const app = await startApp()
  await call(app, 6)
  await call(app, 6, WRONG.replace('cdef', 'zzzz'))
  const [newest] = await groupsOf(app)
  expect(await concernsOf(app)).toHaveLength(2)
  expect((await seen(app, newest?.id)).status).toBe(200)
  expect(await concernsOf(app)).toHaveLength(1)
  await seen(app)
  expect(await concernsOf(app)).toEqual([])
  await call(app, 4)
  expect(await concernsOf(app)).toEqual([])
  await call(app, 1)
  expect(await concernsOf(app)).toMatchObject([{ count: 5 }])
  await app.restart()
  expect(await concernsOf(app), 'after a restart').toMatchObject([{ count: 5 }])
})

test('a wrong address and a wrong method of a program are listed, those of a browser are not', async () => {
  const app = await startApp()
  const key = await app.key({ name: 'Kasir' })
  await app.call(key, '/kirim?token=rahasia', BODY)
  await app.call(key, '/messages/0194', BODY)
  await app.fetch('/wp/6281234567890')
  for (const headers of [
    { accept: 'text/html,*/*' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { [PAGE_TOKEN_HEADER]: 'x' },
  ])
    for (const path of ['/nothing', '/send', '/favicon.ico', '/messages']) await app.fetch(path, { headers })
  await app.owner('/nothing')
  const { data } = (await app.owner<RefusedCall[]>('/api/refused-calls')).body
  expect(data.map((each) => [each.key, each.method, each.path, each.status, each.code].join(' '))).toEqual([
    ' GET /wp/{…} 404 not_found',
    'Kasir POST /messages/{id} 405 method_not_allowed',
    'Kasir POST /kirim 404 not_found',
  ])
  expect(JSON.stringify(data)).not.toContain('rahasia')
})

test.each([
  ['Bearer kurir_g_0123456789abcdef', 'cdef'],
  ['0123456789abcdef', 'cdef'],
  ['short', null],
  ['Basic dXNlcjpwYXNzd29yZHNlY3JldA==', null],
])('of the key in "%s" the hint is %s', async (authorization, hint) => {
  const app = await startApp()
  await app.fetch('/send', { headers: { authorization, 'user-agent': 'GuzzleHttp/7' }, body: BODY })
  expect(await groupsOf(app)).toMatchObject([{ hint, program: 'GuzzleHttp' }])
  const rows = await app.disk.rows<object>('SELECT * FROM refused_calls')
  expect(JSON.stringify(rows)).not.toMatch(/0123|short|dXNl/)
})

test('what is usual, and what is a fault of Kurir, is no concern', async () => {
  const app = await startApp()
  const key = await app.key({ refuse_duplicate_reference: true })
  await call(app, 7, key, '/send', { ...BODY, reference_id: 'INV-1' })
  for (let n = 0; n < 6; n += 1) await app.call(key, '/messages/0194f1a0-0000-7000-8000-000000000000')
  expect((await groupsOf(app)).map(({ code, times }) => [code, times])).toEqual([
    ['message_not_found', 6],
    ['duplicate_reference', 6],
  ])
  expect(await concernsOf(app)).toEqual([])
})

describe('strangers', () => {
  /** Calls of another PC, noted as the server notes them. */
  async function start() {
    const app = await startApp()
    const { store, logger } = app.app
    const clock = createTestClock()
    const stored = createRefusedCallStore(store.statements)
    const calls = createRefusedCalls(stored, [], clock, logger)
    const from = (address: string, url: string, headers = {}, code: ErrorCode = 'not_found', route?: 'send') =>
      calls.failed(
        {
          route: route && { method: 'POST', path: '/send', auth: 'key_or_owner' },
          req: {
            method: 'POST',
            url,
            headers: { host: '127.0.0.1', ...headers },
            socket: { remoteAddress: address } as Socket,
          },
          ...{ caller: undefined, body: undefined, head: Buffer.alloc(0), assumedCharset: null },
        },
        new ApiError(code, ''),
      )
    const rows = async () => {
      await calls.flush()
      return stored.list({ before: undefined, limit: 200 })
    }
    return { calls, from, rows, clock }
  }

  test('of another PC count where they have a key like ours, and never by an unknown address', async () => {
    const { from, rows } = await start()
    from('192.168.1.9', '/nothing')
    from('192.168.1.9', '/send', { authorization: 'Bearer x' }, 'invalid_api_key', 'send')
    from('192.168.1.9', '/send', { authorization: `Bearer ${WRONG}` }, 'invalid_api_key', 'send')
    from('::ffff:127.0.0.1', '/nothing')
    from('127.0.0.1', '/nothing', { 'x-forwarded-for': '1.2.3.4' })
    from('127.0.0.1', '/nothing', { origin: 'https://elsewhere.example' })
    expect((await rows()).map(({ address, told }) => [address, told])).toEqual([
      ['127.0.0.1', false],
      ['127.0.0.1', false],
      ['127.0.0.1', true],
      ['192.168.1.9', true],
      ['192.168.1.9', false],
      ['192.168.1.9', false],
    ])
  })

  test('that try many addresses have few rows', async () => {
    const { from, rows } = await start()
    for (let n = 0; n < 100; n += 1) {
      from('192.168.1.9', `/${'a'.repeat(n % 30)}/${'b'.repeat(n % 7)}`)
      if (n % 15 === 14) await rows()
    }
    const all = await rows()
    expect(new Set(all.map(({ path }) => path)).size).toBe(17)
    expect(new Set(all.map(({ groupId }) => groupId)).size).toBe(17)
    expect(all.filter(({ path }) => path === '/…').every(({ told }) => !told)).toBe(true)
  })
})

test('a flood writes twenty rows a second, and every call is counted', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const { store, logger } = app.app
  const written: number[] = []
  const calls = createRefusedCalls(
    {
      ...createRefusedCallStore(store.statements),
      add: async (rows) =>
        void written.push(
          rows.length,
          rows.reduce((n, { count }) => n + count, 0),
        ),
    },
    [],
    clock,
    logger,
  )
  const req = { method: 'GET', url: '/x', headers: {}, socket: { remoteAddress: '127.0.0.1' } as Socket }
  const known = {
    route: undefined,
    req,
    caller: undefined,
    body: undefined,
    head: Buffer.alloc(0),
    assumedCharset: null,
  }
  for (let second = 0; second < 3; second += 1) {
    for (let n = 0; n < 1000; n += 1) calls.failed({ ...known }, new ApiError('not_found', ''))
    await clock.advance(SECOND)
  }
  await calls.close()
  expect(written).toEqual([20, 1000, 20, 1000, 20, 1000])
})

test('programs of this PC that are let in elsewhere make no concern of this kind', async () => {
  const app = await startApp()
  for (let n = 0; n < 6; n += 1)
    await app.fetch('/api/sendText', {
      headers: { 'x-api-key': 'secret-of-waha' },
      body: { chatId: '62@c.us', text: 'hai' },
    })
  expect(await concernsOf(app)).toEqual([])
  const { data } = (await app.owner<KnownProgram[]>('/api/refused-calls/programs')).body
  expect(data).toMatchObject([{ name: 'WAHA', times: 6 }])
})
