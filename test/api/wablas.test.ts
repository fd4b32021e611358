import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { DAY } from '../../server/lib/clock.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { sendBytes } from '../support/http-bytes.ts'

interface Said {
  status: boolean
  message: string
  data?: { messages: { id: string; phone: string; message: string | null; status: string; ref_id: string }[] }
}

let app: TestApp
let key: string

beforeEach(async () => {
  app = await startApp()
  key = await app.key({ sender: SANDBOX })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_wablas: true } })
})

const API = '/compat/wablas/api'
const FORM = 'Content-Type: application/x-www-form-urlencoded'
const JSON_TYPE = 'Content-Type: application/json'

async function say(head: string[], body?: string): Promise<{ status: number; said: Said }> {
  const answer = await sendBytes(app, head, body)
  return { status: answer.status, said: JSON.parse(answer.body) as Said }
}

const post = (path: string, body: string, type = FORM, token = key) =>
  say([`POST ${API}/${path} HTTP/1.1`, `Authorization: ${token}`, type], body)

test('a file that comes along is refused: it would be a text without its file', async () => {
  const form = new FormData()
  form.set('phone', '628123456789')
  form.set('message', 'Nota terlampir')
  form.set('file', new Blob(['%PDF-1.4']), 'nota.pdf')
  const sent = new Request('http://127.0.0.1/', { method: 'POST', body: form })
  const { status, said } = await post(
    'send-message',
    await sent.text(),
    `Content-Type: ${sent.headers.get('content-type')}`,
  )
  expect([status, said.status]).toEqual([400, false])
  expect(said.message).toContain('put it at an address')
  expect((await app.owner('/messages')).body.data).toEqual([])
})

describe('ways in which public programs call Wablas', () => {
  test('PHP with curl and http_build_query (a payroll, kudus.wablas.com)', async () => {
    const { status, said } = await post('send-message', 'phone=08123456789&message=Gaji+sudah+cair&secret=0&priority=0')
    expect(status).toBe(200)
    expect(said).toMatchObject({ status: true, message: 'Message is pending and waiting to be processed' })
    const [one] = said.data?.messages ?? []
    const told = { phone: '628123456789', message: 'Gaji sudah cair', status: 'pending', ref_id: '' }
    expect(one).toEqual({ id: expect.any(String), ...told })
    expect((await app.message(one?.id ?? '')).body).toBe('Gaji sudah cair')
  })

  test('PHP with file_get_contents (a shop’s orders, sambi.wablas.com)', async () => {
    const head = [`GET ${API}/send-message?token=${key}&phone=628123456789&message=Pesanan+dibatalkan HTTP/1.1`]
    const [first, again] = [await say(head), await say(head)]
    expect(first.said.status).toBe(true)
    expect(again.said.data?.messages[0]?.id).toBe(first.said.data?.messages[0]?.id)
  })

  test('Laravel, asForm with token and secret joined by a dot (a pharmacy, sby.wablas.com)', async () => {
    const body = 'phone=628123456789&message=Obat+siap&isGroup=false'
    for (const token of [`${key}.k3y`, `${key}.`, `"${key}.k3y"`]) {
      expect((await post('send-message', body, FORM, token)).said.status).toBe(true)
    }
  })

  test('PHP with a list as JSON, version 2 (the documentation)', async () => {
    const data = [
      { phone: '628111111111', message: 'Satu', secret: false, isGroup: false, ref_id: 'INV-1' },
      { phone: 628222222222, message: 'Dua' },
    ]
    for (const path of ['v2/send-message', 'send-message']) {
      const { said } = await post(path, JSON.stringify({ data }), JSON_TYPE)
      expect(said.data?.messages.map(({ message, ref_id }) => [message, ref_id])).toEqual([
        ['Satu', 'INV-1'],
        ['Dua', ''],
      ])
    }
  })

  test.each(['image', 'document', 'video', 'audio'])(
    'PHP that sends the address of a %s (the documentation)',
    async (kind) => {
      const file = 'http://127.0.0.1:9/nota.pdf'
      const body = JSON.stringify({ phone: '628111111111', [kind]: file, caption: null })
      const { said } = await post(`send-${kind}`, body, JSON_TYPE)
      expect(await app.message(said.data?.messages[0]?.id ?? '')).toMatchObject({ file, body: '' })
    },
  )

  test('a look at the device by token (the documentation)', async () => {
    const { status, said } = await say([`GET ${API}/device/info?token=${key} HTTP/1.1`])
    expect(status).toBe(200)
    expect(said).toMatchObject({ status: true, data: { serial: SANDBOX, status: 'connected', active: true } })
  })
})

const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')

