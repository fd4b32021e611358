import { beforeEach, describe, expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { sendBytes } from '../support/http-bytes.ts'
import { samples } from '../support/samples.ts'

interface Said {
  messaging_product?: string
  contacts?: { input: string; wa_id: string }[]
  messages?: { id: string; message_status?: string }[]
  error?: { message: string; code: number; error_subcode?: number; error_data: { details: string } }
}

let app: TestApp
let key: string

beforeEach(async () => {
  app = await startApp()
  key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_cloud: true } })
})

const BASE = '/compat/cloud/v26.0'
const JSON_TYPE = 'Content-Type: application/json'

async function say(at: TestApp, head: string[], body?: string): Promise<{ status: number; said: Said }> {
  const answer = await sendBytes(at, head, body)
  return { status: answer.status, said: JSON.parse(answer.body) as Said }
}

const post = (body: unknown, id = SANDBOX, ...headers: string[]) =>
  say(
    app,
    [`POST ${BASE}/${id}/messages HTTP/1.1`, `Authorization: Bearer ${key}`, JSON_TYPE, ...headers],
    JSON.stringify(body),
  )

/** The message that an answer names. */
async function messageOf({ messages }: Said, at = app) {
  const hex = Buffer.from(messages?.[0]?.id.replace('wamid.', '') ?? '', 'base64').toString('hex')
  return at.message(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

const TEXT = { messaging_product: 'whatsapp', to: '6281234567890', type: 'text', text: { body: 'Halo' } }
const SENT = {
  messaging_product: 'whatsapp',
  contacts: [{ input: '6281234567890', wa_id: '6281234567890' }],
  messages: [{ id: expect.stringMatching(/^wamid\.[\w+/]{22}==$/) }],
}

describe('ways in which public programs call the Cloud API', () => {
  test('heyoo, requests with its own base (Neurotech-HQ/heyoo, send_message)', async () => {
    const body =
      '{"messaging_product": "whatsapp", "recipient_type": "individual", "to": "6281234567890", "type": "text", "text": {"preview_url": true, "body": "Pesanan siap \\ud83d\\ude4f"}}'
    const { status, said } = await say(
      app,
      [
        `POST /compat/cloud/v14.0/${SANDBOX}/messages HTTP/1.1`,
        'User-Agent: python-requests/2.32.3',
        'Accept-Encoding: gzip, deflate',
        'Accept: */*',
        JSON_TYPE,
        `Authorization: Bearer ${key}`,
      ],
      body,
    )
    expect({ status, said }).toEqual({ status: 200, said: SENT })
    expect((await messageOf(said)).body).toBe('Pesanan siap 🙏')
  })

  test('netflie/whatsapp-cloud-api, Guzzle: a document by its address (a Laravel channel)', async () => {
    const link = 'http://127.0.0.1:9/nota.pdf'
    const { said } = await post({
      ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: '+62 812-3456-7890', type: 'document' },
      document: { caption: 'Nota', filename: 'INV-1.pdf', link },
    })
    expect(said.contacts).toEqual([{ input: '+62 812-3456-7890', wa_id: '6281234567890' }])
    expect(await messageOf(said)).toMatchObject({ file: link, filename: 'INV-1.pdf', body: 'Nota' })
  })

  test.each(['image', 'video', 'audio'])('pywa, httpx: %s by its address, with a tracker', async (type) => {
    const link = 'http://127.0.0.1:9/a.bin'
    const media = type === 'audio' ? { link } : { link, caption: null }
    const { status, said } = await post({
      ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: '6281234567890', type },
      ...{ [type]: media, biz_opaque_callback_data: 'INV-1' },
    })
    expect(status).toBe(200)
    const message = await messageOf(said)
    expect(message).toMatchObject({ file: link, body: '' })
    expect(JSON.parse(message.metadata ?? '')).toEqual({ biz_opaque_callback_data: 'INV-1' })
  })

  test('curl of Meta’s first page, without a type and the number as a number', async () => {
    const { said } = await post({ messaging_product: 'whatsapp', to: 6281234567890, text: { body: 'Halo' } })
    expect(said).toEqual(SENT)
  })

  test('serialisers that write empty texts for what was left out', async () => {
    const upload = await app.call<{ file_id: string }>(key, '/files', samples.pdf, {
      headers: { 'content-type': 'application/pdf' },
    })
    const document = { link: '', id: upload.body.data.file_id, caption: '', filename: '' }
    const empty = { recipient_type: '', context: { message_id: '' } }
    const { said } = await post({ ...TEXT, ...empty, type: 'document', document })
    expect(said).toEqual(SENT)
    expect((await messageOf(said)).file).toMatch(/^upload:/)
  })

  test('heyoo and pywa, a form with the file first, and its id in the message (upload_media)', async () => {
    const parts = [
      'Content-Disposition: form-data; name="file"; filename="Nota.pdf"\r\nContent-Type: application/pdf\r\n\r\n',
      samples.pdf.toString('latin1'),
      '\r\n--b\r\nContent-Disposition: form-data; name="messaging_product"\r\n\r\nwhatsapp\r\n',
      '--b\r\nContent-Disposition: form-data; name="type"\r\n\r\napplication/pdf\r\n--b--\r\n',
    ]
    const stored = await sendBytes(
      app,
      [
        `POST ${BASE}/${SANDBOX}/media HTTP/1.1`,
        `Authorization: Bearer ${key}`,
        'Content-Type: multipart/form-data; boundary=b',
      ],
      Buffer.from(`--b\r\n${parts.join('')}`, 'latin1'),
    )
    expect([stored.status, stored.body]).toEqual([200, expect.stringMatching(/^\{"id":"[\w-]+"\}$/)])
    const { id } = JSON.parse(stored.body) as { id: string }
    const { said } = await post({ to: TEXT.to, type: 'document', document: { id, caption: 'Nota' } })
    expect(await messageOf(said)).toMatchObject({ file: `upload:${id}`, body: 'Nota' })
  })

  test('curl of Meta’s page for groups, with a group of the linked number (Groups API, “Group messaging”)', async () => {
    const group = '120363404694233820@g.us'
    const { status, said } = await post({
      ...{ messaging_product: 'whatsapp', recipient_type: 'group', to: group, type: 'text' },
      text: { preview_url: true, body: 'This is another destination option' },
    })
    const contacts = [{ input: group, wa_id: group }]
    expect({ status, said }).toEqual({ status: 200, said: { ...SENT, contacts } })
    expect(await messageOf(said)).toMatchObject({ recipient: group, body: 'This is another destination option' })
  })

  test('a document to a group by its exact name', async () => {
    const link = 'http://127.0.0.1:9/nota.pdf'
    const { said } = await post({ recipient_type: 'group', to: 'Kitchen', type: 'document', document: { link } })
    expect(said.contacts).toEqual([{ input: 'Kitchen', wa_id: '120363000000000101@g.us' }])
    expect((await messageOf(said)).file).toBe(link)
  })

  test('an Odoo module whose token stands in the address (tus_meta_whatsapp_base, requests)', async () => {
    const at = (path: string) => `${BASE}/${path}?access_token=${key}`
    const form = 'Content-Type: application/x-www-form-urlencoded'
    const look = await say(app, [`GET ${at(SANDBOX)} HTTP/1.1`, form], 'full=True')
    expect(look).toMatchObject({ status: 200, said: { id: SANDBOX } })
    const answer = await sendBytes(app, [`POST ${at(`${SANDBOX}/messages`)} HTTP/1.1`, JSON_TYPE], JSON.stringify(TEXT))
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, SENT])
    expect(answer.headers.toLowerCase()).not.toContain('x-unknown-members')
  })

  test('a look whether all is set up', async () => {
    const { status, said } = await say(app, [
      `GET ${BASE}/${SANDBOX}?fields=verified_name,quality_rating HTTP/1.1`,
      `Authorization: Bearer ${key}`,
    ])
    expect({ status, said }).toEqual({
      status: 200,
      said: { id: SANDBOX, verified_name: 'Sandbox', display_phone_number: '', quality_rating: 'UNKNOWN' },
    })
  })
})

