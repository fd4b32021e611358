import { beforeEach, describe, expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { sendBytes } from '../support/http-bytes.ts'
import { samples } from '../support/samples.ts'

interface Said {
  body?: string
  id?: string
  to?: string
  ack?: number
  key?: { id: string }
  _data?: { id: { _serialized: string } }
  statusCode?: number
  message?: string
  error?: string
}

let app: TestApp
let key: string

beforeEach(async () => {
  app = await startApp()
  key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_waha: true } })
})

const API = '/compat/waha/api'
const JSON_TYPE = 'Content-Type: application/json'

async function say<T = Said>(head: string[], body?: string | Buffer): Promise<{ status: number; said: T }> {
  const answer = await sendBytes(app, head, body)
  return { status: answer.status, said: JSON.parse(answer.body) as T }
}

const post = (path: string, body: unknown, ...headers: string[]) =>
  say([`POST ${API}/${path} HTTP/1.1`, `X-Api-Key: ${key}`, JSON_TYPE, ...headers], JSON.stringify(body))

const get = <T>(path: string, secret = key) => say<T>([`GET ${API}/${path} HTTP/1.1`, `X-Api-Key: ${secret}`])

/** The message that an answer names, found by the end of its id. */
async function messageOf({ id = '' }: Said) {
  const hex = id.split('_').at(-1)?.toLowerCase() ?? ''
  return app.message(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

const TEXT = { session: 'default', chatId: '6281234567890@c.us', text: 'Halo' }
const ID = /^true_6281234567890@c\.us_[0-9A-F]{32}$/

describe('ways in which public programs call WAHA', () => {
  test('Uptime Kuma, axios (louislam/uptime-kuma, notification-providers/waha.js)', async () => {
    const body = '{"session":"default","chatId":"6281234567890@c.us","text":"[Toko] [🔴 Down] timeout"}'
    const { status, said } = await say(
      [
        `POST ${API}/sendText HTTP/1.1`,
        'Accept: application/json',
        JSON_TYPE,
        `X-Api-Key: ${key}`,
        'User-Agent: axios/0.30.2',
        'Accept-Encoding: gzip, compress, deflate, br',
      ],
      body,
    )
    expect(status).toBe(201)
    expect(said).toMatchObject({ id: expect.stringMatching(ID), to: '6281234567890@c.us', ack: 0 })
    expect(await messageOf(said)).toMatchObject({ recipient: '6281234567890', body: '[Toko] [🔴 Down] timeout' })
  })

  test('n8n, its test of the credentials and a text (devlikeapro/n8n-nodes-waha)', async () => {
    const sessions = await get<object[]>('sessions')
    expect(sessions).toEqual({
      status: 200,
      said: [{ name: 'default', status: 'WORKING', config: {}, me: null, engine: { engine: 'NOWEB' } }],
    })
    const { status, said } = await post('sendText', { ...TEXT, reply_to: '' }, 'Accept: application/json')
    expect(status).toBe(201)
    // What the node and its readers look for an id in, by engine.
    expect(new Set([said.id, said._data?.id._serialized])).toEqual(new Set([said.id]))
    expect(said.id).toContain(`_${said.key?.id}`)
  })

  test('Laravel, Http::withHeaders with everything set (one-time passwords of a city office)', async () => {
    const { status } = await post('sendText', {
      ...{ chatId: '6281234567890@c.us', reply_to: null, text: '🔐 Kode OTP Anda adalah *1234*.' },
      ...{ linkPreview: false, linkPreviewHighQuality: false, session: 'default' },
    })
    expect(status).toBe(201)
  })

  test('a bot in Python that is seen to read and type around each answer, without a session', async () => {
    const chat = { chatId: '6281234567890@c.us', session: 'default' }
    for (const path of ['sendSeen', 'startTyping', 'stopTyping']) {
      expect(await post(path, chat)).toEqual({ status: 201, said: { result: true } })
      const bare = await say([`POST ${API}/${path} HTTP/1.1`, `X-Api-Key: ${key}`])
      expect(bare).toEqual({ status: 201, said: { result: true } })
    }
    for (const end of ['@s.whatsapp.net', '@C.US']) {
      const { said } = await post('sendText', { chatId: `6281234567890${end}`, text: 'Halo' })
      expect(said.id).toMatch(ID)
    }
    expect((await app.owner('/api/messages')).body.data).toHaveLength(2)
  })

  test('a till with an address for its texts (its documentation before 2025), sent once', async () => {
    const address = 'sendText?phone=6281234567890&text=Pesanan+siap&session=default'
    const [first, again] = [await get<Said>(address), await get<Said>(address)]
    expect([first.status, first.said.body, again.said.id]).toEqual([200, 'Pesanan siap', first.said.id])
    expect(await messageOf(first.said)).toMatchObject({ recipient: '6281234567890', body: 'Pesanan siap' })
    const group = await get<Said>('sendText?phone=120363040000000000@g.us&text=Rapat')
    expect((await messageOf(group.said)).recipient).toBe('120363040000000000@g.us')
    expect(await get('sendText?phone=x&text=Halo')).toMatchObject({ status: 400, said: { statusCode: 400 } })
    expect((await get<Said>('sendText?phone=6281234567890')).said.message).toContain('text: is required')
  })

  test.each([
    ['a reminder in Python', 'contacts/check-exists?session=default&phone=6281234567890'],
    ['an older one in PHP, with the path of before 2025', 'checkNumberStatus?phone=081234567890&session=default'],
  ])('%s that asks first whether the number is there', async (_who, path) => {
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
    const found = await get<{ numberExists: boolean; chatId: string }>(path)
    expect(found).toEqual({ status: 200, said: { numberExists: true, chatId: '6281234567890@c.us' } })
    expect((await post('sendText', { ...TEXT, chatId: found.said.chatId })).status).toBe(201)
  })

  test('a bridge from Telegram that names the address of a picture alone', async () => {
    const file = { url: 'http://127.0.0.1:9/photo.jpg' }
    const { said } = await post('sendImage', { chatId: TEXT.chatId, file, caption: '', session: 'default' })
    expect(await messageOf(said)).toMatchObject({ file: file.url, body: '' })
  })

  test.each(['sendImage', 'sendFile', 'sendVideo', 'sendVoice'])(
    'Python with b64encode and %s (a logo on every message; a clinic’s PDF)',
    async (path) => {
      const file = { mimetype: 'application/octet-stream', data: samples.pdf.toString('base64'), filename: 'Nota.pdf' }
      const { status, said } = await post(path, { session: 'default', chatId: TEXT.chatId, file, caption: 'Nota' })
      expect([status, said.message]).toEqual([201, undefined])
      const message = await messageOf(said)
      expect(message).toMatchObject({ file: expect.stringMatching(/^upload:/), filename: 'Nota.pdf', body: 'Nota' })
    },
  )

  test('a file whose data is an address of its own, as browsers make it', async () => {
    const data = `data:application/pdf;base64,${samples.pdf.toString('base64')}`
    const { said } = await post('sendFile', { chatId: TEXT.chatId, file: { mimetype: null, filename: null, data } })
    expect((await messageOf(said)).file).toMatch(/^upload:/)
  })
})

test.each<[string, string, object, number, string]>([
  ['no text', 'sendText', { chatId: TEXT.chatId }, 400, 'text: is required'],
  ['a number that is none', 'sendText', { ...TEXT, chatId: 'x@c.us' }, 400, 'chatId: must be a phone number'],
  ['an unknown session', 'sendText', { ...TEXT, session: 'robot' }, 404, "a session with name 'robot'"],
  ['a group that is none', 'sendText', { ...TEXT, chatId: 'kitchen@g.us' }, 400, 'chatId'],
  ['a hidden id', 'sendText', { ...TEXT, chatId: '1203@lid' }, 422, 'not to a hidden id'],
  ['a status', 'sendText', { ...TEXT, chatId: 'status@broadcast' }, 422, 'a status is not possible'],
  ['an answer to a message', 'sendText', { ...TEXT, reply_to: 'false_628@c.us_3EB0' }, 422, 'reply_to'],
  ['mentions', 'sendText', { ...TEXT, mentions: ['628@c.us'] }, 422, 'mentions'],
  ['buttons', 'sendText', { ...TEXT, buttons: [{ id: 1 }] }, 422, 'buttons'],
  ['no file', 'sendFile', { chatId: TEXT.chatId }, 400, 'file: is required'],
  ['an empty file', 'sendFile', { chatId: TEXT.chatId, file: { data: '' } }, 400, 'file: is required'],
  ['data that is no base64', 'sendFile', { chatId: TEXT.chatId, file: { data: '%%%%' } }, 400, 'is not base64'],
  ['a poll', 'sendPoll', { ...TEXT, poll: {} }, 422, 'Kurir sends text'],
  ['a location', 'sendLocation', TEXT, 422, 'Kurir sends text'],
  ['an answer', 'reply', TEXT, 422, 'Kurir sends text'],
  ['a new session', 'sessions', { name: 'default', start: true }, 422, "in Kurir's window"],
  ['stopping one, by its old address', 'sessions/stop', { name: 'default' }, 422, "in Kurir's window"],
  [
    'starting one with a webhook',
    'sessions/start',
    { name: 'default', config: { webhooks: [{ url: 'http://127.0.0.1:9', events: ['message'] }] } },
    422,
    'config.webhooks',
  ],
])('%s is refused in the form of WAHA', async (_what, path, body, status, words) => {
  const { said, ...answer } = await post(path, body)
  expect(answer.status).toBe(status)
  expect(said).toEqual({ statusCode: status, error: expect.any(String), message: expect.stringContaining(words) })
  expect((await app.owner('/api/messages')).body.data).toEqual([])
})

test('a group gets a text and a file, by an id that names it', async () => {
  const chatId = '120363040000000000@g.us'
  const file = { data: samples.pdf.toString('base64'), filename: 'Nota.pdf' }
  for (const [path, content] of [
    ['sendText', { text: 'Rapat jam 8' }],
    ['sendFile', { file }],
  ] as const) {
    const { status, said } = await post(path, { chatId, ...content })
    expect([status, said.to, said.key]).toEqual([201, chatId, expect.objectContaining({ remoteJid: chatId })])
    expect(said.id).toMatch(/^true_120363040000000000@g\.us_[0-9A-F]{32}$/)
    expect((await messageOf(said)).recipient).toBe(chatId)
  }
})

test('a linked number takes a group by its id, and the message names it', async () => {
  const device = await app.key({ sender: await app.sender('linked') })
  const head = [`POST ${API}/sendText HTTP/1.1`, `X-Api-Key: ${device}`, JSON_TYPE]
  const named = JSON.stringify({ ...TEXT, chatId: '120363040000000000@g.us' })
  const { status, said } = await say(head, named)
  expect([status, said.statusCode]).toEqual([201, undefined])
  const { id } = await messageOf(said)
  expect((await app.owner<{ group: string }>(`/messages/${id}`)).body.data.group).toBe('120363040000000000@g.us')
})

test('unknown paths and methods are refused in the form of WAHA', async () => {
  for (const [call, status] of [
    ['POST /compat/waha/api/sessions/default/start/now', 404],
    ['GET /compat/waha/api/default/auth/qr', 404],
    ['PUT /compat/waha/api/sessions/default', 422],
    ['DELETE /compat/waha/api/sessions/default', 405],
    ['GET /compat/waha/nothing', 404],
  ] as const) {
    const answer = await say([`${call} HTTP/1.1`, `X-Api-Key: ${key}`])
    expect(answer, call).toMatchObject({ status, said: { statusCode: status, message: expect.any(String) } })
  }
})

test('a wrong key and none are 401', async () => {
  for (const header of ['X-Api-Key: nonsense', 'Accept: */*']) {
    const answer = await say([`POST ${API}/sendText HTTP/1.1`, header, JSON_TYPE], JSON.stringify(TEXT))
    expect(answer).toEqual({
      status: 401,
      said: { statusCode: 401, message: expect.stringMatching('^Unauthorized') },
    })
  }
})

test('a file in the body may have 8 MiB, and no form is taken', async () => {
  const data = Buffer.concat([samples.pdf, Buffer.alloc(8 * 1024 * 1024)]).toString('base64')
  const file = { mimetype: 'application/pdf', filename: 'a.pdf' }
  const small = { ...file, data: data.slice(0, 10 * 1024 * 1024) }
  expect((await post('sendFile', { chatId: TEXT.chatId, file: small })).status).toBe(201)
  const large = await post('sendFile', { chatId: TEXT.chatId, file: { ...file, data } })
  expect(large).toMatchObject({ status: 413, said: { statusCode: 413, error: 'Payload Too Large' } })
  const form = [`POST ${API}/sendText HTTP/1.1`, `X-Api-Key: ${key}`, 'Content-Type: application/x-www-form-urlencoded']
  expect((await say(form, 'chatId=6281234567890&text=Halo')).status).toBe(415)
})

test('the same Idempotency-Key is the same message, with a file too', async () => {
  const data = samples.pdf.toString('base64')
  const bodies = [TEXT, { chatId: TEXT.chatId, file: { data, filename: 'Nota.pdf' } }]
  for (const [at, body] of bodies.entries()) {
    const send = () => post(at === 0 ? 'sendText' : 'sendFile', body, `Idempotency-Key: INV-${at}`)
    const [first, again] = [await send(), await send()]
    expect(again).toEqual(first)
    expect(first.status).toBe(201)
  }
  expect((await app.owner('/api/messages')).body.data).toHaveLength(2)
})

test('a customer who wants no messages gets none', async () => {
  await app.owner('/suppressions', { body: { phone: '6281234567890', scope: 'all' } })
  expect(await post('sendText', TEXT)).toMatchObject({ status: 409, said: { statusCode: 409, error: 'Conflict' } })
})

describe('a session is a sender', () => {
  const namesOf = async (secret: string) =>
    (await get<{ name: string }[]>('sessions', secret)).said.map(({ name }) => name).toSorted()

  test('`default` is the only linked one; several have their codes', async () => {
    const all = await app.key()
    expect(await namesOf(all)).toEqual([SANDBOX])
    const first = await app.sender('linked')
    expect(await namesOf(all)).toEqual([SANDBOX, 'default'])
    const one = await get(`sessions/${first}`, all)
    expect(one).toMatchObject({ status: 200, said: { name: 'default', status: 'SCAN_QR_CODE', me: null } })
    const second = await app.sender('linked')
    expect(await namesOf(all)).toEqual([SANDBOX, first, second].toSorted())
    expect(await get('sessions/default', all)).toMatchObject({ status: 400, said: { statusCode: 400 } })
    expect(await get('sessions/nothing', all)).toMatchObject({ status: 404, said: { error: 'Not Found' } })
  })

  test('a device key names no other, and that of the sandbox rehearses for all', async () => {
    const [own, other] = [await app.sender('linked'), await app.sender('linked')]
    const device = await app.key({ sender: own })
    expect(await namesOf(device)).toEqual(['default'])
    expect((await get(`sessions/${own}`, device)).status).toBe(200)
    expect((await get(`sessions/${other}`, device)).status).toBe(403)
    const rehearsed = await post('sendText', { ...TEXT, session: other })
    expect((await messageOf(rehearsed.said)).senderId).toBe(app.app.store.senders.byCode(SANDBOX)?.id)
  })
})

test('programs that start a session, or look who it is, are told how it is; none is stopped', async () => {
  const all = await app.key()
  const code = await app.sender('linked')
  const start = (name: string) =>
    say([`POST ${API}/sessions/${name}/start HTTP/1.1`, `X-Api-Key: ${all}`, JSON_TYPE], '{}')
  expect(await start('default')).toMatchObject({
    status: 201,
    said: { name: 'default', status: 'SCAN_QR_CODE', me: null },
  })
  expect(await start('nothing')).toMatchObject({ status: 404, said: { error: 'Not Found' } })
  expect(await get(`sessions/${code}/me`, all)).toEqual({ status: 200, said: null })
  // The address that it had before 2024.
  for (const body of [{ name: 'default', config: { webhooks: [] } }, { name: code }, {}])
    expect(await post('sessions/start', body)).toMatchObject({ status: 201, said: { name: 'default' } })
  const { senders } = app.app.store
  const id = senders.byCode(code)?.id ?? 0
  await senders.change(id, () => ({ phone: '6281234567890', state: 'connected' }))
  expect((await start(code)).said).toMatchObject({ status: 'WORKING', me: { id: '6281234567890@c.us' } })
  expect((await get(`sessions/${code}/me`, all)).said).toEqual({
    id: '6281234567890@c.us',
    pushName: expect.any(String),
  })
  for (const action of ['stop', 'restart', 'logout'])
    expect(await post(`sessions/default/${action}`, {})).toMatchObject({ status: 422, said: { statusCode: 422 } })
})

test('the version is there for programs that look for one', async () => {
  for (const path of ['version', 'server/version']) {
    expect((await get(path)).said).toMatchObject({ version: expect.stringMatching(/^20\d\d\./), engine: 'NOWEB' })
  }
  expect((await say([`GET /compat/waha/ping HTTP/1.1`, `X-Api-Key: ${key}`])).said).toEqual({ message: 'pong' })
})

test('refused calls are listed; no key is in a log or an answer', async () => {
  await post('sendPoll', TEXT)
  const secret = 'kurir_d_secret-that-nobody-may-read'
  const wrong = await sendBytes(app, [`POST ${API}/sendText HTTP/1.1`, `X-Api-Key: ${secret}`, JSON_TYPE], '{}')
  const refused = (await app.owner('/api/refused-calls')).text
  expect(refused).toContain(`${API}/{action}`)
  for (const text of [secret, key]) expect([app.logs(), refused, wrong.headers + wrong.body].join()).not.toContain(text)
})

test('while the owner has it off its paths are unknown', async () => {
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_waha: false } })
  expect(await post('sendText', TEXT)).toMatchObject({ status: 404, said: { error: { code: 'not_found' } } })
  expect((await get('sessions')).status).toBe(404)
})
