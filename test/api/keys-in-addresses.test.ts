import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { mixedReader } from '../../server/slices/compat/mouth.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { sendBytes } from '../support/http-bytes.ts'
import { startReceiver } from '../support/receiver.ts'

const KEY = 'kurir_d_1'

/** The secrets that a call with a key in its address has; null where it is refused. */
async function secretsOf(
  remoteAddress: string,
  { keysFromLan, headers = {} }: { keysFromLan: boolean; headers?: Record<string, string> },
): Promise<readonly string[] | null> {
  const read = mixedReader({ names: ['token'], keysFromLan: () => keysFromLan })
  const req = { method: 'GET', url: `/?token=${KEY}`, socket: { remoteAddress }, headers } as unknown as IncomingMessage
  return read(req).then(
    ({ secrets }) => secrets,
    () => null,
  )
}

const HERE = { host: '127.0.0.1:7420' }
const LAN = { host: '192.168.1.20:7420' }

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('from this PC (%s) it is always taken', async (address) => {
  for (const keysFromLan of [false, true]) {
    expect(await secretsOf(address, { keysFromLan, headers: HERE })).toEqual([KEY])
  }
})

test.each(['192.168.1.50', '::ffff:10.0.0.7', 'fd00::7'])(
  'from the network (%s) only with the tick',
  async (address) => {
    expect(await secretsOf(address, { keysFromLan: false, headers: LAN })).toBeNull()
    expect(await secretsOf(address, { keysFromLan: true, headers: LAN })).toEqual([KEY])
  },
)

test.each<[string, string, Record<string, string>]>([
  ['the internet', '8.8.8.8', LAN],
  ['a proxy on this PC', '127.0.0.1', { ...HERE, 'x-forwarded-for': '192.168.1.50' }],
  ['a proxy on the network', '192.168.1.5', { ...LAN, via: '1.1 nginx' }],
  ['a web page on the network', '192.168.1.50', { ...LAN, origin: 'http://192.168.1.50' }],
  ['a picture on a page', '192.168.1.50', { ...LAN, 'sec-fetch-site': 'cross-site' }],
  ['a link on a page', '127.0.0.1', { ...HERE, referer: 'http://127.0.0.1/' }],
  ['a connection that is gone', '', LAN],
])('from %s never', async (_who, address, headers) => {
  expect(await secretsOf(address, { keysFromLan: true, headers })).toBeNull()
})

const WRONG = 'kurir_d_secret-that-nobody-may-read'
/** A call of each mouth by GET, with its key in the address. */
const CALLS = {
  fonnte: (key: string) => `/compat/fonnte/send?token=${key}&target=6281234560000&message=Halo`,
  wablas: (key: string) => `/compat/wablas/api/send-message?token=${key}.s&phone=6281234560000&message=Halo`,
  panel: (key: string) => `/compat/panel/send-message?api_key=${key}&number=6281234560000&message=Halo`,
}

/** Expects that Kurir tells and keeps these secrets nowhere. @param told answers and callbacks */
async function expectNowhere(app: TestApp, secrets: string[], told: string[]): Promise<void> {
  const refused = await app.owner<object[]>('/api/refused-calls')
  expect(refused.body.data.length).toBeGreaterThan(0)
  const pages = ['/metrics', '/api/messages'].map(async (path) => (await app.owner(path)).text)
  const all = [...told, refused.text, ...(await Promise.all(pages)), app.logs(), process.title, ...process.argv]
  for (const secret of secrets) {
    expect(all.join('\n')).not.toContain(secret)
    expect(await app.disk.places((bytes) => bytes.includes(secret))).toEqual([])
  }
}

test("cloud_api: the key in a POST's address is nowhere afterwards, and no answer is kept", async () => {
  const app = await startApp()
  const key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_cloud: true } })
  const text = JSON.stringify({ messaging_product: 'whatsapp', to: '6281234560000', text: { body: 'Halo' } })
  const call = (secret: string, body: string, ...headers: string[]) =>
    sendBytes(
      app,
      [
        `POST /compat/cloud/v21.0/${SANDBOX}/messages?access_token=${secret} HTTP/1.1`,
        'Content-Type: application/json',
        ...headers,
      ],
      body,
    )
  const answers = [
    await call(key, text),
    await call(key, '{}'),
    await call(key, text, 'Sec-Fetch-Site: cross-site'),
    await call(WRONG, text),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 401])
  for (const { headers } of answers) expect(headers.toLowerCase()).toContain('cache-control: no-store')
  await expectNowhere(
    app,
    [key, WRONG],
    answers.map(({ headers, body }) => headers + body),
  )
})

test.each(Object.entries(CALLS))(
  '%s: the key is nowhere afterwards, and no answer is kept',
  async (mouth, addressOf) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const receiver = await startReceiver()
    await app.owner('/api/settings', { method: 'PATCH', body: { [`compat_${mouth}`]: true } })
    await app.owner('/api/webhooks', { body: { url: receiver.url } })
    const answers = [
      await sendBytes(app, [`GET ${addressOf(key)} HTTP/1.1`]),
      // The same again is the first message, and a browser with its key in an address is refused.
      await sendBytes(app, [`GET ${addressOf(key)} HTTP/1.1`]),
      await sendBytes(app, [`GET ${addressOf(key)} HTTP/1.1`, 'Sec-Fetch-Site: cross-site']),
      await sendBytes(app, [`GET ${addressOf(WRONG)} HTTP/1.1`]),
      await sendBytes(app, [`POST ${addressOf(key)} HTTP/1.1`]),
      await sendBytes(app, [`PUT ${addressOf(key)} HTTP/1.1`]),
    ]
    for (const { headers } of answers) expect(headers.toLowerCase()).toContain('cache-control: no-store')
    await receiver.event('message.sent')
    await expectNowhere(
      app,
      [key, WRONG],
      [
        ...answers.map(({ headers, body }) => headers + body),
        ...receiver.received.map(({ headers, text }) => JSON.stringify(headers) + text),
      ],
    )
    expect((await app.owner<object[]>('/api/messages')).body.data).toHaveLength(2)
  },
)

