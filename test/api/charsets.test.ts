import { hash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ErrorAnswer } from '../../server/contract/errors.ts'
import { jsonFault } from '../../server/lib/json.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { CUSTOMER, startShop } from '../support/shop.ts'

const app = await startApp({ lives: 'file' })
const key = await app.key({ sender: SANDBOX })

interface Sent {
  status: number
  assumed: unknown
  /** As it was accepted, or why it was not. */
  text: string
  error: ErrorAnswer['error'] | undefined
}

/** Sends bytes and reads back the text that was accepted. */
async function send(body: Buffer | string, headers: Record<string, string>): Promise<Sent> {
  const auth = (headers.authorization ?? headers['x-api-key']) ? {} : { authorization: `Bearer ${key}` }
  const answer = await app.fetch<{ id: string }>('/send', { method: 'POST', headers: { ...auth, ...headers }, body })
  const id = answer.body.data?.id
  const found = id === undefined ? undefined : await app.owner<{ message: string }>(`/messages/${id}`)
  return {
    status: answer.status,
    assumed: answer.headers['x-charset-assumed'],
    text: found?.body.data.message ?? answer.body.message,
    error: answer.body.error,
  }
}

const WORDS = {
  Indonesian: 'Terima kasih – “Toko Ayu”, total Rp 25.000',
  French: 'Déjà payé : 25 € à l’œuvre',
  German: 'Größe übrig, Straße',
  Spanish: '¡Mañana, señor!',
  Portuguese: 'Atenção às ações',
  Danish: 'Rødgrød på ø',
  Icelandic: 'Þórður ðað',
  Russian: 'Спасибо за заказ',
  Arabic: 'شكرا لك',
  Japanese: 'ありがとう 😀',
}
const LATIN = ['Indonesian', 'French', 'German', 'Spanish', 'Portuguese', 'Danish', 'Icelandic'] as const

const OF_WINDOWS: Record<string, number> = { '€': 0x80, '–': 0x96, '“': 0x93, '”': 0x94, '’': 0x92, œ: 0x9c }
const windows1252 = (text: string): Buffer => Buffer.from([...text].map((c) => OF_WINDOWS[c] ?? c.charCodeAt(0)))

const percent = (bytes: Buffer): string =>
  [...bytes].map((byte) => (byte === 0x20 ? '+' : `%${byte.toString(16).padStart(2, '0')}`)).join('')

/** Bodies with a text in given bytes, as programs write them. */
const BODIES: Record<string, (bytes: Buffer, charset: string) => { type: string; body: Buffer }> = {
  JSON: (bytes, charset) => ({
    type: `application/json${charset}`,
    body: Buffer.concat([Buffer.from(`{"phone":"${CUSTOMER}","message":"`), bytes, Buffer.from('"}')]),
  }),
  'URL-encoded': (bytes, charset) => ({
    type: `application/x-www-form-urlencoded${charset}`,
    body: Buffer.from(`phone=${CUSTOMER}&delay=&message=${percent(bytes)}`),
  }),
  'URL-encoded without escapes': (bytes, charset) => ({
    type: `application/x-www-form-urlencoded${charset}`,
    body: Buffer.concat([Buffer.from(`phone=${CUSTOMER}&message=`), bytes]),
  }),
  multipart: (bytes, charset) => ({
    type: `multipart/form-data; boundary=b${charset}`,
    body: Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="phone"\r\n\r\n${CUSTOMER}\r\n`),
      Buffer.from(
        `--b\r\nContent-Disposition: form-data; name="message"\r\nContent-Type: text/plain${charset}\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n--b--\r\n'),
    ]),
  }),
}

describe.each(Object.entries(BODIES))('%s', (_name, written) => {
  test.each(Object.entries(WORDS))('%s as UTF-8, named or not', async (_language, text) => {
    for (const charset of ['', '; charset=utf-8', '; charset="UTF-8"']) {
      const { type, body } = written(Buffer.from(text), charset)
      expect(await send(body, { 'content-type': type })).toMatchObject({ status: 200, text, assumed: undefined })
    }
  })

  test.each(LATIN)('%s as Windows-1252: named it is honoured, else it is assumed and said', async (language) => {
    const text = WORDS[language]
    const bytes = windows1252(text)
    for (const charset of ['; charset=windows-1252', '; charset=ISO-8859-1']) {
      const { type, body } = written(bytes, charset)
      expect(await send(body, { 'content-type': type })).toMatchObject({ status: 200, text, assumed: undefined })
    }
    const { type, body } = written(bytes, '')
    expect(await send(body, { 'content-type': type })).toMatchObject({ status: 200, text, assumed: 'windows-1252' })
  })
})

