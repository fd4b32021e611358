import { beforeEach, describe, expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { sendBytes } from '../support/http-bytes.ts'

interface Said {
  status: boolean
  msg: string
  id?: string[]
}

let clock: TestClock
let app: TestApp
let key: string

beforeEach(async () => {
  clock = createTestClock()
  app = await startApp({ clock })
  key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_panel: true } })
})

const FORM = 'Content-Type: application/x-www-form-urlencoded'
const PATH = '/compat/panel/send-message'

async function say(head: string[], body?: string | Buffer): Promise<{ status: number; said: Said }> {
  const answer = await sendBytes(app, head, body)
  return { status: answer.status, said: JSON.parse(answer.body) as Said }
}

const get = (members: Record<string, string>, ...headers: string[]) =>
  say([`GET ${PATH}?${new URLSearchParams({ api_key: key, ...members })} HTTP/1.1`, ...headers])

const bodies = (said: Said) => Promise.all((said.id ?? []).map(async (id) => (await app.message(id)).body))
const ALL_GOOD = { status: 200, said: { status: true, msg: 'Message sent successfully!', id: [expect.any(String)] } }

describe('ways in which public programs call a panel', () => {
  test('PHP, file_get_contents with urlencode (a school’s admissions, wa.srv9.wapanels.com)', async () => {
    const query = `api_key=${key}&sender=6281234567890&number=628111111111&message=Selamat%2C+Ananda+diterima`
    const { status, said } = await say([`GET ${PATH}?${query} HTTP/1.1`])
    expect({ status, said }).toEqual(ALL_GOOD)
    expect(await bodies(said)).toEqual(['Selamat, Ananda diterima'])
    expect(await app.message(said.id?.[0] ?? '')).toMatchObject({
      recipient: '628111111111',
      unknownMembers: ['sender'],
    })
  })

  test('MikroTik, /tool fetch with escapes by hand (a script for PPPoE)', async () => {
    const query = `api_key=${key}&sender=6281&number=628111111111&message=*PPPoE%20TERHUBUNG*%0ANama:%20ani`
    const { said } = await say([`GET ${PATH}?${query} HTTP/1.1`, 'User-Agent: Mikrotik/6.x Fetch', 'Accept: */*'])
    expect(await bodies(said)).toEqual(['*PPPoE TERHUBUNG*\nNama: ani'])
  })

  test('ESP32, HTTPClient that posts the whole address as its body too (a gas sensor, srv15.wapanels.com)', async () => {
    const query = `api_key=${key}&sender=62888&number=628111111111&message=Gas%20Amonia%3A%2012%20ppm`
    const { status, said } = await say(
      [`POST ${PATH}?${query} HTTP/1.1`, 'User-Agent: ESP32HTTPClient', FORM],
      `http://127.0.0.1:7420${PATH}?${query}`,
    )
    expect({ status, said }).toEqual(ALL_GOOD)
    expect(await bodies(said)).toEqual(['Gas Amonia: 12 ppm'])
  })

  test('ASP.NET, Uri.EscapeDataString (a school’s fees, app.allexpert.in)', async () => {
    const query = `api_key=${key}&sender=62888&number=91628881234&message=Fees%20due%3A%20%E2%82%B9%20500`
    const { said } = await say([`GET ${PATH}?${query} HTTP/1.1`])
    expect(await bodies(said)).toEqual(['Fees due: ₹ 500'])
  })

  test('PHP with curl and an array of fields (the panel’s own API page)', async () => {
    const boundary = '------------------------d74496d66958873e'
    const fields = {
      api_key: key,
      sender: '62888',
      number: '628111111111|628222222222',
      message: 'Halo',
      footer: 'Toko',
    }
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const { said } = await say(
      [`POST ${PATH} HTTP/1.1`, `Content-Type: multipart/form-data; boundary=${boundary}`],
      `${parts.join('')}--${boundary}--\r\n`,
    )
    expect(await bodies(said)).toEqual(['Halo\n\n> _Toko_', 'Halo\n\n> _Toko_'])
  })

  test('PHP with curl and JSON, the number as a number (the panel’s own API page)', async () => {
    const body = JSON.stringify({ api_key: key, sender: 62888, number: 628111111111, message: 'Halo' })
    const answer = await say([`POST ${PATH} HTTP/1.1`, 'Content-Type: application/json'], body)
    expect(answer).toEqual(ALL_GOOD)
  })

  test('JavaScript, axios.post with all in the address and no body (one-time passwords, i.4sd.in)', async () => {
    const query = `api_key=${key}&sender=917&number=919876543210&message=Your%20OTP%20is%3A%201234`
    expect(await say([`POST ${PATH}?${query} HTTP/1.1`, FORM])).toEqual(ALL_GOOD)
  })

  test('MikroTik that posts to a group when a customer goes offline (a script for PPPoE, http-data)', async () => {
    const body = `api_key=${key}&sender=6287820851413&number=120363031495796203@g.us&message=*TERPUTUS*\r\nUser : ani`
    const { status, said } = await say([`POST ${PATH} HTTP/1.1`, 'User-Agent: Mikrotik/6.x Fetch', FORM], body)
    expect({ status, said }).toEqual(ALL_GOOD)
    expect(await app.message(said.id?.[0] ?? '')).toMatchObject({
      recipient: '120363031495796203@g.us',
      body: '*TERPUTUS*\r\nUser : ani',
    })
  })

  test('Python, requests: people and a group in one call (a class that notifies, contoh.domain)', async () => {
    const { said } = await get({ number: '628111111111|120363185287561070@g.us', message: 'ISI PESAN' })
    const sent = await Promise.all((said.id ?? []).map((id) => app.message(id)))
    expect(sent.map(({ recipient }) => recipient)).toEqual(['628111111111', '120363185287561070@g.us'])
  })

  test('a text that only ends as a group does is a wrong number', async () => {
    const { said } = await get({ number: '628111111111|siapa@g.us', message: 'ISI PESAN' })
    expect(said.id).toHaveLength(1)
    expect(said.msg).toContain('Not taken: siapa@g.us: must be')
  })

  test('Visual Basic 6 with bytes of Windows in its escapes', async () => {
    const { said } = await say([`GET ${PATH}?api_key=${key}&number=628111111111&message=caf%E9+%80+5 HTTP/1.1`])
    expect(await bodies(said)).toEqual(['café € 5'])
  })
})

