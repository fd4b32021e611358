import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, SANDBOX, startApp, type TestApp } from '../support/app.ts'

interface Queued {
  id: string
  message_id: string
  sender_code: string
  recipient: string
  status: string
  metadata: Record<string, unknown>
}

const LATER = 3600
const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, delay: LATER }

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startApp({ lives: 'file' })
  key = await app.key()
})

const send = (more: object): Promise<Answer<Queued>> => app.call<Queued>(key, '/send', { ...body, ...more })
/** With `members` put into the text of the body as they are. */
const sendText = (members: string) => app.call<Queued>(key, '/send', `${JSON.stringify(body).slice(0, -1)},${members}}`)

const fieldsOf = (answer: Answer<unknown>) => answer.body.error?.details?.map(({ field }) => field)

function expectRefused(answer: Answer<unknown>, ...fields: string[]): void {
  expect(answer.status, answer.text).toBe(400)
  expect(answer.body).toMatchObject({ success: false, error: { code: 'invalid_request' } })
  expect(fieldsOf(answer)).toEqual(fields)
}

test('the answer has exactly the shape of the interface', async () => {
  const { status, body: answer, headers } = await send({ reference_id: 'INV-1', metadata: { branch: 4 } })
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(Object.keys(answer)).toEqual(['success', 'message', 'data'])
  expect(answer).toMatchObject({ success: true, message: expect.stringMatching(/\w/) })
  expect(answer.data).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    message_id: answer.data.id,
    sender_code: SANDBOX,
    recipient: '6281234567890',
    status: 'queued',
    metadata: { branch: 4, reference_id: 'INV-1' },
  })
})

test('metadata is an empty object when none was given', async () => {
  expect((await send({})).body.data.metadata).toEqual({})
})

test('what was accepted is on disk when the answer comes', async () => {
  const { body: answer } = await send({ message: 'Terima kasih 🙏 شكرا', file: 'https://example.org/nota.pdf' })
  expect(await app.message(answer.data.id)).toMatchObject({
    body: 'Terima kasih 🙏 شكرا',
    file: 'https://example.org/nota.pdf',
    status: 'queued',
    attempts: 0,
  })
})

describe('phone', () => {
  test.each([
    ['digits only', '6281234567890', '6281234567890'],
    ['a plus sign', '+6281234567890', '6281234567890'],
    ['separators', '+62 (812) 345-678.90', '6281234567890'],
    ['the leading 00 of a call abroad', '006281234567890', '6281234567890'],
    ['the shortest', '1234567', '1234567'],
    ['the longest', '123456789012345', '123456789012345'],
    ['a Brazilian 9, left alone', '5511987654321', '5511987654321'],
    ['a Mexican 1, left alone', '5215512345678', '5215512345678'],
  ])('%s', async (_why, phone, recipient) => {
    expect((await send({ phone })).body.data.recipient).toBe(recipient)
  })

  test.each([
    ['too short', '123456'],
    ['too long', '1234567890123456'],
    ['letters', '62812ABC7890'],
    ['digits of another script', '٦٢٨١٢٣٤٥٦٧٨٩٠'],
    ['nothing but separators', '+ ()-.'],
    ['empty', ''],
    ['an address of WhatsApp', '6281234567890@s.whatsapp.net'],
    ['00 and then another 0', '000812345678'],
    ['a number with a fraction', 6281234567.5],
    ['null', null],
    ['a list', ['6281234567890']],
  ])('%s is refused', async (_why, phone) => {
    expectRefused(await send({ phone }), 'phone')
  })

  test('is required', async () => {
    const answer = await app.call(key, '/send', { message: 'Halo', sender_code: SANDBOX })
    expectRefused(answer, 'phone')
    expect(answer.body.error.details?.[0]?.message).toBe('is required')
  })

  test('a leading 0 is refused with the way out', async () => {
    const answer = await send({ phone: '081234567890' })
    expectRefused(answer, 'phone')
    expect(answer.body.message).toMatch(/country code/)
  })

  test("a leading 0 becomes the sender's default country code", async () => {
    const code = await app.sender('sandbox', { country_code: '62' })
    const recipient = async (phone: string) => (await send({ phone, sender_code: code })).body.data.recipient
    expect(await recipient('0812-3456-7890')).toBe('6281234567890')
    expect(await recipient('+1 555 0100 200')).toBe('15550100200')
    expect(await recipient('00 49 151 23456789')).toBe('4915123456789')
  })
})