test('what a till writes in Windows-1252 is at the phone, letter for letter', async () => {
  const { app: shop, key: till, link, peer } = await startShop()
  await link()
  const { type, body } = BODIES.JSON?.(windows1252(WORDS.French), '') ?? { type: '', body: Buffer.alloc(0) }
  const headers = { authorization: till, 'content-type': type }
  const phone = peer.recipient(CUSTOMER)
  const answer = await shop.fetch<{ id: string }>('/send', { method: 'POST', headers, body })
  await shop.reached(answer.body.data.id, 'delivered', 'read')
  expect((await phone.messages()).map(({ text }) => text)).toEqual([WORDS.French])
})

test('the owner is told once a day which program writes another charset, also after many calls', async () => {
  const other = await app.key({ sender: SANDBOX, name: 'Kasir lama' })
  const { type, body } = BODIES.JSON?.(windows1252('é'), '') ?? { type: '', body: '' }
  for (let n = 0; n < 3; n += 1) await send(body, { 'content-type': type, authorization: `Bearer ${other}` })
  const { body: list } = await app.owner<{ key: string; code: string }[]>('/api/refused-calls')
  expect(list.data.filter((each) => each.key === 'Kasir lama').map(({ code }) => code)).toEqual(['charset_assumed'])
})

test('metadata in another charset come back as they were meant', async () => {
  const body = windows1252(`{"phone":"${CUSTOMER}","message":"x","metadata":{"nama":"Déjà"}}`)
  const answer = await app.fetch<{ metadata: object }>('/send', {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    body,
  })
  expect(answer.body.data.metadata).toEqual({ nama: 'Déjà' })
})

test.each([
  ['; charset=utf-8', 'charset=utf-8'],
  ['; charset=klingon', 'klingon is not known'],
])('a charset that cannot be right%s is refused in words', async (charset, words) => {
  const { type, body } = BODIES.JSON?.(windows1252('é'), charset) ?? { type: '', body: '' }
  const { status, text: said } = await send(body, { 'content-type': type })
  expect(status).toBe(415)
  expect(said).toContain(words)
})

describe('a key', () => {
  const text = JSON.stringify({ phone: CUSTOMER, message: 'x' })
  const json = { 'content-type': 'application/json' }

  test.each([
    ['after Bearer', { authorization: `Bearer ${key}` }],
    ['alone', { authorization: key }],
    ['in X-Api-Key', { 'x-api-key': key }],
    ['in quotation marks', { authorization: `Bearer "${key}"` }],
    ['after Bearer in X-Api-Key', { 'x-api-key': `Bearer ${key}` }],
    ['in angle brackets', { 'x-api-key': `<${key}>` }],
    ['in X-Api-Key beside the log-in of a proxy', { 'x-api-key': key, authorization: 'Basic dG9rbzp0b2tv' }],
  ])('is taken %s', async (_how, headers) => {
    expect((await send(text, { ...json, ...headers })).status).toBe(200)
  })

  test('that is written in another way is not called wrong', async () => {
    const { status, error, text: said } = await send(text, { ...json, authorization: `Token ${key}` })
    expect([status, error?.code]).toEqual([401, 'invalid_api_key'])
    expect(said).not.toContain('not valid')
    expect(said).toContain('Authorization: Bearer')
  })

  test('the token of the owner counts after Bearer alone', async () => {
    const token = app.app.ownerToken
    for (const headers of [{ authorization: token }, { 'x-api-key': token }])
      expect((await app.fetch('/api/settings', { headers })).status).toBe(403)
  })
})

test('a charset in which a form ends within a letter is refused in words', async () => {
  for (const [name, written] of Object.entries(BODIES)) {
    const { type, body } = written(Buffer.from('x'), '; charset=utf-16')
    expect([name, (await send(body, { 'content-type': type })).status]).toEqual([name, 415])
  }
})

test('JSON that is sent as a form is taken as JSON', async () => {
  const type = 'application/x-www-form-urlencoded'
  const text = JSON.stringify({ phone: CUSTOMER, message: 'a=b&c' })
  expect(await send(text, { 'content-type': type })).toMatchObject({ status: 200, text: 'a=b&c' })
})