test('a file goes by its address, with caption and footer', async () => {
  const far = { api_key: key, number: '628111111111', media_type: 'document', url: 'http://127.0.0.1:9/nota.pdf' }
  const query = new URLSearchParams({ ...far, caption: 'Nota', footer: 'Toko' })
  const { said } = await say([`GET /compat/panel/send-media?${query} HTTP/1.1`])
  expect(await app.message(said.id?.[0] ?? '')).toMatchObject({ file: far.url, body: 'Nota\n\n> _Toko_' })
  const once = new URLSearchParams({ ...far, media_type: 'Image', viewonce: '1' })
  expect((await say([`GET /compat/panel/send-media?${once} HTTP/1.1`])).said).toEqual({
    status: false,
    msg: expect.stringContaining('Invalid parameters! Please correct: viewonce: is not possible'),
  })
  const wrong = new URLSearchParams({ ...far, media_type: 'location' })
  expect(await say([`GET /compat/panel/send-media?${wrong} HTTP/1.1`])).toEqual({
    status: 400,
    said: { status: false, msg: expect.stringContaining('Invalid media type! Allowed types: image, video') },
  })
})

test('the same with /api before it', async () => {
  const query = new URLSearchParams({ api_key: key, number: '628111111111', message: 'Halo' })
  expect(await say([`GET /compat/panel/api/send-message?${query} HTTP/1.1`])).toEqual(ALL_GOOD)
})

test('a program that looks whether its device is connected is told of the senders of its key', async () => {
  const devices = async (members: Record<string, string>, head = 'GET', path = '/compat/panel/info-devices') =>
    say([`${head} ${path}?${new URLSearchParams(members)} HTTP/1.1`])
  const sandbox = { body: SANDBOX, webhook: null, status: 'Connected' }
  for (const method of ['GET', 'POST'])
    expect(await devices({ api_key: key }, method)).toEqual({ status: 200, said: { status: true, info: [sandbox] } })
  const code = await app.sender('linked')
  const { senders } = app.app.store
  await senders.change(senders.byCode(code)?.id ?? 0, () => ({ phone: '6281234567890', state: 'offline' }))
  const all = await app.key()
  const linked = { body: '6281234567890', webhook: null, status: 'Disconnect' }
  expect((await devices({ api_key: all }, 'GET', '/compat/panel/api/info-devices')).said).toEqual({
    status: true,
    info: [sandbox, linked],
  })
  expect((await devices({ api_key: all, number: '+62 812-3456-7890' })).said).toEqual({ status: true, info: [linked] })
  expect(await devices({ api_key: key, number: '6281234567890' })).toEqual({
    status: 400,
    said: { status: false, msg: expect.stringContaining('does not exist, or you do not have permission') },
  })
  expect((await devices({ api_key: 'nonsense' })).said.msg).toContain('Invalid api_key or sender')
})

test('a GET that is repeated within 10 s is the first message again, a later one another', async () => {
  const ask = async (message: string) => (await get({ number: '628111111111', message })).said.id?.[0]
  const first = await ask('Halo')
  await clock.advance(9_000)
  expect(await ask('Halo')).toBe(first)
  expect(await ask('Halo lagi')).not.toBe(first)
  await clock.advance(2_000)
  expect(await ask('Halo')).not.toBe(first)
  expect((await app.owner('/api/messages')).body.data).toHaveLength(3)
})

test('a GET at the end of the ten seconds is the first message or another, and never refused', async () => {
  const steady = createTestClock()
  let reads = 0
  // Time goes on while a call is worked on.
  const ticking = { ...steady, now: () => steady.now() + reads++ }
  const slow = await startApp({ clock: ticking })
  const token = await slow.key({ sender: SANDBOX })
  await slow.owner('/api/settings', { method: 'PATCH', body: { compat_panel: true } })
  for (let before = 0; before < 40; before += 1) {
    const members = { api_key: token, number: '628111111111', message: `Halo ${before}` }
    const head = [`GET ${PATH}?${new URLSearchParams(members)} HTTP/1.1`]
    const first = await sendBytes(slow, head)
    await steady.advance(10_000 - before)
    const again = await sendBytes(slow, head)
    expect([first.status, again.status], again.body).toEqual([200, 200])
  }
})