test('a mark as read, which bots make before they answer, changes nothing', async () => {
  const body = {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: 'wamid.x',
    typing_indicator: { type: 'text' },
  }
  expect(await post(body)).toEqual({ status: 200, said: { success: true } })
  expect(await post(body, '123')).toMatchObject({ status: 400, said: { error: { code: 100, error_subcode: 33 } } })
  expect((await app.owner('/api/messages')).body.data).toEqual([])
})

test.each<[string, object, number, number, string]>([
  ['no recipient', { text: { body: 'Halo' } }, 400, 131008, 'to: is required'],
  ['no text', { to: '6281234567890', type: 'text' }, 400, 131008, 'text: is required'],
  ['a number that is none', { ...TEXT, to: 'x' }, 400, 131009, 'phone'],
  ['a channel', { ...TEXT, recipient_type: 'channel' }, 400, 131051, 'only individual and group'],
  ['buttons', { ...TEXT, type: 'interactive', interactive: {} }, 400, 131051, 'interactive is not possible'],
  ['a reaction', { ...TEXT, type: 'reaction', reaction: {} }, 400, 131051, 'reaction is not possible'],
  ['another mark', { messaging_product: 'whatsapp', status: 'deleted', message_id: 'w' }, 400, 131051, 'only read'],
  ['an answer to a message', { ...TEXT, context: { message_id: 'wamid.x' } }, 400, 131051, 'context'],
  [
    'a file that is unknown',
    { to: TEXT.to, type: 'image', image: { id: '1013859600285441' } },
    400,
    131009,
    'image.id',
  ],
  ['another product', { ...TEXT, messaging_product: 'sms' }, 400, 131009, 'messaging_product'],
])('%s is refused in the form of Meta', async (_what, body, status, code, words) => {
  const answer = await post(body)
  expect(answer.status).toBe(status)
  expect(answer.said).toEqual({
    error: {
      message: expect.stringMatching(`^\\(#${code}\\) `),
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details: expect.stringContaining(words) },
      fbtrace_id: expect.stringMatching(/^A\w{22}$/),
    },
  })
  expect((await app.owner('/api/messages')).body.data).toEqual([])
})