describe('a file that comes along', () => {
  const base64 = PDF.toString('base64')
  const fields = { phone: '08123456789', file: base64, data: JSON.stringify({ name: 'nota 7.pdf', error: 0, size: 9 }) }

  test.each<[string, string, string]>([
    ['PHP with http_build_query (the documentation)', new URLSearchParams(fields).toString(), FORM],
    ['Laravel, as JSON (a billing program)', JSON.stringify({ ...fields, caption: null }), JSON_TYPE],
    [
      'PHP with curl and an array (the documentation)',
      `${Object.entries(fields)
        .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
        .join('')}--b--\r\n`,
      'Content-Type: multipart/form-data; boundary=b',
    ],
  ])('%s', async (_who, body, type) => {
    const { status, said } = await post('send-document-from-local', body, type)
    expect(said).toMatchObject({ status: true, data: { messages: [{ phone: '628123456789', message: null }] } })
    expect(status).toBe(200)
    const { file, body: caption } = await app.message(said.data?.messages[0]?.id ?? '')
    const row = await app.app.store.uploads.get(file?.replace(/^upload:/, '') ?? '')
    expect(row).toMatchObject({ name: 'nota 7.pdf', size: PDF.length })
    expect(caption).toBe('')
  })

  test('has the name that the program wants, and a caption', async () => {
    const body = new URLSearchParams({ ...fields, filename: 'INV-7.pdf', caption: 'Nota' }).toString()
    const { said } = await post('send-image-from-local', body)
    expect(await app.message(said.data?.messages[0]?.id ?? '')).toMatchObject({ body: 'Nota', filename: 'INV-7.pdf' })
  })

  test.each<[string, string, string]>([
    ['is missing', 'phone=628111111111', 'file: is required'],
    ['is missing behind its name', 'filename=nota.pdf&phone=628111111111', 'file: is required'],
    ['is empty', 'phone=628111111111&file=', 'file: is required'],
    ['is none', 'phone=628111111111&file=%2Fhome%2Fnota.pdf', 'file: is not base64'],
    ['is one of two', 'phone=628111111111&file=JVBERi0xLjQK&file_id=x', 'file_id: '],
  ])('and %s is refused', async (_what, body, words) => {
    const { status, said } = await post('send-document-from-local', body)
    expect([status, said.message]).toEqual([400, expect.stringContaining(words)])
    expect((await app.owner('/messages')).body.data).toEqual([])
    expect(readdirSync(join(app.home, 'files'))).toEqual([])
  })
})

describe('a text for later', () => {
  const zone = { timezone: 'Asia/Jayapura' }
  const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

  test('leaves when clocks of its time zone show the time (the documentation)', async () => {
    const [day, body] = [inDays(3), { phone: '08123456789', message: 'Besok kontrol', isGroup: 'false', ...zone }]
    const sent = new URLSearchParams({ ...body, date: day, time: '13:20:00' }).toString()
    const { status, said } = await say([`POST ${API}/schedule HTTP/1.1`, `Authorization: ${key}`, FORM], sent)
    const messages = [
      { id: expect.any(String), phone: '628123456789', message: 'Besok kontrol', status: true, ...zone },
    ]
    expect([status, said]).toEqual([
      200,
      {
        status: true,
        category: 'text',
        message: 'Scheduled Messages is succesfully saved and waiting to be processed',
        'phones list': ['628123456789'],
        messages: [{ ...messages[0], schedule_at: `${day} 13:20:00` }],
      },
    ])
    const { id = '' } = (said as unknown as { messages: { id: string }[] }).messages[0] ?? {}
    expect(await app.message(id)).toMatchObject({ status: 'queued', nextAt: Date.parse(`${day}T04:20:00Z`) })
    for (const [method, path, words] of [
      ['PUT', 'schedule-cancel', 'schedule canceled successfully'],
      ['DELETE', 'schedule', 'Only a message that is still queued can be cancelled.'],
    ]) {
      const answer = await say([`${method} ${API}/${path}/${id} HTTP/1.1`, `Authorization: ${key}`])
      expect(answer.said.message).toBe(words)
    }
    expect(await app.message(id)).toMatchObject({ status: 'cancelled' })
  })

  test('has the time zone of this PC where it names none, and may come in a list', async () => {
    const day = inDays(2)
    const data = [{ category: 'text', phone: '628123456789', scheduled_at: `${day} 09:05:00`, text: 'Halo kakak' }]
    const { said } = await post('v2/schedule', JSON.stringify({ data }), JSON_TYPE)
    const [{ id, schedule_at } = {}] = (said as unknown as { messages: { id: string; schedule_at: string }[] }).messages
    expect(schedule_at).toBe(`${day} 09:05:00`)
    expect((await app.message(id ?? '')).nextAt).toBe(new Date(`${day}T09:05:00`).getTime())
  })

  test.each<[string, Record<string, string>, string]>([
    ['a day that there is not', { date: '2026-02-31', time: '09:00' }, 'date: '],
    ['a time that is none', { date: inDays(1), time: 'noon' }, 'date: '],
    ['a time zone that there is not', { date: inDays(1), time: '9:00', timezone: 'Asia/Jogja' }, 'timezone: '],
    ['a day too far away', { date: inDays(40), time: '09:00' }, 'date: '],
    ['no day', { time: '09:00' }, 'date: is required'],
  ])('%s is refused', async (_what, more, words) => {
    const body = new URLSearchParams({ phone: '628123456789', message: 'x', ...more }).toString()
    const { status, said } = await post('schedule', body)
    expect([status, said.message]).toEqual([400, expect.stringContaining(words)])
  })

  test('of another sender cannot be cancelled', async () => {
    const answer = await say([
      `DELETE ${API}/schedule/01a00000-0000-7000-8000-000000000000 HTTP/1.1`,
      `Authorization: ${key}`,
    ])
    expect([answer.status, answer.said.message]).toEqual([400, 'schedule not found'])
  })
})