test.each<[string, Record<string, string>, string]>([
  ['no number', { message: 'Halo' }, 'number'],
  ['no text', { number: '628111111111' }, 'message'],
  ['a number that is none', { number: 'x', message: 'Halo' }, 'x: must be a phone number'],
])('%s is 400 in the form of a panel', async (_what, members, words) => {
  const { status, said } = await get(members)
  expect(status).toBe(400)
  expect(said).toEqual({ status: false, msg: expect.stringMatching(`^Invalid parameters! .*${words}`) })
})

test('a number with its 0 is Indonesian where the sender has no country, as at panels', async () => {
  const { said } = await get({ number: '0811-1111-111', message: 'Halo' })
  expect(await app.message(said.id?.[0] ?? '')).toMatchObject({ recipient: '628111111111' })
})

test.each(['', '/api'])(
  'a call that Kurir does not know is refused in the form of a panel, behind "%s"',
  async (base) => {
    const { status, said } = await say([`GET /compat/panel${base}/send-poll?api_key=${key} HTTP/1.1`])
    expect([status, said]).toEqual([
      400,
      { status: false, msg: expect.stringMatching(/^There is nothing at .+ at \/docs\.$/) },
    ])
  },
)

test('of many numbers the good ones are taken, each once, the others named', async () => {
  const { said } = await get({ number: '628111111111, 628222222222|x|628111111111@c.us', message: 'Halo' })
  expect(said.id).toHaveLength(2)
  expect(said).toMatchObject({ status: true, msg: expect.stringContaining('x: must be a phone number') })
})

describe('a key in an address or a form', () => {
  const query = () => new URLSearchParams({ api_key: key, number: '628111111111', message: 'Halo' }).toString()

  test.each([
    ['a page of another origin', 'Origin: https://shop.example'],
    ['a page without an origin', 'Origin: null'],
    ['a picture on a page', 'Sec-Fetch-Site: cross-site'],
    ['a page of this PC', 'Sec-Fetch-Site: same-site'],
    ['a link on a page', 'Referer: https://shop.example/'],
    ['a proxy on this PC', 'X-Forwarded-For: 192.168.1.50'],
  ])('is refused from %s', async (_who, header) => {
    const inAddress = await say([`GET ${PATH}?${query()} HTTP/1.1`, header])
    const inForm = await say([`POST ${PATH} HTTP/1.1`, FORM, header], query())
    for (const { status, said } of [inAddress, inForm]) {
      expect(status).toBe(400)
      expect(said).toEqual({ status: false, msg: expect.stringMatching('^Invalid api_key or sender') })
    }
    expect((await app.owner('/api/messages')).body.data).toEqual([])
  })

  test('is refused under another name of this PC, as other PCs and tunnels call it', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { allowed_hosts: ['kurir.example'] } })
    const answer = await app.fetch(`${PATH}?${query()}`, { headers: { host: 'kurir.example' } })
    expect(answer.status).toBe(400)
    const inHeader = { host: 'kurir.example', authorization: key }
    const members = new URLSearchParams({ number: '628111111111', message: 'Halo' })
    expect((await app.fetch(`${PATH}?${members}`, { headers: inHeader })).status).toBe(200)
  })

  test('is in no log, no refused call, no metric and no answer, and no answer is kept', async () => {
    const secret = 'kurir_d_secret-that-nobody-may-read'
    const wrong = new URLSearchParams({ api_key: secret, number: '628111111111', message: 'Halo' }).toString()
    const answers = [
      await sendBytes(app, [`GET ${PATH}?${wrong} HTTP/1.1`]),
      await sendBytes(app, [`POST ${PATH} HTTP/1.1`, FORM], wrong),
      await sendBytes(app, [`GET ${PATH}?${wrong} HTTP/1.1`, 'Origin: null']),
      await sendBytes(app, [`GET ${PATH}?${query()} HTTP/1.1`]),
    ]
    for (const { headers } of answers) expect(headers.toLowerCase()).toContain('cache-control: no-store')
    const told = [
      ...answers.map(({ headers, body }) => headers + body),
      (await app.owner('/api/refused-calls')).text,
      (await app.owner('/metrics')).text,
      app.logs(),
    ].join('\n')
    expect(told).toContain(PATH)
    for (const text of [secret, key]) expect(told).not.toContain(text)
  })
})

test('while the owner has it off its paths are unknown, whoever calls', async () => {
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_panel: false } })
  const unknown = await app.fetch('/compat/panel/nothing')
  for (const method of ['GET', 'POST', 'DELETE']) {
    const answer = await app.fetch(`${PATH}?api_key=${key}`, { method })
    expect([answer.status, answer.text]).toEqual([404, unknown.text.replace('/nothing', '/send-message')])
  }
})