describe('message and file', () => {
  test('65,536 characters go through, one more does not', async () => {
    const most = '🙏'.repeat(32_768)
    const { body: answer } = await send({ message: most })
    expect((await app.message(answer.data.id)).body).toBe(most)
    expectRefused(await send({ message: `${most}.` }), 'message')
  })

  test('a message may be empty only with a file', async () => {
    expect((await send({ message: '', file: 'https://example.org/a.png' })).status).toBe(200)
    expectRefused(await send({ message: '' }), 'message')
  })

  test.each([[undefined], [null], [5], [{ text: 'Halo' }]])('message %j is refused', async (message) => {
    expectRefused(await send({ message }), 'message')
  })

  test('an address of 2,048 characters goes through, one more does not', async () => {
    const file = `https://example.org/${'a'.repeat(2028)}`
    expect((await send({ file })).status).toBe(200)
    expectRefused(await send({ file: `${file}a` }), 'file')
  })

  test.each([
    'http://192.168.1.10:8080/nota.pdf',
    'HTTPS://EXAMPLE.ORG/nota.pdf?id=1#page',
    'https://例え.jp/ノート.pdf',
  ])('%s is taken', async (file) => {
    expect((await send({ file })).status).toBe(200)
  })

  test.each([
    ['ftp://example.org/a.pdf'],
    ['file:///etc/passwd'],
    ['data:text/plain,hello'],
    ['javascript:alert(1)'],
    ['/nota.pdf'],
    ['nota.pdf'],
    ['https://user:secret@example.org/a.pdf'],
    ['https://user@example.org/a.pdf'],
    ['https://'],
    [''],
    [5],
    [['https://example.org/a.pdf']],
  ])('%j is refused', async (file) => {
    expectRefused(await send({ file }), 'file')
  })
})

describe('delay', () => {
  test.each([0, 0.25, 1.5, 90, 2_592_000])('%d s is when the message falls due', async (delay) => {
    // Not to the sandbox: it would send at once what has no delay.
    const code = await app.sender('linked')
    const { body: answer } = await send({ delay, sender_code: code })
    const { createdAt, dueAt } = await app.message(answer.data.id)
    expect(dueAt - createdAt).toBe(delay * 1000)
  })

  test.each([[-0.001], [-1], [2_592_000.001], ['5'], [true], [[5]]])('%j is refused', async (delay) => {
    expectRefused(await send({ delay }), 'delay')
  })

  test.each(['1e400', '-1e400'])('%s, which is beyond all numbers, is refused', async (delay) => {
    expectRefused(await sendText(`"delay":${delay}`), 'delay')
  })
})

describe('reference_id', () => {
  const taken = async (more: object) => {
    const { status, text, body: answer } = await send(more)
    expect(status, text).toBe(200)
    expect(answer.data.metadata.reference_id ?? null).toBe((await app.message(answer.data.id)).referenceId)
    return (await app.message(answer.data.id)).referenceId
  }

  test.each([
    ['by its name', { reference_id: 'A' }, 'A'],
    ['as referenceId', { referenceId: 'B' }, 'B'],
    ['as ref_id', { ref_id: 'C' }, 'C'],
    ['in the metadata', { metadata: { reference_id: 'D' } }, 'D'],
    ['not at all', { metadata: { other: 1 } }, null],
    ['its name before the aliases', { ref_id: 'C', referenceId: 'B', reference_id: 'A' }, 'A'],
    ['referenceId before ref_id', { ref_id: 'C', referenceId: 'B' }, 'B'],
    ['top level before metadata', { reference_id: 'A', metadata: { reference_id: 'D' } }, 'A'],
    ['an alias before metadata', { ref_id: 'C', metadata: { reference_id: 'D' } }, 'C'],
    ['null counts as absent', { reference_id: null, referenceId: 'B' }, 'B'],
    [
      'null everywhere but last',
      { reference_id: null, referenceId: null, ref_id: null, metadata: { reference_id: 'D' } },
      'D',
    ],
    ['null in the metadata', { metadata: { reference_id: null } }, null],
    ['the aliases mean nothing inside metadata', { metadata: { referenceId: 'B', ref_id: 'C' } }, null],
    ['any script', { reference_id: 'فاتورة-🧾' }, 'فاتورة-🧾'],
    ['256 characters', { reference_id: 'x'.repeat(256) }, 'x'.repeat(256)],
  ])('%s', async (_why, more, expected) => {
    expect(await taken(more)).toBe(expected)
  })

  const places: [string, (value: unknown) => object][] = [
    ['reference_id', (value) => ({ reference_id: value })],
    ['referenceId', (value) => ({ referenceId: value })],
    ['ref_id', (value) => ({ ref_id: value })],
    ['metadata.reference_id', (value) => ({ metadata: { reference_id: value } })],
  ]
  describe.each(places)('at %s', (field, put) => {
    test.each([[''], [1001], [false], [{}], [['A']], ['x'.repeat(257)]])('%j is refused', async (value) => {
      expectRefused(await send(put(value)), field)
      // Also where another one would have won.
      const winner = field === 'reference_id' ? { metadata: { reference_id: 'D' } } : { reference_id: 'A' }
      expectRefused(await send({ ...winner, ...put(value) }), field)
    })
  })

  test('what metadata held of it is gone where another one was used', async () => {
    const { body: answer } = await send({ reference_id: 'A', metadata: { reference_id: 'D', a: 1 } })
    expect(answer.data.metadata).toEqual({ a: 1, reference_id: 'A' })
    const { body: detail } = await app.call(key, `/messages/${answer.data.id}`)
    expect(detail.data).toMatchObject({ reference_id: 'A', metadata: { a: 1 } })
  })

  test('a null in metadata is gone as well', async () => {
    const { body: answer } = await send({ metadata: { reference_id: null, a: null } })
    expect(answer.data.metadata).toEqual({ a: null })
  })
})

