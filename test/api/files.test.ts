import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBodyReader } from '../../server/http/body.ts'
import { createFormReader } from '../../server/http/form.ts'
import { createFormRooms, type FormFile, readForm } from '../../server/http/multipart.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { createUploads } from '../../server/media/uploads.ts'
import { type Answer, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { isShared, openTestStore } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samples } from '../support/samples.ts'

const DAY = 24 * 3_600_000
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const onDisk = (app: TestApp) => readdirSync(join(app.home, 'files')).sort()

type Part = [name: string, value: string | { name?: string; type?: string; bytes: Buffer }]

/** A form as browsers and curl write it. */
function form(...parts: Part[]) {
  const boundary = 'a-boundary-of-the-tests'
  const chunks = parts.map(([name, value]) => {
    const isText = typeof value === 'string'
    const filename = isText || value.name === undefined ? '' : `; filename="${value.name}"`
    const type = isText ? '' : `Content-Type: ${value.type ?? 'application/octet-stream'}\r\n`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n${type}\r\n`
    return Buffer.concat([Buffer.from(head), isText ? Buffer.from(value) : value.bytes, Buffer.from('\r\n')])
  })
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

type View = { file_id: string; name: string; type: string; size: number; sha256: string; expires_at: string }
type Sent = { id: string }

const store = (app: TestApp, key: string, body: Buffer, headers: Record<string, string> = {}) =>
  app.call<View>(key, '/files', body, { headers: { 'content-type': 'application/octet-stream', ...headers } })

const send = <D = Sent>(app: TestApp, key: string, body: object, headers = {}): Promise<Answer<D>> =>
  app.call<D>(key, '/send', { phone: '6281234567890', message: 'Invoice', ...body }, { headers })

describe('any form', () => {
  const CUT_OFF =
    '--b\r\nContent-Disposition: form-data; name="foto"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\nx'
  const NAMELESS = '--b\r\nContent-Disposition: form-data; FILE\r\n\r\nx\r\n--b--\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }

  test.each([
    ['/send', 'cut off in a part of another name', CUT_OFF, 'cut off'],
    ['/files', 'cut off in a part of another name', CUT_OFF, 'cut off'],
    ['/compat/fonnte/send', 'cut off in a part of another name', CUT_OFF, 'cut off'],
    ['/send', 'with a part without a name', NAMELESS.replace('FILE', 'x=1'), 'no name'],
    ['/send', 'with a file without a name', NAMELESS.replace('FILE', 'filename="a.jpg"'), 'no name'],
    ['/files', 'with a file without a name', NAMELESS.replace('FILE', 'filename="a.jpg"'), 'no name'],
  ])('%s refuses one %s, and Kurir goes on', async (path, _what, body, said) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })
    const authorization = path.startsWith('/compat/') ? key : `Bearer ${key}`
    const answer = await app.fetch(path, { method: 'POST', body, headers: { ...headers, authorization } })
    expect(answer.text).toContain(said)
    expect((await app.fetch('/health')).status).toBe(200)
  })
})

describe('POST /files', () => {
  test('keeps a raw body, and says what it is', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const { status, body } = await store(app, key, samples.pdf, { 'x-filename': encodeURIComponent('Tagihan Mei.pdf') })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      name: 'Tagihan Mei.pdf',
      type: 'application/pdf',
      size: samples.pdf.length,
      sha256: sha256(samples.pdf),
    })
    expect(onDisk(app)).toEqual([body.data.file_id])
  })

  test('takes a form, and believes the content before the name', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const { headers, body } = form(
      ['note', 'x'],
      ['file', { name: 'photo.pdf', type: 'application/pdf', bytes: samples.png }],
    )
    const { body: answer } = await app.call<View>(key, '/files', body, { headers })
    expect(answer.data).toMatchObject({ name: 'photo.png', type: 'image/png', size: samples.png.length })
  })

  test.each<[string, Buffer, Record<string, string>, number, string]>([
    ['nothing', Buffer.alloc(0), {}, 400, 'invalid_request'],
    ['a form without a file', form(['note', 'x']).body, form().headers, 400, 'invalid_request'],
    [
      'a form that is cut off',
      form(['file', { name: 'a', bytes: samples.png }]).body.subarray(0, 160),
      form().headers,
      400,
      'invalid_request',
    ],
    ['a name that cannot be read', samples.pdf, { 'x-filename': '%zz' }, 400, 'invalid_request'],
    [
      'an image that is too large',
      Buffer.concat([samples.png, Buffer.alloc(16 * 1024 * 1024)]),
      {},
      413,
      'payload_too_large',
    ],
    ['a file that is too large', Buffer.alloc(100 * 1024 * 1024 + 1), {}, 413, 'payload_too_large'],
  ])('%s is refused and leaves nothing', async (_what, bytes, headers, status, code) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const answer = await store(app, key, bytes, headers)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(onDisk(app)).toEqual([])
    expect(await app.app.store.uploads.list()).toEqual([])
  })

  test.each<[string, Part[], number]>([
    ['of which a later field is too large', [['note', 'x'.repeat(600_000)]], 413],
    ['with a second file', [['file', { name: 'b.png', bytes: samples.png }]], 413],
    ['of too many parts', Array.from({ length: 60 }, (_, n): Part => [`note${n}`, 'x']), 413],
  ])('a form %s leaves nothing of its file, which was there already', async (_why, more, status) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const file: Part = ['file', { name: 'a.png', bytes: samples.png }]
    const { headers, body } = form(['phone', '6281234567890'], ['message', 'x'], file, ['next', 'x'], ...more)
    const first = body.indexOf('name="next"')
    for (const path of ['/files', '/send']) {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
      const answer = text(socket)
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\nContent-Type: ${headers['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`,
      )
      socket.write(body.subarray(0, first))
      await eventually(async () => (await app.app.store.uploads.list()).length === 1)
      socket.write(body.subarray(first))
      expect((await answer).slice(0, 'HTTP/1.1 413'.length), path).toBe(`HTTP/1.1 ${status}`)
      expect(onDisk(app), path).toEqual([])
      expect(await app.app.store.uploads.list(), path).toEqual([])
    }
  })

  test('an upload that is cut in the middle leaves nothing', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.write(
      `POST /files HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/pdf\r\nContent-Length: 1000000\r\n\r\n`,
    )
    socket.write(Buffer.alloc(200_000))
    await eventually(() => onDisk(app).length === 1)
    socket.on('error', () => undefined).destroy()
    await eventually(() => onDisk(app).length === 0)
    expect(await app.app.store.uploads.list()).toEqual([])
    await eventually(async () => (await app.owner('/api/refused-calls')).text.includes('invalid_json'))
    expect(app.logs()).not.toContain('unexpected error')
  })

  test('a crash between file and row is settled at the next start', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const kept = (await store(app, key, samples.pdf)).body.data.file_id
    const lost = (await store(app, key, samples.png)).body.data.file_id
    await app.restart(() => {
      writeFileSync(join(app.home, 'files', 'without-a-row'), 'x')
      writeFileSync(join(app.home, 'files', 'half.part'), 'x')
      writeFileSync(join(app.home, 'files', lost), 'too short')
    })
    const rows = async () => (await app.app.store.uploads.list()).map(({ id }) => id)
    if (!isShared) {
      expect([onDisk(app), await rows()]).toEqual([[kept], [kept]])
      return
    }
    // The bytes are in the database: what is too short here is loaded again when it is sent.
    expect([onDisk(app), (await rows()).sort()]).toEqual(Array(2).fill([kept, lost].sort()))
    const { body } = await send(app, key, { file_id: lost })
    expect(await app.reached(body.data.id, 'read')).toMatchObject({ fileSha256: sha256(samples.png) })
    expect(statSync(join(app.home, 'files', lost)).size).toBe(samples.png.length)
  })

  test.each(['/files', '/send'])('a form to %s says why its file was not kept', async (path) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    await app.owner('/api/settings', { method: 'PATCH', body: { files_quota_mb: 100 } })
    expect((await app.owner('/files', { body: Buffer.alloc(60 * 1024 * 1024) })).status).toBe(200)
    const post = async (bytes: Buffer, cutAt?: number) => {
      const fields: Part[] = [
        ['phone', '6281234567890'],
        ['message', ''],
      ]
      const { headers, body } = form(...fields, ['file', { name: 'a', bytes }])
      const answer = await app.call(key, path, body.subarray(0, cutAt), { headers })
      return [answer.status, answer.body.error.code]
    }
    expect(await post(Buffer.concat([samples.pdf, Buffer.alloc(60 * 1024 * 1024)]))).toEqual([507, 'storage_full'])
    expect(await post(Buffer.concat([samples.png, Buffer.alloc(16 * 1024 * 1024)]))).toEqual([413, 'payload_too_large'])
    expect(await post(Buffer.alloc(1024 * 1024), 1024 * 1024)).toEqual([400, 'invalid_request'])
    expect(onDisk(app)).toHaveLength(1)
  })

  test('a key whose sender was deleted stores nothing', async () => {
    const app = await startApp()
    const sender = await app.sender('linked')
    const key = await app.key({ sender })
    await app.owner(`/api/senders/${sender}`, { method: 'DELETE' })
    const answer = await store(app, key, samples.pdf)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'sender_not_found'])
  })

  test('of one key eight files arrive at once, and the others wait without being opened', async () => {
    const app = await startApp()
    const [slow, other] = [await app.key({ sender: SANDBOX }), await app.key({ sender: SANDBOX, name: 'other' })]
    const port = Number(new URL(app.url).port)
    const begin = () => {
      const socket = connect(port, '127.0.0.1')
      const head = `POST /files HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${slow}\r\nConnection: close\r\n`
      socket.write(`${head}Content-Type: application/pdf\r\nContent-Length: ${samples.pdf.length}\r\n\r\n`)
      socket.write(samples.pdf.subarray(0, -1))
      return { socket, answer: text(socket) }
    }
    const begun = Array.from({ length: 8 + 256 }, begin)
    await eventually(() => onDisk(app).length === 8)
    // One more than may wait.
    expect(await begin().answer).toContain('rate_limited')
    expect((await store(app, other, samples.png)).status).toBe(200)
    expect(onDisk(app)).toHaveLength(9)
    for (const { socket } of begun) socket.write(samples.pdf.subarray(-1))
    const answers = await Promise.all(begun.map(({ answer }) => answer))
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 200'))).toHaveLength(begun.length)
    expect(onDisk(app)).toHaveLength(1 + begun.length)
  })

  test.each(['application/pdf', 'multipart/form-data; boundary=b'])(
    'an upload (%s) that stands still is hung up on',
    async (type) => {
      const app = await startApp()
      const key = await app.key({ sender: SANDBOX })
      const setTimeout = vi.spyOn(Socket.prototype, 'setTimeout')
      onTestFinished(() => setTimeout.mockRestore())
      await app.call(key, '/files', type === 'application/pdf' ? samples.pdf : '--b--\r\n', {
        headers: { 'content-type': type },
      })
      const waits = setTimeout.mock.calls.map(([ms]) => ms)
      expect(waits).toContain(30_000)
      expect(waits.lastIndexOf(0)).toBeGreaterThan(waits.lastIndexOf(30_000))
    },
  )

  test('more than the quota is 507, and nothing of it stays', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    await app.owner('/api/settings', { method: 'PATCH', body: { files_quota_mb: 100 } })
    const first = await store(app, key, Buffer.alloc(60 * 1024 * 1024))
    expect(first.status).toBe(200)
    const second = await store(app, key, Buffer.alloc(60 * 1024 * 1024))
    expect([second.status, second.body.error.code]).toEqual([507, 'storage_full'])
    expect(second.headers['retry-after']).toBeDefined()
    expect(onDisk(app)).toEqual([first.body.data.file_id])
    expect((await store(app, key, samples.pdf)).status).toBe(200)
    const { body } = await app.owner<{ files_bytes: number }>('/api/settings')
    expect(body.data.files_bytes).toBe(60 * 1024 * 1024 + 64 * 1024)
  })
})