test('a wrong token, none, and one in the address of a tunnel are 401 with code 190', async () => {
  for (const [path, header] of [
    [`${BASE}/${SANDBOX}/messages`, 'Authorization: Bearer EAAnonsense'],
    [`${BASE}/${SANDBOX}/messages`, 'Accept: */*'],
    [`${BASE}/${SANDBOX}/messages?access_token=${key}`, 'X-Forwarded-For: 203.0.113.9'],
    [`${BASE}/${SANDBOX}/messages?access_token=EAAnonsense`, 'Accept: */*'],
  ]) {
    const { status, said } = await say(app, [`POST ${path} HTTP/1.1`, `${header}`, JSON_TYPE], JSON.stringify(TEXT))
    expect([status, said.error?.code]).toEqual([401, 190])
  }
  expect(app.logs()).not.toContain(key)
})

test('the same Idempotency-Key is the same message', async () => {
  const send = () => post(TEXT, SANDBOX, 'Idempotency-Key: INV-1')
  const [first, again] = [await send(), await send()]
  expect(again).toEqual(first)
  expect((await app.owner('/api/messages')).body.data).toHaveLength(1)
})

test('a customer who wants no messages gets none', async () => {
  await app.owner('/suppressions', { body: { phone: '6281234567890', scope: 'all' } })
  expect(await post(TEXT)).toMatchObject({ status: 400, said: { error: { code: 131050 } } })
})

test('a file that was sent to /files goes by its id', async () => {
  const stored = await app.call<{ file_id: string }>(key, '/files', 'Halo', {
    headers: { 'content-type': 'text/plain' },
  })
  const { said } = await post({ to: TEXT.to, type: 'document', document: { id: stored.body.data.file_id } })
  expect((await messageOf(said)).file).toBe(`upload:${stored.body.data.file_id}`)
})

test('unknown paths are refused in the form of Meta', async () => {
  for (const call of [
    `POST ${BASE}/${SANDBOX}/register`,
    `GET ${BASE}/1022/message_templates/x`,
    'GET /compat/cloud/x',
  ]) {
    const { status, said } = await say(app, [`${call} HTTP/1.1`, `Authorization: Bearer ${key}`])
    expect([status, said.error?.code], call).toEqual([400, 2500])
  }
  const empty = await say(
    app,
    [`POST ${BASE}/${SANDBOX}/media HTTP/1.1`, `Authorization: Bearer ${key}`, JSON_TYPE],
    '{}',
  )
  expect([empty.status, empty.said.error?.code]).toEqual([400, 131008])
})

test('an id that nobody has is Meta’s error 100 with subcode 33', async () => {
  const answer = await post(TEXT, '106540352242922')
  expect(answer).toMatchObject({ status: 400, said: { error: { code: 100, error_subcode: 33 } } })
})

test('while the owner has it off its paths are unknown', async () => {
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_cloud: false } })
  expect(await post(TEXT)).toMatchObject({ status: 404, said: { error: { code: 'not_found' } } })
})