describe('metadata', () => {
  /** An object whose text has this many bytes. */
  const ofBytes = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
  const nestedLists = (levels: number): unknown => (levels === 1 ? [] : [nestedLists(levels - 1)])

  test('16 KiB go through, one byte more does not', async () => {
    expect((await sendText(`"metadata":${ofBytes(16_384)}`)).status).toBe(200)
    expectRefused(await sendText(`"metadata":${ofBytes(16_385)}`), 'metadata')
  })

  test('its size is counted as it was sent: blanks, escapes, and bytes of UTF-8', async () => {
    const blanks = ' '.repeat(16_384)
    expectRefused(await sendText(`"metadata":{${blanks}}`), 'metadata')
    expectRefused(await sendText(`"metadata":{"a":"${'\\u0061'.repeat(3000)}"}`), 'metadata')
    expectRefused(await sendText(`"metadata":{"a":"${'🙏'.repeat(4100)}"}`), 'metadata')
    expect((await sendText(`"metadata": ${blanks} {}`)).status).toBe(200)
  })

  test('20 levels go through, one more does not', async () => {
    expect((await send({ metadata: nested(20) })).status).toBe(200)
    expectRefused(await send({ metadata: nested(21) }), 'metadata')
    expect((await send({ metadata: { a: nestedLists(19) } })).status).toBe(200)
    expectRefused(await send({ metadata: { a: nestedLists(20) } }), 'metadata')
  })

  test.each([['text'], [5], [true], [['a']]])('%j is refused', async (metadata) => {
    expectRefused(await send({ metadata }), 'metadata')
  })

  test.each([
    ['long numbers', '{"n":12345678901234567890}'],
    ['trailing zeros', '{"price":1.10,"list":[2.0,{"deep":0.30}]}'],
    ['exponents and signs', '{"a":1E5,"b":-0,"c":1e-7,"d":-0.0}'],
    ['beyond all numbers', '{"a":1e999,"b":-1e999}'],
    ['unicode', '{"nama":"Wati 🙏","عربي":"شكرا","z\\u00fcrich":true}'.replace('\\u00fc', 'ü')],
    ['order of members', '{"z":1,"a":2,"m":{"y":1,"b":2}}'],
    [
      'prototype names',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"x","hasOwnProperty":5}',
    ],
    ['null, empty members and nothing', '{"":null,"a":[],"b":{},"c":"","d":[null]}'],
    ['text that looks like an escape', '{"a":"\\\\u0041 \\\\n \\"quoted\\" }]"}'],
  ])('%s come back as written', async (_why, metadata) => {
    const answer = await sendText(`"metadata":${metadata}`)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).toContain(`"metadata":${metadata}}`)
    const again = await app.call(key, `/messages/${answer.body.data.id}`)
    expect(again.text).toContain(`"metadata":${metadata},`)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('names that are numbers stand first, as JavaScript keeps them', async () => {
    const answer = await sendText('"metadata":{"b":1,"2":1.50,"1":1}')
    expect(answer.text).toContain('"metadata":{"1":1,"2":1.50,"b":1}')
  })

  test('the last one counts if it stands there twice, however its name is written', async () => {
    const answer = await sendText('"metadata":{"a":1.0},"other":{"metadata":{"c":3.0}},"met\\u0061data":{"b":2.0}')
    expect(answer.text).toContain('"metadata":{"b":2.0}')
  })

  test('__proto__ holding a reference is not its reference', async () => {
    const answer = await sendText('"metadata":{"__proto__":{"reference_id":"evil"}}')
    expect(answer.status, answer.text).toBe(200)
    expect((await app.message(answer.body.data.id)).referenceId).toBeNull()
  })
})

test('unknown members are ignored', async () => {
  const answer = await sendText(
    '"priority":"high","__proto__":{"message":"evil"},"constructor":5,"status":"sent","id":"x"',
  )
  expect(answer.status, answer.text).toBe(200)
  expect(await app.message(answer.body.data.id)).toMatchObject({ body: 'Halo', status: 'queued' })
})

test('every wrong field is named, not only the first', async () => {
  const answer = await send({ phone: 5, message: null, file: 'x', delay: -1, reference_id: '', metadata: [] })
  expect(answer.status).toBe(400)
  expect(fieldsOf(answer)?.toSorted()).toEqual(['delay', 'file', 'message', 'metadata', 'phone', 'reference_id'])
})

test('a byte order mark and blanks around the body do no harm', async () => {
  const answer = await app.call<Queued>(key, '/send', `\ufeff \r\n${JSON.stringify({ ...body, metadata: { a: 1 } })}\n`)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.data.metadata).toEqual({ a: 1 })
})