test('files that one key never sends leave room for the others', async () => {
  const MB = 1024 * 1024
  const app = await startApp()
  const [key, other] = [await app.key({ sender: SANDBOX }), await app.key({ sender: SANDBOX })]
  await app.owner('/api/settings', { method: 'PATCH', body: { files_quota_mb: 100 } })
  const { body } = await store(app, key, Buffer.alloc(60 * MB))
  expect((await store(app, key, Buffer.alloc(14 * MB))).status).toBe(200)
  const refused = await store(app, key, Buffer.alloc(2 * MB))
  expect([refused.status, refused.body.error.code]).toEqual([507, 'storage_full'])
  expect((await store(app, other, Buffer.alloc(2 * MB))).status).toBe(200)
  // A message waits with it.
  expect((await send(app, key, { file_id: body.data.file_id, delay: 3_600 })).status).toBe(200)
  expect((await store(app, key, Buffer.alloc(2 * MB))).status).toBe(200)
})

test('several keys together leave room for one that has little', async () => {
  const MB = 1024 * 1024
  const app = await startApp()
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => app.key({ sender: SANDBOX })))
  await app.owner('/api/settings', { method: 'PATCH', body: { files_quota_mb: 100 } })
  expect((await store(app, first ?? '', Buffer.alloc(60 * MB))).status).toBe(200)
  expect((await store(app, second ?? '', Buffer.alloc(18 * MB))).status).toBe(200)
  const refused = await store(app, second ?? '', Buffer.alloc(6 * MB))
  expect([refused.status, refused.body.error.code]).toEqual([507, 'storage_full'])
  expect((await store(app, third ?? '', Buffer.alloc(6 * MB))).status).toBe(200)
})