describe('broken JSON names the place', () => {
  test.each([
    ['{"phone":"1"\n"message":"x"}', 'line 2, column 1: " does not belong there'],
    ['{"phone":"1","message":"a\nb"}', 'line break within a text at line 1, column 26'],
    ['{"phone":"C:\\data"}', 'backslash at line 1, column 13'],
    ["{'phone':'1'}", "has ' at line 1, column 2"],
    ['{"phone":"1","message":"x"', 'ends in the middle, at line 1, column 27'],
    ['{"phone":"1",}', 'line 1, column 14: } does not belong'],
    ['{"phone":01}', 'line 1, column 10: 0 does not belong'],
    ['{"phone":"1"} {}', 'line 1, column 15: { does not belong'],
    ['', 'ends in the middle, at line 1, column 1'],
  ])('%j', async (text, words) => {
    const { status, error, text: said } = await send(text, { 'content-type': 'application/json' })
    expect([status, error?.code]).toEqual([400, 'invalid_json'])
    expect(said).toContain(words)
  })

  test('the place is found where JSON.parse fails, and nowhere else', () => {
    const samples = [
      '{"a":[1,-0.5e3,true,null,"x\\u00e9\\n"],"b":{}}',
      '[]',
      '[[],{}]',
      ' "x" ',
      '0',
      '-1',
      '[1,2,{"a":"b"}]',
    ]
    const letters = '{}[]",:\\0-.eatu \u0001é\n'
    let seed = 7
    const random = (n: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % n
    }
    for (let n = 0; n < 20_000; n += 1) {
      const sample = samples[random(samples.length)] ?? ''
      const at = random(sample.length + 1)
      const text = sample.slice(0, at) + (letters[random(letters.length)] ?? '') + sample.slice(at + random(2))
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      expect(jsonFault(text) === undefined, text).toBe(isJson)
    }
  })
})

/** Fields as a multipart form, which names no file. */
function multipart(fields: Record<string, string>): [body: string, type: Record<string, string>] {
  const part = ([name, value]: [string, string]) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return [
    `${Object.entries(fields).map(part).join('')}--b--\r\n`,
    { 'content-type': 'multipart/form-data; boundary=b' },
  ]
}