const IN_AN_HOUR = Math.floor(Date.now() / 1000) + 3600
const FILE = `&url=https://shop.example/a.pdf&schedule=${IN_AN_HOUR}`

test.each<[keyof typeof CALLS, string, string, string, boolean]>([
  ['fonnte', 'a time', '', `&schedule=${IN_AN_HOUR}`, true],
  ['fonnte', 'another time', `&schedule=${IN_AN_HOUR}`, `&schedule=${IN_AN_HOUR + 1}`, true],
  ['fonnte', 'a time, with a wait', '', `,6281234560001&delay=5-10&schedule=${IN_AN_HOUR}`, true],
  ['fonnte', 'no time', '', '&schedule=0', false],
  ['fonnte', 'a wait', '', ',6281234560001&delay=5', false],
  ['fonnte', 'the name of a file', FILE, `${FILE}&filename=Nota`, true],
  ['wablas', 'a reference', '', '&ref_id=INV-1', true],
])(
  '%s: %s makes another message or not, and the same call is the same',
  async (mouth, _what, one, other, isAnother) => {
    const app = await startApp()
    await app.owner('/api/settings', { method: 'PATCH', body: { [`compat_${mouth}`]: true } })
    const address = CALLS[mouth](await app.key({ sender: SANDBOX }))
    const call = async (more: string) => {
      const path = more.startsWith(',') ? address.replace('&message', `${more}&message`) : `${address}${more}`
      const { body } = await app.fetch<{ messages: { id: string }[] }>(path)
      return (body as { id?: string[] }).id ?? body.data.messages.map(({ id }) => id)
    }
    const ids = [await call(one), await call(other), await call(other), await call(one)]
    expect([ids[2], ids[3]]).toEqual([ids[1], ids[0]])
    expect(ids[1]?.[0] !== ids[0]?.[0]).toBe(isAnother)
  },
)

test.each(Object.entries(CALLS))('%s: an Idempotency-Key makes a call once, at POST too', async (mouth, addressOf) => {
  const app = await startApp()
  await app.owner('/api/settings', { method: 'PATCH', body: { [`compat_${mouth}`]: true } })
  const key = await app.key({ sender: SANDBOX })
  const [path = '', query = ''] = addressOf(key).replace('560000', '560000,6281234560001').split('?')
  const call = (members: string, method: string, name: string) =>
    app.fetch(method === 'GET' ? `${path}?${members}` : path, {
      method,
      headers: {
        'idempotency-key': name,
        authorization: `Bearer ${key}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(method === 'GET' ? {} : { body: members }),
    })
  const methods = ['POST', 'GET']
  for (const method of methods) {
    const first = await call(query, method, method)
    const again = await call(query, method, method)
    expect(again.text).toBe(first.text)
    expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true'])
    const other = await call(query.replace('Halo', 'Lain'), method, method)
    expect(other.text).toContain('This Idempotency-Key was used with another body')
    expect(other.text).toContain('"status":false')
  }
  const others = await call(query.replace('Halo', 'Lain'), 'POST', 'POST 1')
  expect(others.text, 'a key that only looks like that of a second number').toContain('"status":true')
  expect((await app.owner<object[]>('/api/messages')).body.data).toHaveLength(2 * methods.length + 2)
})

test('by GET the same reference is the first message again where references are refused twice', async () => {
  const app = await startApp()
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_wablas: true } })
  const key = await app.key({ sender: SANDBOX, refuse_duplicate_reference: true })
  const call = () => app.fetch(`${CALLS.wablas(key)}&ref_id=INV-1`)
  const first = await call()
  expect(first.status).toBe(200)
  expect((await call()).text).toBe(first.text)
})

test('an Idempotency-Key is of one list of numbers, whichever of them were refused', async () => {
  const app = await startApp()
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_wablas: true } })
  await app.owner('/suppressions', { body: { phone: '6281234560000', scope: 'all' } })
  const key = await app.key({ sender: SANDBOX })
  const send = (phone: string) =>
    app.call(
      key,
      '/compat/wablas/api/send-message',
      { phone, message: 'Halo' },
      { headers: { 'idempotency-key': 'k' } },
    )
  const [list, taken] = ['6281234560000,6281234560010', '6281234560010']
  const first = await send(list)
  expect(first.text).toMatch(/Not taken: 6281234560000: .+"phone":"6281234560010"/)
  expect(await send(taken)).toMatchObject({ status: 400, body: { message: expect.stringContaining('another body') } })
  expect((await send(list)).headers['idempotent-replayed']).toBe('true')
  const { store } = app.app
  const [message] = await store.messages.list({ limit: 1 })
  await app.reached(message?.id ?? '', 'read')
  const inAYear = Date.now() + 365 * 86_400_000
  await store.retention.removeBefore({ ms: inAYear, silent: inAYear }, 50)
  expect(await store.messages.list({ limit: 9 })).toEqual([])
  expect(await send(list)).toMatchObject({ status: 400, body: { message: expect.stringContaining('deleted since') } })
})