describe('a message with a file', () => {
  test('names one that was stored before, under the name that the caller wants', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const { file_id } = (await store(app, key, samples.pdf)).body.data
    const { status, body } = await send(app, key, { file_id, filename: 'Tagihan 1001' })
    expect(status).toBe(200)
    const message = await app.reached(body.data.id, 'read')
    expect(message).toMatchObject({
      file: `upload:${file_id}`,
      filename: 'Tagihan 1001',
      fileSha256: sha256(samples.pdf),
    })
    const { body: detail } = await app.call(key, `/messages/${body.data.id}`)
    expect(detail.data).toMatchObject({ filename: 'Tagihan 1001', file_sha256: sha256(samples.pdf) })
  })

  test('brings it in a form with the names of the JSON body', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const { headers, body } = form(
      ['phone', '6281234567890'],
      ['message', 'Terima kasih 🙏'],
      ['delay', '0'],
      ['reference_id', 'INV-7'],
      ['metadata', '{"total": 1.10}'],
      ['file', { name: 'struk.pdf', bytes: samples.pdf }],
    )
    const answer = await app.call<Sent>(key, '/send', body, { headers })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).toContain('"total":1.10')
    const message = await app.reached(answer.body.data.id, 'read')
    expect(message).toMatchObject({ body: 'Terima kasih 🙏', referenceId: 'INV-7', filename: 'struk.pdf' })
    expect(message.fileSha256).toBe(sha256(samples.pdf))
  })

  test('a form without a file is a message like any other, and its wrong fields are named', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const good = form(['phone', '6281234567890'], ['message', 'Halo'])
    expect((await app.call(key, '/send', good.body, { headers: good.headers })).status).toBe(200)
    const bad = form(
      ['phone', 'x'],
      ['message', 'Halo'],
      ['delay', 'soon'],
      ['file', { name: 'a.pdf', bytes: samples.pdf }],
    )
    const { status, body } = await app.call(key, '/send', bad.body, { headers: bad.headers })
    expect([status, body.error.details?.map(({ field }) => field)]).toEqual([400, ['phone', 'delay']])
    expect(onDisk(app)).toEqual([])
  })

  test.each([
    ['007', 200],
    [' 60 ', 200],
    ['0', 200],
    ['1.5', 200],
    ['-00', 200],
    ['-1', 400],
    ['1e3', 400],
    ['9'.repeat(400), 400],
  ])('a delay of %j in a form is a number or refused', async (delay, status) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const { headers, body } = form(['phone', '6281234567890'], ['message', 'Invoice'], ['delay', delay])
    const answer = await app.call(key, '/send', body, { headers })
    expect(answer.status, answer.text).toBe(status)
    if (status === 400) expect(answer.body.error.details?.[0]?.field).toBe('delay')
  })

  test.each([
    ['a deep nest', 'too_deep', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['more values than any call needs', 'too_many', `{"a":[${'0,'.repeat(50_000)}0]}`],
  ])('%s as metadata of a form is refused before it is read, and its file goes', async (_what, code, metadata) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const file = { name: 'a.pdf', bytes: samples.pdf }
    const { headers, body } = form(['phone', '6281234567890'], ['metadata', metadata], ['file', file])
    const answer = await app.call(key, '/send', body, { headers })
    expect([answer.status, answer.body.error.details]).toMatchObject([400, [{ field: 'metadata', code }]])
    expect(onDisk(app)).toEqual([])
  })

  test('a form without its file counts for the pace of its caller, who is not hung up on meanwhile', async () => {
    const counted: unknown[] = []
    const file = { name: 'a.pdf', bytes: samples.pdf }
    const whole = form(['phone', '6281234567890'], ['file', file])
    const keep = async ({ content }: FormFile) => {
      let size = 0
      for await (const chunk of content) size += chunk.length
      return size
    }
    const server = createServer(async (req, res) => {
      const pace = (bytes: number) => {
        counted.push(bytes, req.socket.timeout)
        return 0
      }
      const room = { take: () => true, give: () => undefined, pace, worked: () => undefined }
      res.end(String((await readForm(req, { keep, discard: async () => undefined }, room)).file))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answer = await fetch(url, { method: 'POST', ...whole })
    expect(await answer.text()).toBe(String(samples.pdf.length))
    expect(counted).toEqual([whole.body.length - samples.pdf.length, 0])
  })

  test('the same form with the same Idempotency-Key sends once', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const { headers, body } = form(
      ['phone', '6281234567890'],
      ['message', ''],
      ['file', { name: 'a.pdf', bytes: samples.pdf }],
    )
    const once = { headers: { ...headers, 'idempotency-key': 'INV-1' } }
    const first = await app.call<Sent>(key, '/send', body, once)
    const again = await app.call<Sent>(key, '/send', body, once)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.body.data.id).toBe(first.body.data.id)
    // A repeat leaves no second copy, and the message has its file.
    const { uploads } = app.app.store
    expect((await uploads.list()).map(({ id }) => id)).toEqual(onDisk(app))
    expect(onDisk(app)).toHaveLength(1)
    expect((await app.app.store.messages.find({ id: first.body.data.id }))?.file).toBe(`upload:${onDisk(app)[0]}`)
    const other = form(['phone', '6281234567890'], ['message', ''], ['file', { name: 'a.pdf', bytes: samples.png }])
    expect((await app.call(key, '/send', other.body, once)).body.error.code).toBe('idempotency_conflict')
  })

  test('fields as Delphi’s Indy encodes them arrive as they were', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const part = (name: string, encoding: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Transfer-Encoding: ${encoding}\r\n\r\n${value}\r\n`
    const texts = [
      ['quoted-printable', 'Total =3D 5=E2=82=AC, terima =\r\nkasih =*'],
      ['base64', Buffer.from('Total = 5€, terima kasih =*').toString('base64')],
      ['8bit', 'Total = 5€, terima kasih =*'],
    ]
    for (const [encoding = '', text = ''] of texts) {
      const body = `${part('phone', 'quoted-printable', '6281234567890')}${part('message', encoding, text)}--b--\r\n`
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const sent = await app.call<Sent>(key, '/send', body, { headers })
      expect((await app.message(sent.body.data.id)).body, encoding).toBe('Total = 5€, terima kasih =*')
    }
  })

  test('a file whose part names its type and no filename is a file', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const file: Part = ['file', { type: 'image/png', bytes: samples.png }]
    const { headers, body } = form(['phone', '6281234567890'], ['message', 'Invoice'], file)
    const sent = await app.call<Sent>(key, '/send', body, { headers })
    expect(sent.status).toBe(200)
    expect((await app.app.store.messages.find({ id: sent.body.data.id }))?.file).toBe(`upload:${onDisk(app)[0]}`)
  })

  test('a file under another name is refused, not lost, and a field that was left empty is no file', async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const text: Part[] = [
      ['phone', '6281234567890'],
      ['message', 'Invoice'],
    ]
    const call = (...parts: Part[]) => {
      const { headers, body } = form(...text, ...parts)
      return app.call<Sent>(key, '/send', body, { headers })
    }
    const lost = await call(['document', { name: 'a.pdf', bytes: samples.pdf }])
    expect([lost.status, lost.body.message]).toEqual([400, expect.stringContaining('as the part "file"')])
    const none = { name: '', bytes: Buffer.alloc(0) }
    const sent = await call(['file', none], ['photo', none])
    expect(sent.status, sent.text).toBe(200)
    expect((await app.message(sent.body.data.id)).file).toBe(null)
    const empty = await call(['file', { ...none, name: 'a.pdf' }])
    expect(empty.body.error.details).toMatchObject([{ field: 'file', code: 'empty' }])
    expect(onDisk(app)).toEqual([])
  })

  test.each([
    ['in many fields', Array.from({ length: 40 }, (_, n): Part => [`field${n}`, 'x'.repeat(100_000)])],
    ['in a file of another name', [['photo', { name: 'a.png', bytes: Buffer.alloc(4_000_000) }] as Part]],
  ])('a form that holds megabytes beside its file is refused: %s', async (_where, parts) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const { headers, body } = form(['phone', '6281234567890'], ['message', 'Invoice'], ...parts)
    const { status, body: answer } = await app.call(key, '/send', body, { headers })
    expect([status, answer.error.code]).toEqual([413, 'payload_too_large'])
    // The file itself may be larger, and so may a text as long as it may be.
    const whole = form(
      ['phone', '6281234567890'],
      ['message', '\u4e00'.repeat(65_536)],
      [
        'file',
        { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.concat([samples.pdf, Buffer.alloc(4_000_000)]) },
      ],
    )
    expect((await app.call(key, '/send', whole.body, { headers: whole.headers })).status).toBe(200)
  })

  test('what one key has on its way of forms is bounded, and others have their own room', async () => {
    const app = await startApp()
    const [flooding, other] = [await app.key({ sender: SANDBOX }), await app.key({ sender: SANDBOX, name: 'other' })]
    const large = form(
      ['phone', '6281234567890'],
      ['message', 'Invoice'],
      ['x', 'x'.repeat(500_000)],
      ['y', 'y'.repeat(500_000)],
    )
    const port = Number(new URL(app.url).port)
    const begun = Array.from({ length: 24 }, () => {
      const socket = connect(port, '127.0.0.1')
      const head = `POST /send HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${flooding}\r\nConnection: close\r\nContent-Type: ${large.headers['content-type']}\r\nContent-Length: ${large.body.length}\r\n\r\n`
      socket.write(Buffer.concat([Buffer.from(head), large.body.subarray(0, -100)]))
      return socket
    })
    await Promise.all(begun.map((socket) => eventually(() => socket.writableLength === 0)))
    // Each turn of the event loop reads a piece of each of them.
    for (let turn = 0; turn < 500; turn += 1) await setImmediate()
    const small = form(['phone', '6281234567890'], ['message', 'Invoice'])
    expect((await app.call(other, '/send', small.body, { headers: small.headers })).status).toBe(200)
    const ended = begun.map(async (socket) => {
      const answer: Buffer[] = []
      socket.on('data', (chunk: Buffer) => answer.push(chunk))
      socket.write(large.body.subarray(-100))
      await once(socket, 'close')
      return Buffer.concat(answer).toString().slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
    })
    const statuses = await Promise.all(ended)
    expect(statuses.filter((status) => status === '429').length).toBeGreaterThanOrEqual(4)
    expect(
      statuses.every((status) => status === '429' || status === '200'),
      statuses.join(),
    ).toBe(true)
    // Its room is free again.
    expect((await app.call(flooding, '/send', large.body, { headers: large.headers })).status).toBe(200)
  })

  test("another key's file is as unknown as none", async () => {
    const app = await startApp()
    const [one, two] = [await app.key({ sender: SANDBOX }), await app.key({ sender: SANDBOX })]
    const { file_id } = (await store(app, one, samples.pdf)).body.data
    for (const body of [{ file_id }, { file_id: 'nothing' }]) {
      const answer = await send(app, two, body)
      expect([answer.status, answer.body.error.details?.[0]?.field]).toEqual([400, 'file_id'])
    }
    expect((await send(app, one, { file_id, file: 'https://example.com/a.pdf' })).status).toBe(400)
  })

  test('it lives until its last message is final, an unused one for a day', async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const key = await app.key({ sender: SANDBOX })
    const unused = (await store(app, key, samples.png)).body.data.file_id
    const { file_id } = (await store(app, key, samples.pdf)).body.data
    const waiting = await send(app, key, { file_id, delay: (3 * DAY) / 1000 })
    await clock.advance(2 * DAY)
    await eventually(() => onDisk(app).length === 1)
    expect(onDisk(app)).toEqual([file_id])
    expect((await send(app, key, { file_id: unused })).status).toBe(400)
    await clock.advance(DAY)
    await app.reached(waiting.body.data.id, 'sent', 'delivered', 'read')
    await clock.advance(2 * 3_600_000)
    await eventually(() => onDisk(app).length === 0)
    expect(await app.app.store.uploads.list()).toEqual([])
  })

  test('after a long weekend the file of a failed message can be sent again for an hour', async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const shop = await app.sender()
    const key = await app.key({ sender: shop })
    const failed = async (bytes: Buffer) => {
      const { file_id } = (await store(app, key, bytes)).body.data
      const { id } = (await send(app, key, { file_id, ttl: 60 })).body.data
      await clock.advance(2 * 60_000)
      await app.reached(id, 'failed')
      return { id, file_id }
    }
    const [one, other] = [await failed(samples.pdf), await failed(samples.png)]
    await app.restart(() => clock.sleep(5 * DAY))
    await clock.advance(50 * 60_000)
    const answer = await app.owner(`/api/messages/${one.id}/retry`, { method: 'POST' })
    expect(answer.status, answer.text).toBe(200)
    await clock.advance(2 * 3_600_000)
    await eventually(() => !onDisk(app).includes(other.file_id))
    expect(onDisk(app)).toEqual([one.file_id])
  })

  test('the same content to the same number is refused where the key says so', async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const key = await app.key({ sender: SANDBOX, refuse_duplicate_content_seconds: 60 })
    const file = async () => (await store(app, key, samples.pdf)).body.data.file_id
    const first = await send(app, key, { file_id: await file() })
    const again = await send(app, key, { file_id: await file() })
    expect([again.status, again.body.error.code, again.body.error.message_id]).toEqual([
      409,
      'duplicate_content',
      first.body.data.id,
    ])
    expect((await send(app, key, { file_id: await file(), message: 'Other' })).status).toBe(200)
    expect((await send(app, key, { file_id: await file(), phone: '6281234567899' })).status).toBe(200)
    await clock.advance(61_000)
    expect((await send(app, key, { file_id: await file() })).status).toBe(200)
  })
})

describe('a file of this PC', () => {
  const shop = async () => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const folder = temporaryFolder()
    const outside = temporaryFolder()
    mkdirSync(join(folder, 'mei'))
    writeFileSync(join(folder, 'mei', 'a b.pdf'), samples.pdf)
    writeFileSync(join(outside, 'secret.pdf'), samples.pdf)
    symlinkSync(join(outside, 'secret.pdf'), join(folder, 'link.pdf'))
    symlinkSync(outside, join(folder, 'way'))
    symlinkSync(join(folder, 'mei', 'a b.pdf'), join(folder, 'inside.pdf'))
    symlinkSync(app.home, join(folder, 'kurir'))
    const allow = (folders: string[]) =>
      app.owner('/api/settings', { method: 'PATCH', body: { file_folders: folders } })
    expect((await allow([folder])).status).toBe(200)
    const url = (...path: string[]) => pathToFileURL(join(...path)).href
    return { app, key, folder, outside, allow, url }
  }

  test('below an allowed folder it is sent as it was when the call came', async () => {
    const { app, key, folder, url } = await shop()
    const { status, body, text } = await send(app, key, { file: url(folder, 'mei', 'a b.pdf') })
    expect(status, text).toBe(200)
    writeFileSync(join(folder, 'mei', 'a b.pdf'), 'another')
    expect(await app.reached(body.data.id, 'read')).toMatchObject({ fileSha256: sha256(samples.pdf) })
  })

  test('of a call that is refused no copy stays', async () => {
    const { app, key, folder, url } = await shop()
    await app.owner('/suppressions', { body: { phone: '6281234567890', scope: 'all' } })
    const { status, body } = await send(app, key, { file: url(folder, 'mei', 'a b.pdf') })
    expect([status, body.error.code]).toEqual([409, 'recipient_opted_out'])
    expect(onDisk(app)).toEqual([])
  })

  test('nothing else is, and the answer does not say whether it exists', async () => {
    const { app, key, folder, outside, allow, url } = await shop()
    await allow([folder, app.home])
    const forbidden = [
      url(outside, 'secret.pdf'),
      url(outside, 'missing.pdf'),
      url(folder, 'missing.pdf'),
      url(folder, 'link.pdf'),
      url(folder, 'inside.pdf'),
      url(folder, 'way', 'secret.pdf'),
      url(folder, 'kurir', 'owner.token'),
      url(app.home, 'owner.token'),
      url(folder),
      url(folder, 'mei'),
      `${url(folder)}/mei/..%2f..%2fetc%2fpasswd`,
      `${url(folder)}/../${outside.split('/').at(-1)}/secret.pdf`,
      'file:///etc/passwd',
      'file:////server/share/a.pdf',
    ]
    const answers = await Promise.all(forbidden.map((file) => send(app, key, { file })))
    expect(answers.map(({ status }) => status)).toEqual(forbidden.map(() => 400))
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1)
    expect((await send(app, key, { file: 'file://server/share/a.pdf' })).status).toBe(400)
    expect(onDisk(app)).toEqual([])
  })

  test('a folder must be a whole path', async () => {
    const { allow } = await shop()
    expect((await allow(['PDF'])).status).toBe(400)
  })
})

test('bodies whose files wait for their turn hold no more memory than the share of their caller', async () => {
  const home = temporaryFolder()
  const store = await openTestStore({ home, now: Date.now, soon: 0 })
  onTestFinished(store.close)
  const ids = Array.from({ length: 20 }, (_, n) => `f${n}`)
  const uploads = createUploads({
    folder: join(home, 'files'),
    rows: store.uploads,
    shared: null,
    quota: () => 1e9,
    newId: () => ids.pop() ?? '',
    endTime: Date.now,
    clock: systemClock,
  })
  const bodies = createBodyReader()
  const forms = createFormReader(uploads, bodies, createFormRooms(bodies))
  const end = Promise.withResolvers<void>()
  async function* content() {
    yield samples.pdf
    await end.promise
  }
  // As many as a caller may send at once.
  const slow = Array.from({ length: 8 }, () =>
    uploads.store({ content: content(), name: 'a.pdf', contentType: undefined, keyNumber: null, keptFor: DAY }),
  )
  const pdf = Buffer.concat([samples.pdf, Buffer.alloc(7 * 1024 * 1024)])
  const body = Buffer.from(JSON.stringify({ file: `data:application/pdf;base64,${pdf.toString('base64')}` }))
  const read = () => forms.readDataFile(body, 'application/json', { kind: 'owner', session: null })
  const waiting = read()
  await expect(Promise.race([read(), waiting])).rejects.toMatchObject({ code: 'rate_limited' })
  end.resolve()
  await Promise.all([...slow, waiting])
  expect(await read()).toBeDefined()
})