describe('a file in the body', () => {
  const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')
  const json = { 'content-type': 'application/json' }
  const withFile = (file: string, more: object = {}) =>
    JSON.stringify({ phone: CUSTOMER, message: 'Nota', filename: 'nota.pdf', ...more, file })
  const address = (bytes: Buffer) => `data:application/pdf;base64,${bytes.toString('base64')}`

  async function fileOf(
    body: string,
    type: Record<string, string> = json,
  ): Promise<{ status: number; bytes?: number; sha256?: string; name?: string; message: string }> {
    const answer = await app.fetch<{ id: string }>('/send', {
      method: 'POST',
      headers: { ...type, authorization: key },
      body,
    })
    const id = answer.body.data?.id
    if (id === undefined) return { status: answer.status, message: answer.body.message }
    const { file } = (await app.app.store.messages.find({ id })) ?? {}
    const row = await app.app.store.uploads.get(file?.replace(/^.*:/, '') ?? '')
    return { status: answer.status, message: '', ...(row && { bytes: row.size, sha256: row.sha256, name: row.name }) }
  }

  test('is on disk before the 200, with its name', async () => {
    expect(await fileOf(withFile(address(PDF)))).toEqual({
      status: 200,
      message: '',
      bytes: PDF.length,
      sha256: hash('sha256', PDF),
      name: 'nota.pdf',
    })
    // As PHP writes slashes.
    const escaped = withFile(address(PDF)).replaceAll('/', '\\/')
    expect(await fileOf(escaped)).toMatchObject({ status: 200, bytes: PDF.length })
  })

  test.each([
    ['in lines, as MIME writes it', (text: string) => text.replace(/.{76}/g, '$&\\r\\n')],
    ['with signs that .NET escapes', (text: string) => text.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d')],
  ])('%s is the same file, also where a stretch ends', async (_how, written) => {
    for (const size of [200, 300_000]) {
      const bytes = Buffer.concat([PDF, Buffer.alloc(size, Buffer.from('fb+/', 'base64'))])
      const body = withFile('DATA').replace('DATA', () => written(address(bytes)))
      expect(await fileOf(body)).toMatchObject({ status: 200, sha256: hash('sha256', bytes) })
    }
  })

  const WITH_SIGNS = Buffer.concat([PDF, Buffer.alloc(300_000, Buffer.from('fb+/', 'base64'))])
  const fields = { phone: CUSTOMER, message: 'Nota', filename: 'nota.pdf', file: address(WITH_SIGNS) }
  const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' }

  test.each<[string, string, Record<string, string>]>([
    ['a URL-encoded form', new URLSearchParams(fields).toString(), urlEncoded],
    [
      'one whose plus signs are not escaped',
      `file=${fields.file}&phone=${CUSTOMER}&message=Nota&filename=nota.pdf`,
      urlEncoded,
    ],
    ['JSON that is sent as a form', JSON.stringify(fields), urlEncoded],
    ['a text of a multipart form', ...multipart(fields)],
  ])('is taken from %s too', async (_what, body, type) => {
    expect(await fileOf(body, type)).toMatchObject({
      status: 200,
      sha256: hash('sha256', WITH_SIGNS),
      name: 'nota.pdf',
    })
  })

  test('in a form is bounded as in JSON, and so is what is beside it', async () => {
    const large = Buffer.concat([PDF, randomBytes(8 * 1024 * 1024 - PDF.length)])
    const form = (file: string, more = '') => `phone=${CUSTOMER}&message=x&file=${encodeURIComponent(file)}${more}`
    expect(await fileOf(form(address(large)), urlEncoded)).toMatchObject({ status: 200, bytes: large.length })
    const above = address(Buffer.concat([large, Buffer.alloc(6)]))
    expect(await fileOf(form(above), urlEncoded)).toMatchObject({
      status: 413,
      message: expect.stringContaining('/files'),
    })
    const beside = `&note=${'x'.repeat(1024 * 1024)}`
    expect(await fileOf(form(address(PDF), beside), urlEncoded)).toMatchObject({ status: 413 })
    expect(await fileOf(form('https://shop.example/nota.pdf', beside), urlEncoded)).toMatchObject({ status: 413 })
    expect(await fileOf(form('data:application/pdf;base64,JVBE*Ri0='), urlEncoded)).toMatchObject({ status: 400 })
  })

  test('in a form is the same call when it is repeated with its idempotency key', async () => {
    const call = (file: string) =>
      app.fetch<{ id: string }>('/send', {
        method: 'POST',
        headers: { ...urlEncoded, authorization: key, 'idempotency-key': 'nota-2' },
        body: new URLSearchParams({ ...fields, file }).toString(),
      })
    const [first, again] = [await call(fields.file), await call(fields.file)]
    expect(again.body.data.id).toBe(first.body.data.id)
    expect((await call(address(PDF))).status).toBe(409)
  })

  test('of 8 MiB is taken, and one above is refused in words', async () => {
    const large = Buffer.concat([PDF, Buffer.alloc(8 * 1024 * 1024 - PDF.length)])
    expect(await fileOf(withFile(address(large)))).toMatchObject({ status: 200, bytes: large.length })
    const answer = await fileOf(withFile(address(Buffer.concat([large, Buffer.alloc(6)]))))
    expect(answer).toMatchObject({ status: 413, message: expect.stringContaining('/files') })
  })

  test.each([
    ['without base64', 'data:application/pdf,hello', 'data:application/pdf;base64'],
    ['with letters that are none of base64', 'data:application/pdf;base64,JVBE*Ri0=', 'not base64'],
    ['that is cut off', 'data:application/pdf;base64,', 'file'],
    ['with a letter too few', 'data:application/pdf;base64,JVBERi0xLjQKJ', 'not base64'],
  ])('%s is refused', async (_what, file, words) => {
    const answer = await send(withFile(file), json)
    expect(answer.status).toBe(400)
    expect(JSON.stringify([answer.text, answer.error])).toContain(words)
  })

  test('is the same call when it is repeated with its idempotency key', async () => {
    const headers = { ...json, authorization: key, 'idempotency-key': 'nota-1' }
    const ids = []
    for (let n = 0; n < 2; n += 1) {
      const answer = await app.fetch<{ id: string }>('/send', { method: 'POST', headers, body: withFile(address(PDF)) })
      ids.push(answer.body.data.id)
    }
    expect(ids[0]).toBe(ids[1])
    const other = withFile(address(Buffer.concat([PDF, Buffer.from('\n')])))
    expect((await app.fetch('/send', { method: 'POST', headers, body: other })).status).toBe(409)
  })

  test('in a text is a text', async () => {
    const message = 'write "file": "data:application/pdf;base64,AAAA" there'
    expect(await send(JSON.stringify({ phone: CUSTOMER, message }), json)).toMatchObject({ status: 200, text: message })
    const both = JSON.stringify({ phone: CUSTOMER, message: 'x', metadata: { file: 'data:,x' }, file: address(PDF) })
    const answer = await app.fetch<{ id: string; metadata: object }>('/send', {
      method: 'POST',
      headers: { ...json, authorization: key },
      body: both,
    })
    expect([answer.status, answer.body.data.metadata]).toEqual([200, { file: 'data:,x' }])
    const metadata = JSON.stringify({ phone: CUSTOMER, message: 'x', metadata: { file: address(PDF) } })
    expect((await send(metadata, json)).status).toBe(200)
  })

  test('a long body without a file is refused as before', async () => {
    const long = JSON.stringify({ phone: CUSTOMER, message: 'x', metadata: { note: 'x'.repeat(600_000) } })
    expect((await send(long, json)).status).toBe(413)
  })
})
