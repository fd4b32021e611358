import { beforeEach, describe, expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { sendBytes } from '../support/http-bytes.ts'

interface Said {
  status: boolean
  reason?: string
  detail?: string
  process?: string
  id?: string[]
  target?: string[]
}

let clock: TestClock
let app: TestApp
let key: string

beforeEach(async () => {
  clock = createTestClock()
  app = await startApp({ clock })
  key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })
})

async function say(head: string[], body?: string | Buffer): Promise<Said> {
  const answer = await sendBytes(app, head, body)
  // Whatever is wrong: other statuses look like a broken line to programs for Fonnte.
  expect(answer.status).toBe(200)
  expect(answer.headers.toLowerCase()).toContain('cache-control: no-store')
  return JSON.parse(answer.body) as Said
}

const SEND = '/compat/fonnte/send'
const FORM = 'Content-Type: application/x-www-form-urlencoded'
const messageOf = async (said: Said, at = 0) => {
  const message = await app.app.store.messages.find({ seq: Number(said.id?.[at]) })
  if (message === undefined) throw new Error(`no message in ${JSON.stringify(said)}`)
  return message
}

// Their bytes: public programs that name api.fonnte.com, found by that address in November 2026.
describe('public clients of Fonnte', () => {
  test('ESP32, HTTPClient GET with the token in the address (a fall detector)', async () => {
    const address = `GET ${SEND}?token=${key}&target=6289513829923&message=PERINGATAN!%20Jatuh%20dideteksi. HTTP/1.1`
    const head = [address, 'User-Agent: ESP32HTTPClient', 'Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0']
    const [first, again] = [await say(head), await say(head)]
    expect(first).toMatchObject({ status: true, target: ['6289513829923'], id: [expect.stringMatching(/^\d+$/)] })
    expect((await messageOf(first)).body).toBe('PERINGATAN! Jatuh dideteksi.')
    expect(again.id).toEqual(first.id)
    await clock.advance(11_000)
    expect((await say(head)).id).not.toEqual(first.id)
  })

  test('PHP, file_get_contents with urlencode (Laravel, a room booking)', async () => {
    const text = 'Halo+Ani%2C%0A%0APermintaan+peminjaman+ruangan+%2AA1%2A%0A%F0%9F%93%85+11-24-2026'
    const said = await say([
      `GET ${SEND}?token=${key}&target=08123456789&message=${text} HTTP/1.1`,
      'Connection: close',
    ])
    expect(said.target).toEqual(['628123456789'])
    expect((await messageOf(said)).body).toBe('Halo Ani,\n\nPermintaan peminjaman ruangan *A1*\n📅 11-24-2026')
  })

  test('Flutter, http.get with a text that holds blanks (a one-time password)', async () => {
    const said = await say([`GET ${SEND}?token=${key}&target=08123456789&message=Your%20otp%20is%20123456 HTTP/1.1`])
    expect(said.status).toBe(true)
  })

  test('the documented address with a slash at its end and a redirect, which is ignored', async () => {
    const query = `token=${key}&target=08123456789&message=Halo&redirect=https%3A%2F%2Fshop.example`
    expect((await say([`GET ${SEND}/?${query} HTTP/1.1`])).status).toBe(true)
  })

  test('Laravel, Http::withHeaders()->post() with JSON (a disaster report)', async () => {
    const body = JSON.stringify({ target: '08123456789', delay: '1', message: 'hai' })
    const head = [`POST ${SEND} HTTP/1.1`, `Authorization: ${key}`, 'Content-Type: application/json']
    expect(await say([...head, 'User-Agent: GuzzleHttp/7'], body)).toMatchObject({ status: true, process: 'pending' })
  })

  test('PHP, curl with an array of fields (CodeIgniter, a helpdesk)', async () => {
    const boundary = '------------------------8a3b2f0f1d6c7e55'
    const fields = { target: '6285277961769', message: 'Kritik dan Saran', countryCode: '62' }
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const head = [`POST ${SEND} HTTP/1.1`, 'Accept: */*', `Authorization: ${key}`]
    const type = `Content-Type: multipart/form-data; boundary=${boundary}`
    const said = await say([...head, type], `${parts.join('')}--${boundary}--\r\n`)
    expect((await messageOf(said)).body).toBe('Kritik dan Saran')
  })

  test('Arduino, a form that nobody escaped: blanks, stars, letters and line breaks as they are', async () => {
    const body = Buffer.from('target=08123456789&message=*ALARM* suhu 40°C\nruang server')
    const said = await say([`POST ${SEND} HTTP/1.1`, `Authorization: ${key}`, FORM], body)
    expect((await messageOf(said)).body).toBe('*ALARM* suhu 40°C\nruang server')
  })

  test('an address whose end and whose path both have a slash', async () => {
    const head = [`POST ${SEND.replace('/send', '//send')} HTTP/1.1`, `Authorization: ${key}`, FORM]
    expect(await say(head, 'target=08123456789&message=Halo//Ani')).toMatchObject({ status: true })
    expect(await say([`GET /${SEND}?token=${key}&target=08123456789&message=a//b HTTP/1.1`])).toMatchObject({
      status: true,
    })
    expect((await app.owner<{ body: string }[]>('/api/messages')).text).toContain('a//b')
  })

  test('an address that is none', async () => {
    const head = [`POST ${SEND.replace('/send', '/api/send')} HTTP/1.1`, `Authorization: ${key}`, FORM]
    expect(await say(head)).toMatchObject({ status: false, reason: expect.stringContaining('There is nothing at') })
  })

  test('a rotation of several tokens, which is one key too many', async () => {
    const head = [`POST ${SEND} HTTP/1.1`, `Authorization: ${key},${key}`, FORM]
    expect(await say(head, 'target=08123456789&message=Halo')).toMatchObject({ status: false, reason: 'token invalid' })
  })
})

describe('a key in the address', () => {
  const address = () => `GET ${SEND}?token=${key}&target=08123456789&message=Halo HTTP/1.1`

  test.each([
    ['a page of another origin', 'Origin: https://shop.example'],
    ['a picture on a page', 'Sec-Fetch-Site: cross-site'],
    ['a link on a page', 'Referer: https://shop.example/'],
    ['a proxy on this PC', 'X-Forwarded-For: 192.168.1.50'],
  ])('is refused from %s', async (_who, header) => {
    expect(await say([address(), header])).toMatchObject({ status: false, reason: 'token invalid' })
    expect((await app.owner('/api/messages')).body.data).toEqual([])
  })

  test('sends nothing by HEAD, with which programs only look whether an address is there', async () => {
    await sendBytes(app, [address().replace('GET', 'HEAD')])
    expect((await app.owner('/api/messages')).body.data).toEqual([])
  })

  test('is in no log, no refused call, no metric and no answer', async () => {
    const secret = 'kurir_d_secret-that-nobody-may-read'
    const answers = [
      await sendBytes(app, [address().replace(key, secret)]),
      await sendBytes(app, [address(), 'Origin: null']),
      await sendBytes(app, [address()]),
    ]
    const told = [
      ...answers.map(({ headers, body }) => headers + body),
      (await app.owner('/api/refused-calls')).text,
      (await app.owner('/metrics')).text,
      app.logs(),
      process.title,
    ].join('\n')
    expect(told).toContain(SEND)
    for (const text of [secret, key]) expect(told).not.toContain(text)
    for (const text of [secret, key]) expect(await app.disk.places((bytes) => bytes.includes(text))).toEqual([])
  })
})
