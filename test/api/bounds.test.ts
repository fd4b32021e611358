import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { OWNER_TOKEN, SANDBOX, startApp } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'

const app = await startApp({ lives: 'file' })
const key = await app.key()
const deviceKey = await app.key({ sender: SANDBOX })
const template = (members: string) =>
  `{"phone":"6281234567890","template_name":"hello","sender_code":"${SANDBOX}",${members}}`
const list = (member: string, times: number) => `[${Array.from({ length: times }, () => member).join()}]`

test.each([
  ['wrong members of a list', template(`"parameters":${list('{}', 300)}`)],
  ['more members of a list than any template has', template(`"parameters":${list('"x"', 5_000)}`)],
  ['more values than any call needs', template(`"parameters":${list('{}', 20_000)}`)],
  ['numbers in place of parameters', template(`"components":[{"type":"body","parameters":${list('0', 9_000)}}]`)],
  ['a deep nest', template(`"components":${'['.repeat(8_000)}${']'.repeat(8_000)}`)],
  ['a deep nest of objects', template(`"x":${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`)],
  ['many named values', template(`"parameters":{${Array.from({ length: 4_000 }, (_, i) => `"n${i}":{}`).join()}}`)],
])('a template with %s is refused in a few words', async (_what, body) => {
  const answer = await app.call(key, '/waba/send-template', body)
  expect(answer.status, answer.text.slice(0, 500)).toBe(400)
  expect(answer.body.error.details?.length).toBeLessThanOrEqual(50)
  expect(answer.text.length).toBeLessThan(20_000)
})

test.each([
  ['more values than any call needs', 'too_many', `"x":${list('{}', 20_000)}`],
  ['a deep nest', 'too_deep', `"x":${'['.repeat(8_000)}${']'.repeat(8_000)}`],
])('%s, in a member that nobody knows, is refused before it is read', async (_what, code, members) => {
  const answer = await app.call(key, '/waba/send-template', template(members))
  expect([answer.status, answer.body.error.details]).toMatchObject([400, [{ field: 'body', code }]])
})

test('one key that floods has its own calls refused, and those of the others are taken', async () => {
  const body = `{"x":"${'x'.repeat(500_000)}"}`
  const flood = Array.from({ length: 60 }, () => app.call(deviceKey, '/send', body))
  const honest = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX }
  const taken: number[] = []
  for (let call = 0; call < 5; call += 1) taken.push((await app.call(key, '/send', honest)).status)
  expect(taken).toEqual([200, 200, 200, 200, 200])
  for (const { status } of await Promise.all(flood)) expect([400, 429]).toContain(status)
})

/** Calls in one write, so that all of them are there before the first is answered. Resolves with the whole of the answers. */
async function atOnce(path: string, bearer: string, times: number): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  const head = (last: string) =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${bearer}\r\n${last}\r\n`
  socket.write(head('').repeat(times - 1) + head('Connection: close\r\n'))
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  await once(socket, 'end')
  return Buffer.concat(parts).toString()
}

test.each(['/messages?q=a+b+c', '/suppressions'])(
  'of lists %s that one key asks for at once few wait for their turn',
  async (path) => {
    const [answers, other] = await Promise.all([atOnce(path, deviceKey, 40), app.call(key, path)])
    expect(other.status).toBe(200)
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    // One that runs and sixteen that wait.
    expect(statuses).toEqual([...Array(17).fill('200'), ...Array(23).fill('429')])
    expect(answers).toMatch(/"code":"rate_limited".*"retry_after":1/)
    expect((await app.call(deviceKey, path)).status).toBe(200)
    // The owner's window asks for several lists of its own.
    expect((await atOnce(path, OWNER_TOKEN, 40)).match(/HTTP\/1\.1 200/g)).toHaveLength(40)
  },
)

test('a body of a route that needs little is read up to 256 KiB', async () => {
  const filled = template(`"x":"${'x'.repeat(256 * 1024)}"`)
  const answer = await app.call(key, '/waba/send-template', filled)
  expect([answer.status, answer.body.error.code]).toEqual([413, 'payload_too_large'])
  expect(answer.body.message).toContain('256 KiB')
})

test.each([
  ['without a key', 401, ''],
  ['of a key that may not', 422, `Authorization: Bearer ${await app.key({ sender: await app.sender('linked') })}\r\n`],
  ['that says too great a length', 413, `Authorization: Bearer ${deviceKey}\r\n`],
])('a body %s that never ends does not hold its connection', async (_what, status, header) => {
  const length = status === 413 ? 10_000_000 : 100_000
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  socket.write(`POST /waba/send-template HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}`)
  socket.write(`Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"phone":`)
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  await once(socket, 'end')
  expect(Buffer.concat(parts).toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*connection: close`, 'i'))
})

