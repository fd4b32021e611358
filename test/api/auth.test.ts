import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ApiError } from '../../server/contract/errors.ts'
import { createAuthentication } from '../../server/http/auth.ts'
import { createApiKeys } from '../../server/http/keys.ts'
import { createOwnerSessions } from '../../server/http/sessions.ts'
import { OWNER_TOKEN, SANDBOX, startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { routesOf, withNobody } from '../support/routes.ts'
import { openSession } from '../support/session.ts'

const MINUTE = 60_000
const clock = createTestClock()
const app = await startApp({ clock, lives: 'file' })
const routes = await routesOf(app)

const PUBLIC = ['/health', '/openapi.json', '/docs', '/api/proof']
const isMouth = (path: string) => path.startsWith('/compat/')
const kindOf = (path: string) =>
  PUBLIC.includes(path) ? 'public' : path.startsWith('/api/') ? 'owner' : isMouth(path) ? 'mouth' : 'caller'

await app.owner('/api/settings', {
  method: 'PATCH',
  body: { compat_fonnte: true, compat_panel: true, compat_wablas: true, compat_waha: true, compat_cloud: true },
})

const revoked = await app.key({ name: 'revoked' })
const { body: keys } = await app.owner<{ id: string }[]>('/api/keys')
await app.owner(`/api/keys/${keys.data[0]?.id}`, { method: 'DELETE' })
const expired = await app.key({ expires_at: new Date(clock.now() + 1000).toISOString() })
await clock.advance(1000)
const globalKey = await app.key()
const deviceKey = await app.key({ sender: SANDBOX })

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const session = await openSession(app)
const window = { ...session.headers, cookie: `theme=dark; ${session.cookie}` }
const cookieName = session.cookie.split('=')[0]
const NO = { caller: 'invalid_api_key', owner: 'owner_only' }
const YES = { caller: 'passes', owner: 'passes' }
const KEY = { caller: 'passes', owner: 'owner_only' }

// What each kind of route says to each kind of caller.
const CALLERS: [string, Record<string, string>, { caller: string; owner: string }][] = [
  ['nobody', {}, { caller: 'missing_api_key', owner: 'owner_only' }],
  ['a wrong key', bearer('kurir_g_wrong'), NO],
  ['half a key', bearer(globalKey.slice(0, -1)), NO],
  ['a key as user and password', { authorization: `Basic ${btoa(`${globalKey}:`)}` }, NO],
  ['an empty key', { authorization: 'Bearer ' }, NO],
  ['a revoked key', bearer(revoked), NO],
  ['an expired key', bearer(expired), NO],
  ['a global key', bearer(globalKey), KEY],
  ['a device key', bearer(deviceKey), KEY],
  ['a key, written in small letters', { authorization: `bearer ${globalKey}` }, KEY],
  ['the owner', bearer(OWNER_TOKEN), YES],
  ["the owner's window", window, YES],
  ["the owner's window, naming its origin", { ...window, origin: app.url, 'sec-fetch-site': 'same-origin' }, YES],
  ["the owner's cookie alone", { cookie: session.cookie }, { ...NO, caller: 'missing_api_key' }],
  [
    "the owner's cookie from a foreign page",
    { ...window, origin: 'https://evil.example' },
    { ...NO, caller: 'missing_api_key' },
  ],
  [
    "the owner's cookie from another port of this PC",
    { ...window, origin: 'http://127.0.0.1:1' },
    { ...NO, caller: 'missing_api_key' },
  ],
  [
    "the owner's cookie from a page without an origin",
    { ...window, origin: 'null' },
    { ...NO, caller: 'missing_api_key' },
  ],
  ['a wrong cookie', { ...window, cookie: `${cookieName}=guess` }, { ...NO, caller: 'missing_api_key' }],
  ['a key in the cookie', { ...window, cookie: `${cookieName}=${globalKey}` }, { ...NO, caller: 'missing_api_key' }],
  ['the owner, through a proxy of this PC', { ...bearer(OWNER_TOKEN), 'x-forwarded-for': '203.0.113.9' }, NO],
  ['a window, through a proxy of this PC', { ...window, via: '1.1 nginx' }, { ...NO, caller: 'missing_api_key' }],
]

/** The code of the refusal; `passes` if there is none about who calls. */
async function verdict(method: string, path: string, headers: Record<string, string>): Promise<string> {
  // Further failures of the same minute would get 429.
  await clock.advance(MINUTE)
  const answer = await app.connect(withNobody(path), { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) })
  if (isMouth(path)) {
    // It answers in the form of its gateway, and with its statuses.
    const said = await answer.body.text()
    expect(said).not.toContain('There is nothing at')
    if (/^\/compat\/(waha|cloud)\//.test(path)) return answer.statusCode === 401 ? 'refused' : 'passes'
    return /"status":false.*(token invalid|invalid api_key|owner)/i.test(said) ? 'refused' : 'passes'
  }
  if (![401, 403, 429].includes(answer.statusCode)) {
    answer.body.destroy()
    return 'passes'
  }
  const { success, error } = (await answer.body.json()) as { success: boolean; error: { code: string } }
  expect(success).toBe(false)
  return error.code
}

test('all routes are looked at', () => {
  expect(routes.length).toBeGreaterThan(35)
  expect(new Set(routes.map(({ path }) => kindOf(path)))).toEqual(new Set(['public', 'caller', 'owner', 'mouth']))
})

for (const { method, path } of routes) {
  // Logging in is for everybody who has a code: sessions.test.ts.
  if (method === 'POST' && path === '/api/sessions') continue
  const kind = kindOf(path)
  test(`${method} ${path} is for ${kind === 'public' ? 'everyone' : `the ${kind}`}`, async () => {
    for (const [who, headers, expected] of CALLERS) {
      // It names all senders: bounds.test.ts.
      if (path === '/metrics' && headers.authorization?.includes(deviceKey) === true) continue
      const wanted = {
        public: 'passes',
        // A key alone opens it: the owner writes in the window.
        mouth: expected === KEY ? 'passes' : 'refused',
        ...expected,
      }
      expect(await verdict(method, path, headers), who).toBe(wanted[kind])
    }
  })
}

const READABLE = ['GET /messages', 'GET /messages/{id}', 'GET /senders', 'GET /metrics']
describe('a key that may only read', async () => {
  const readKey = await app.key({ scopes: 'read' })
  const ownerOnly = (path: string) => kindOf(path) === 'owner'
  // Everybody who has a code may log in: sessions.test.ts.
  const isForAll = ({ method, path }: (typeof routes)[number]) =>
    kindOf(path) === 'public' || (method === 'POST' && path === '/api/sessions')
  test.each(routes.filter((route) => !isForAll(route)).map(({ method, path }) => ({ method, path })))(
    'at $method $path',
    async ({ method, path }) => {
      await clock.advance(MINUTE)
      const body = method === 'POST' || method === 'PATCH' ? { body: '{}' } : {}
      const answer = await app.connect(withNobody(path), { method, headers: bearer(readKey), ...body })
      const said = await answer.body.text()
      if (ownerOnly(path)) expect(said).toContain('owner_only')
      else if (READABLE.includes(`${method} ${path}`)) expect([200, 404]).toContain(answer.statusCode)
      else expect(said).toContain('This key may only read messages, senders and metrics.')
      if (kindOf(path) === 'caller' && !READABLE.includes(`${method} ${path}`)) expect(answer.statusCode).toBe(403)
    },
  )

  test('of one sender sees that sender alone, and no metrics', async () => {
    const own = await app.key({ sender: SANDBOX, scopes: 'read' })
    const senders = await app.call<{ sender_code: string }[]>(own, '/senders')
    expect(senders.body.data.map(({ sender_code }) => sender_code)).toEqual([SANDBOX])
    expect((await app.call(own, '/metrics')).body.error.code).toBe('sender_not_allowed')
    const sent = await app.call(own, '/send', { phone: '6281234567890', message: 'x' })
    expect([sent.status, sent.body.error.code]).toEqual([403, 'key_reads_only'])
  })
})

test('a call with an empty key is told that none was read', async () => {
  const empty = await app.fetch('/messages', { headers: { authorization: 'Bearer ' } })
  expect(empty.text).toContain('No API key could be read from the header Authorization.')
})

test('an unknown, a revoked and an expired key look alike from outside', async () => {
  const answers = []
  for (const key of ['kurir_g_wrong', revoked, expired]) answers.push((await app.call(key, '/messages')).text)
  expect(new Set(answers).size).toBe(1)
})

test('a device key sees only its own sender and that sender’s messages', async () => {
  const other = await app.sender('linked')
  const send = async (code: string) =>
    (
      await app.owner<{ id: string }>('/send', {
        body: { phone: '6281234567890', message: 'x', delay: 9, sender_code: code },
      })
    ).body.data.id
  const [own, foreign] = [await send(SANDBOX), await send(other)]
  const ids = async (query: string) =>
    (await app.call<{ id: string }[]>(deviceKey, `/messages${query}`)).body.data.map(({ id }) => id)
  expect(await ids('')).toEqual([own])
  expect(await ids(`?sender_code=${SANDBOX}`)).toEqual([own])
  expect(await ids(`?sender_code=${other}`)).toEqual([])
  for (const method of ['GET', 'DELETE']) {
    const answer = await app.call(deviceKey, `/messages/${foreign}`, undefined, { method })
    expect(answer.status).toBe(404)
    expect(answer.body.error.code).toBe('message_not_found')
  }
  expect((await app.message(foreign)).status).toBe('queued')
  expect((await app.call(deviceKey, `/messages/${own}`)).status).toBe(200)
  const senders = await app.call<{ sender_code: string }[]>(deviceKey, '/senders')
  expect(senders.body.data.map(({ sender_code }) => sender_code)).toEqual([SANDBOX])
})

test('a call whose key is revoked before its body has come does nothing', async () => {
  const key = await app.key({ name: 'lost' })
  const { body: all } = await app.owner<{ id: string; name: string }[]>('/api/keys')
  const body = JSON.stringify({ phone: '6281234567890', message: 'Halo', sender_code: SANDBOX })
  const headers = { ...bearer(key), 'content-type': 'application/json', 'content-length': body.length }
  const call = request(`${app.url}/send`, { method: 'POST', headers: { ...headers, expect: '100-continue' } })
  call.flushHeaders()
  await once(call, 'continue')
  await app.owner(`/api/keys/${all.data.find(({ name }) => name === 'lost')?.id}`, { method: 'DELETE' })
  const answered = once(call, 'response')
  call.end(body)
  const [answer] = (await answered) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(401)
})

test('a revoked key is refused with the next call', async () => {
  const key = await app.key()
  expect((await app.call(key, '/senders')).status).toBe(200)
  const { body: list } = await app.owner<{ id: string; hint: string }[]>('/api/keys')
  const { id } = list.data.find(({ hint }) => hint === key.slice(-4)) ?? { id: '' }
  expect((await app.owner(`/api/keys/${id}`, { method: 'DELETE' })).status).toBe(200)
  expect((await app.call(key, '/senders')).status).toBe(401)
})

describe('guessing', () => {
  test('after 20 failures a minute further ones get 429, valid keys and the owner are served', async () => {
    await clock.advance(MINUTE)
    // A minute of many small steps may be a little less.
    await clock.advance(1)
    const guess = () => app.call('kurir_g_guess', '/messages')
    for (let i = 0; i < 20; i += 1) expect((await guess()).status).toBe(401)
    await clock.advance(15_500)
    const refused = await guess()
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('45')
    expect(refused.body.error).toMatchObject({ code: 'rate_limited', retry_after: 45 })
    expect((await app.fetch('/api/keys')).status, 'also without a key, and for the owner’s').toBe(429)
    expect((await app.call(globalKey, '/messages')).status).toBe(200)
    expect((await app.owner('/api/keys')).status).toBe(200)
    await clock.advance(45_000)
    expect((await guess()).status).toBe(401)
  })

  test('calls of valid keys do not count', async () => {
    await clock.advance(MINUTE)
    for (let i = 0; i < 30; i += 1) await app.call(globalKey, '/senders')
    expect((await app.fetch('/messages')).status).toBe(401)
  })
})

test('a limit that the owner set on a key holds for a minute', async () => {
  const key = await app.key({ rate_limit_per_minute: 2 })
  const statuses = []
  for (let i = 0; i < 3; i += 1) statuses.push((await app.call(key, '/senders')).status)
  expect(statuses).toEqual([200, 200, 429])
  expect((await app.call(key, '/senders')).headers['retry-after']).toBe('60')
  // The clock counts in fractions.
  await clock.advance(MINUTE + 1)
  expect((await app.call(key, '/senders')).status).toBe(200)
})

describe('from another PC', () => {
  const { store, logger } = app.app
  const access = createApiKeys(
    store,
    () => 0,
    () => '',
    clock,
    logger,
  )
  const sessions = createOwnerSessions(store.ownerSessions, () => '', clock, logger)
  const authenticateWith = (remoteAdministration: boolean) =>
    createAuthentication(access, sessions, clock.now, OWNER_TOKEN, () => remoteAdministration).authenticate
  const request = (remoteAddress: string, headers: Record<string, string>, host = '192.168.1.20:7420') =>
    ({
      socket: { remoteAddress, localPort: Number(new URL(app.url).port) },
      headers: { host, ...headers },
    }) as unknown as IncomingMessage

  const codeOf = (act: () => unknown): string => {
    try {
      act()
      return 'passes'
    } catch (error) {
      return (error as ApiError).code
    }
  }

  const LAN = ['192.168.1.50', '::ffff:192.168.1.50', 'fe80::1%eth0', '10.0.0.7', '8.8.8.8', '']

  test('each address has its own count: nobody on the LAN can use up that of this PC', () => {
    const authenticate = authenticateWith(false)
    const failFrom = (address: string) => codeOf(() => authenticate(request(address, bearer('wrong')), 'key_or_owner'))
    for (let i = 0; i < 20; i += 1) expect(failFrom('192.168.1.50')).toBe('invalid_api_key')
    expect(failFrom('192.168.1.50')).toBe('rate_limited')
    expect(failFrom('192.168.1.51')).toBe('invalid_api_key')
  })

  test.each(LAN)('%j: keys are served, the owner is not', (address) => {
    const authenticate = authenticateWith(false)
    expect(codeOf(() => authenticate(request(address, bearer(globalKey)), 'key_or_owner'))).toBe('passes')
    expect(codeOf(() => authenticate(request(address, bearer(OWNER_TOKEN)), 'owner'))).toBe('owner_only')
    expect(codeOf(() => authenticate(request(address, window), 'owner'))).toBe('owner_only')
    expect(codeOf(() => authenticate(request(address, bearer(OWNER_TOKEN)), 'key_or_owner'))).toBe('invalid_api_key')
  })

  test.each(LAN)('%j: the owner is served once he has allowed it', (address) => {
    const authenticate = authenticateWith(true)
    expect(codeOf(() => authenticate(request(address, bearer(OWNER_TOKEN)), 'owner'))).toBe('passes')
    expect(codeOf(() => authenticate(request(address, window), 'owner'))).toBe('passes')
    expect(codeOf(() => authenticate(request(address, bearer('guess')), 'owner'))).toBe('owner_only')
  })

  test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('%s is this PC', (address) => {
    const authenticate = authenticateWith(false)
    for (const host of ['localhost:7420', '127.0.0.1:7420', '[::1]:7420'])
      expect(codeOf(() => authenticate(request(address, bearer(OWNER_TOKEN), host), 'owner'))).toBe('passes')
  })

  test('a tunnel on this PC brings the world: by its public name the owner is not served', () => {
    const tunnelled = request('127.0.0.1', bearer(OWNER_TOKEN), 'kurir.example')
    expect(codeOf(() => authenticateWith(false)(tunnelled, 'owner'))).toBe('owner_only')
    expect(codeOf(() => authenticateWith(true)(tunnelled, 'owner'))).toBe('passes')
  })
})