test('several texts as one call, by the older name (PHP and Axios)', async () => {
  const data = [1, 2].map((n) => ({ phone: `62811111111${n}`, message: `Halo ${n}`, secret: false, priority: false }))
  const { said } = await post('v2/send-bulk/text', JSON.stringify({ data }), JSON_TYPE)
  expect(said.data?.messages.map(({ message }) => message)).toEqual(['Halo 1', 'Halo 2'])
})

test('the number of an order is taken as it is written, and none where it is empty', async () => {
  const data = [1001, null, 'INV-1'].map((ref_id, at) => ({ phone: `62811111111${at}`, message: 'Halo', ref_id }))
  const { said } = await post('v2/send-message', JSON.stringify({ data }), JSON_TYPE)
  expect(said.data?.messages.map(({ ref_id }) => ref_id)).toEqual(['1001', '', 'INV-1'])
})

test.each<[string, string, string]>([
  ['no phone', 'message=Halo', 'phone: is required'],
  ['no text', 'phone=628111111111', 'message'],
  ['a number that is none', 'phone=x&message=Halo', 'x: must be a phone number'],
])('%s is 400 in the form of Wablas', async (_what, body, words) => {
  const { status, said } = await post('send-message', body)
  expect(status).toBe(400)
  expect(said).toEqual({ status: false, message: expect.stringContaining(words) })
})

test.each<[string, object, string]>([
  [
    'an entry without a text',
    { data: [{ phone: '0811', message: 'Halo' }, { phone: '0812' }] },
    'data.1.message: is required',
  ],
  ['a list that is none', { data: '[]' }, 'data: must be a list, not text'],
  ['neither', {}, 'phone: is required'],
])('%s is named by its place', async (_what, body, words) => {
  const { said } = await post('v2/send-message', JSON.stringify(body), JSON_TYPE)
  expect(said).toEqual({ status: false, message: expect.stringContaining(words) })
})

test('a call that Kurir does not know is refused in the form of Wablas', async () => {
  const { status, said } = await post('v2/send-button', '{}', JSON_TYPE)
  expect([status, said]).toEqual([
    400,
    { status: false, message: expect.stringMatching(/^There is nothing at .+ at \/docs\.$/) },
  ])
})

test.each([
  ['v2/send-image', 'image'],
  ['v2/send-document', 'document'],
  ['v2/send-video', 'video'],
  ['v2/send-audio', 'audio'],
])('files in a list are sent by %s, as Python and NestJS call it', async (path, member) => {
  const url = 'http://127.0.0.1:9/nota.pdf'
  const data = [{ phone: '628111111111', [member]: url, caption: 'Nota', isGroup: false, retry: false, secret: false }]
  const { status, said } = await post(path, JSON.stringify({ data }), JSON_TYPE)
  expect(status).toBe(200)
  expect(await app.message(said.data?.messages[0]?.id ?? '')).toMatchObject({ file: url, body: 'Nota' })
})

test.each([
  ['120363025', 'true'],
  ['120363025@g.us', 'true'],
  // Python's requests.post(data={'isGroup': True}).
  ['120363025', 'True'],
])('a group is written to by its id %s, isGroup=%s', async (id, isGroup) => {
  const { status, said } = await post('send-message', `phone=${id}&message=Halo&isGroup=${isGroup}`)
  expect(status).toBe(200)
  expect(await app.message(said.data?.messages[0]?.id ?? '')).toMatchObject({ recipient: '120363025@g.us' })
})

test('a wrong key, and one in an address that a web page calls, is 401', async () => {
  const wrong = await post('send-message', 'phone=628111111111&message=Halo', FORM, 'nonsense')
  const address = `GET ${API}/send-message?token=${key}&phone=628111111111&message=Halo HTTP/1.1`
  for (const { status, said } of [wrong, await say([address, 'Origin: null'])]) {
    expect(status).toBe(401)
    expect(said).toEqual({ status: false, message: expect.stringMatching('^token invalid or device expired') })
  }
  expect((await app.owner('/api/messages')).body.data).toEqual([])
})

test('while the owner has it off its paths are unknown', async () => {
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_wablas: false } })
  expect((await post('send-message', 'phone=628111111111&message=Halo')).status).toBe(404)
})

test('more numbers than a call may have are refused before one is read', async () => {
  const entry = { phone: '1,'.repeat(300), message: 'x' }
  const data = [{ phone: '628111111111', message: 'x' }, entry, entry]
  const { status, said } = await post('v2/send-message', JSON.stringify({ data }), JSON_TYPE)
  expect([status, said.message]).toEqual([400, expect.stringContaining('500')])
})