// Unknown paths are 404 before anything else is looked at.
await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })

test.each([
  ['POST', '/waba/send-template', 'application/json', 256 * 1024],
  ['POST', '/send', 'application/json', 12 * 1024 * 1024],
  ['POST', '/send', 'multipart/form-data; boundary=b', 101 * 1024 * 1024],
  ['POST', '/compat/fonnte/send', 'application/x-www-form-urlencoded', 12 * 1024 * 1024],
  ['POST', '/files', 'application/pdf', 100 * 1024 * 1024],
  ['POST', '/files', 'multipart/form-data; boundary=b', 101 * 1024 * 1024],
  ['GET', '/messages', 'application/json', 256 * 1024],
])('%s %s (%s) refuses more than %i bytes at once, without a byte of it', async (method, path, type, most) => {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  const authorization = path.startsWith('/compat/') ? deviceKey : `Bearer ${deviceKey}`
  const head = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${authorization}`]
  socket.write(`${[...head, `Content-Type: ${type}`, `Content-Length: ${most + 1}`].join('\r\n')}\r\n\r\n`)
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  await eventually(() => Buffer.concat(parts).toString().endsWith('}'))
  const answer = Buffer.concat(parts).toString()
  // Fonnte's refusals are 200.
  expect(answer).toMatch(/^HTTP\/1\.1 413|The body is larger/)
  expect(answer).toMatch(/connection: close/i)
  // Nothing of it was wanted: its sender may go away.
  socket.end()
  await once(socket, 'close')
})

test('a program that writes all of a body before it looks for an answer finds the refusal', async () => {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  const length = 9 * 1024 * 1024
  socket.write(`POST /send HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${deviceKey}\r\n`)
  socket.write(`Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`)
  await new Promise((resolve) => socket.write(Buffer.alloc(length, ' '), resolve))
  expect(await text(socket)).toContain('HTTP/1.1 413 ')
})

test('a device key whose sender can never send this way is refused before its body counts', async () => {
  const code = await app.sender('linked')
  const answer = await app.call(await app.key({ sender: code }), '/waba/send-template', '{"broken')
  expect([answer.status, answer.body.error.code]).toEqual([422, 'sender_kind_mismatch'])
})

test('lists leave out what a template holds above 4 KiB; the message itself has it', async () => {
  const text = 'x'.repeat(1000)
  const long = { phone: '6281234567890', template_name: 'hello', parameters: [text, text, text, text, text] }
  const sent = await app.call<{ id: string }>(deviceKey, '/waba/send-template', long)
  expect(sent.status, sent.text).toBe(200)
  const template = async (path: string) => {
    const { body } = await app.call<{ template: object } | { template: object }[]>(key, path)
    return Array.isArray(body.data) ? body.data[0]?.template : body.data.template
  }
  expect(await template('/messages?limit=1')).toMatchObject({ name: 'hello', components: [] })
  expect(JSON.stringify(await template(`/messages/${sent.body.data.id}`))).toContain(text)
})

test('lists leave out metadata above 4 KiB and say so; the message itself has them', async () => {
  const metadata = { note: 'é'.repeat(2100) }
  const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, metadata }
  const { body: sent } = await app.call<{ id: string }>(key, '/send', body)
  interface Shown {
    id: string
    metadata: object
    metadata_omitted: boolean
  }
  const { body: list } = await app.call<Shown[]>(key, '/messages?limit=1')
  expect(list.data).toMatchObject([{ id: sent.data.id, metadata: {}, metadata_omitted: true }])
  const { body: detail } = await app.call<Shown>(key, `/messages/${sent.data.id}`)
  expect(detail.data).toMatchObject({ metadata, metadata_omitted: false })
  await app.call(key, '/send', { ...body, metadata: { note: 'x'.repeat(2000) } })
  const { body: short } = await app.call<Shown[]>(key, '/messages?limit=1')
  expect(short.data).toMatchObject([{ metadata: { note: 'x'.repeat(2000) }, metadata_omitted: false }])
})

test('metrics, which name every sender, are for the owner and global keys', async () => {
  expect((await app.call(deviceKey, '/metrics')).body.error.code).toBe('sender_not_allowed')
  expect((await app.call(key, '/metrics')).status).toBe(200)
  expect((await app.owner('/metrics')).status).toBe(200)
})

test.each(['/docs', '/openapi.json'])(
  '%s is made once: an answer is nothing but bytes that are there',
  async (path) => {
    const first = await app.fetch(path)
    const stringify = vi.spyOn(JSON, 'stringify')
    onTestFinished(() => stringify.mockRestore())
    const second = await app.fetch(path)
    // Either page is full of JSON, and could not be made without long texts of it; lines of the log are short.
    const long = stringify.mock.results.filter(({ value }) => String(value).length > 1_000).length
    expect(second.text === first.text).toBe(true)
    expect(long).toBe(0)
  },
)

test('the first page of /docs is made between other work, and once for all who ask meanwhile', async () => {
  const fresh = await startApp()
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  const texts = () => stringify.mock.results.map(({ value }) => String(value))
  const answers = Promise.all([fresh.fetch('/docs'), fresh.fetch('/openapi.json')])
  const isOver = answers.then(() => true)
  const turns = [0]
  while (!(await Promise.race([isOver, setImmediate(false)]))) turns.push(stringify.mock.results.length)
  const isSchema = texts().map((text) => text.startsWith('{"$schema"'))
  const runs = turns.map((from, turn) => isSchema.slice(from, turns[turn + 1]).filter(Boolean).length)
  expect(texts().filter((text) => text.startsWith('{"openapi"'))).toHaveLength(1)
  expect(Math.max(...runs)).toBeLessThan(isSchema.filter(Boolean).length / 20)
})

test.each(['/messages/%E0%A4%A', '/api/senders/%'])(
  'broken percent signs in %s are the caller’s mistake',
  async (path) => {
    const answer = await app.owner(path)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
    expect(answer.body.error.details).toMatchObject([{ field: 'path', code: 'not_percent_encoded' }])
  },
)

test('broken percent signs in the name of a file of the window name none', async () => {
  const answer = await app.owner('/assets/%E0%A4%A.js')
  expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
})

test('no answer is kept by a browser or shown in a frame', async () => {
  const written = ['/metrics', '/docs', '/openapi.json', '/api/messages/export.csv']
  for (const path of ['/api/keys', '/messages', '/api/nothing', '/health', ...written]) {
    const { headers } = await app.owner(path)
    expect(headers['x-content-type-options'], path).toBe('nosniff')
    expect(headers['cache-control'], path).toBe('no-store')
    expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'")
    expect(headers['x-frame-options'], path).toBe('DENY')
    expect(headers['cross-origin-opener-policy'], path).toBe('same-origin')
  }
})

test('members that a route does not know are named in the answer and with the message, and change nothing', async () => {
  const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, refrence_id: 'INV-1', 'naïve name': 1 }
  const answer = await app.call<{ id: string }>(key, '/send', body)
  expect(answer.status).toBe(200)
  expect(answer.headers['x-unknown-members']).toBe('refrence_id, na%C3%AFve%20name')
  const unknownOf = async (id: string) =>
    (await app.call<{ unknown_members: string[] }>(key, `/messages/${id}`)).body.data.unknown_members
  expect(await unknownOf(answer.body.data.id)).toEqual(['refrence_id', 'naïve name'])
  const template = { phone: '6281234567890', template_name: 'hello', langage: 'en' }
  const sent = await app.call<{ id: string }>(deviceKey, '/waba/send-template', template)
  expect(await unknownOf(sent.body.data.id)).toEqual(['langage'])
  const { refrence_id: _unknown, 'naïve name': _name, ...right } = body
  expect(await unknownOf((await app.call<{ id: string }>(key, '/send', right)).body.data.id)).toEqual([])
  expect((await app.owner('/messages?limt=5')).headers['x-unknown-members']).toBe('limt')
  expect(
    (await app.fetch('/health', { headers: { authorization: OWNER_TOKEN } })).headers['x-unknown-members'],
  ).toBeUndefined()
})
