import { describe, expect, test } from 'vitest'
import { isOwnHost, lanAddressesOf, listensHereOnly, ownAddresses } from '../../server/lib/addresses.ts'
import { OWNER_TOKEN, startApp } from '../support/app.ts'
import { routesOf, withNobody } from '../support/routes.ts'

const app = await startApp({ lives: 'file' })
const port = new URL(app.url).port

describe('a Host header', () => {
  test.each([
    'localhost',
    'LOCALHOST:7420',
    `localhost:${port}`,
    '127.0.0.1:7420',
    '127.0.0.2',
    '[::1]:7420',
    '[::ffff:127.0.0.1]',
    ...ownAddresses().filter((ip) => !ip.includes(':')),
  ])('%s is ours', (host) => {
    expect(isOwnHost(host, [])).toBe(true)
  })

  test.each([
    ['nothing', undefined],
    ['an empty one', ''],
    ['a foreign name that leads here', 'rebind.evil.example:7420'],
    ['a name that begins like ours', 'localhost.evil.example'],
    ['a name that ends like ours', 'evil-localhost'],
    ['a service that answers 127.0.0.1', '127.0.0.1.nip.io'],
    ['the address of everything', '0.0.0.0:7420'],
    ['everything in IPv6', '[::]:7420'],
    ['an address of another PC', '203.0.113.9'],
    ['ours as a user name', 'localhost@evil.example'],
    ['ours as a path', 'evil.example/localhost'],
    ['ours as a question', 'evil.example?localhost'],
    ['ours as a fragment', 'evil.example#localhost'],
    ['two of them', 'localhost, evil.example'],
    ['a broken address', '[::1'],
  ])('%s is not', (_why, host) => {
    expect(isOwnHost(host, ['kurir.example'])).toBe(false)
  })

  test('may be a public name of the owner, with or without its port', () => {
    expect(isOwnHost('kurir.example', ['Kurir.Example'])).toBe(true)
    expect(isOwnHost('KURIR.example:8443', ['kurir.example'])).toBe(true)
    expect(isOwnHost('kurir.example:8443', ['kurir.example:8443'])).toBe(true)
    expect(isOwnHost('kurir.example:9', ['kurir.example:8443'])).toBe(false)
    expect(isOwnHost('evil.kurir.example', ['kurir.example'])).toBe(false)
  })
})

for (const { method, path } of await routesOf(app)) {
  test(`${method} ${path} does not answer to a foreign name, with any credentials`, async () => {
    const headers = { host: 'rebind.evil.example', authorization: `Bearer ${OWNER_TOKEN}` }
    const answer = await app.fetch(withNobody(path), { method, headers })
    expect(answer.status).toBe(403)
    expect(answer.body.error.code).toBe('host_not_allowed')
  })
}

test('pages and unknown paths do not answer to a foreign name either', async () => {
  for (const path of ['/', '/nothing', `/?token=${OWNER_TOKEN}`])
    expect((await app.fetch(path, { headers: { host: 'rebind.evil.example', accept: 'text/html' } })).status).toBe(403)
})

test('a name that the owner adds is known from the next call on', async () => {
  const ask = () => app.fetch('/health', { headers: { host: 'kurir.example' } })
  expect((await ask()).status).toBe(403)
  await app.owner('/api/settings', { method: 'PATCH', body: { allowed_hosts: ['kurir.example'] } })
  expect((await ask()).status).toBe(200)
})

describe('pages of other origins', () => {
  const origin = 'https://shop.example'
  const preflight = () =>
    app.fetch('/send', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })

  test('are given nothing to read unless the owner lists them', async () => {
    const answer = await app.fetch('/health', { headers: { origin } })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect((await preflight()).status).toBe(405)
  })

  test('may call when they are listed, without cookies', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { cors_origins: [origin] } })
    const allowed = await preflight()
    expect(allowed.status).toBe(204)
    expect(allowed.headers['access-control-allow-origin']).toBe(origin)
    expect(allowed.headers['access-control-allow-headers']).toMatch(/authorization.*prefer.*x-filename/)
    expect(allowed.headers['access-control-expose-headers']).toMatch(/retry-after.*x-unknown-members/)
    const methods = new Set((await routesOf(app)).map(({ method }) => method))
    expect(String(allowed.headers['access-control-allow-methods']).split(', ').toSorted()).toEqual(
      [...methods].toSorted(),
    )
    expect(allowed.headers['access-control-allow-credentials']).toBeUndefined()
    const other = await app.fetch('/health', { headers: { origin: 'https://evil.example' } })
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })
})

test.each([
  ['127.0.0.1', []],
  ['localhost', []],
  ['::1', []],
  ['127.0.0.2', []],
  ['::ffff:127.0.0.1', []],
  ['0.0.0.0', ['192.168.1.5', '10.0.0.5']],
  ['::', ['192.168.1.5', '10.0.0.5']],
  ['10.0.0.5', ['10.0.0.5']],
])('listening on %s other PCs come by %j', (host, addresses) => {
  expect(lanAddressesOf(host, ['192.168.1.5', 'fd00::5', '10.0.0.5'])).toEqual(addresses)
  expect(listensHereOnly(host)).toBe(addresses.length === 0)
})

test('what listens on this PC alone shows no address for others, and says nothing of the LAN', async () => {
  const here = await startApp({ env: { KURIR_HOST: 'localhost' } })
  const { body } = await here.owner<{ lan_urls: string[] }>('/api/settings')
  expect(body.data.lan_urls).toEqual([])
})
