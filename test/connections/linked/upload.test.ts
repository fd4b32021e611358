import { createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { getMediaKeys } from 'baileys'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LinkedContext } from '../../../server/connections/linked/account/context.ts'
import { uploadMedia } from '../../../server/connections/linked/media/upload.ts'
import { createGuardedDispatcher, MOST_ANSWER_BYTES, mediaPolicy } from '../../../server/lib/net-guard.ts'
import { createTestClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startMediaHost } from '../../support/whatsapp-peer/media-host.ts'

const never = new AbortController().signal

async function start({ bytes = randomBytes(300_000), behind = [] as string[] } = {}) {
  const host = await startMediaHost()
  onTestFinished(() => host.close())
  const path = join(temporaryFolder(), 'foto')
  await writeFile(path, bytes)
  const clock = createTestClock()
  const asked: boolean[] = []
  const named = [host.address, ...behind].map((hostname) => ({ hostname, maxContentLengthBytes: 0 }))
  const upload = (given: Partial<LinkedContext> = {}) =>
    uploadMedia(
      { path, kind: 'image', mimetype: 'image/jpeg', fileName: 'foto.jpg', size: bytes.length, sha256: '' },
      { dispatcher: host.dispatcher, clock, stopping: never, ...given } as LinkedContext,
      async (renewed) => {
        asked.push(renewed)
        return { auth: 'a+b', hosts: named }
      },
    )
  return { host, clock, asked, named, upload, bytes }
}

test.each([0, 1, 15, 16, 65_536, 300_001])('%i bytes lie there encrypted, as WhatsApp has it', async (size) => {
  const { host, upload, bytes } = await start({ bytes: randomBytes(size) })
  const { directPath = '', mediaKey, fileLength, fileSha256, fileEncSha256 } = await upload()
  const there = host.file(directPath) ?? Buffer.alloc(0)
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, 'image')
  const [sealed, mac] = [there.subarray(0, -10), there.subarray(-10)]
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  expect(Buffer.concat([decipher.update(sealed), decipher.final()]).equals(bytes)).toBe(true)
  expect(
    createHmac('sha256', macKey ?? '')
      .update(iv)
      .update(sealed)
      .digest()
      .subarray(0, 10),
  ).toEqual(mac)
  expect([fileSha256, fileEncSha256]).toEqual([sha256(bytes), sha256(there)])
  expect(fileLength).toBe(size)
  const token = sha256(there).toString('base64url')
  expect(host.requests).toEqual([{ method: 'POST', path: `/mms/image/${token}` }])
})

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

type Answer = (response: ServerResponse) => void
const afterwards =
  (answer: Answer) =>
  (request: IncomingMessage, response: ServerResponse): void =>
    void request.resume().on('end', () => answer(response))

describe('a host does not take a file', () => {
  test.each<[string, Answer, string]>([
    ['cut answer', (r) => cut(r.writeHead(200, { 'content-length': 500 })), 'the connection was cut'],
    ['cut answer in chunks', (r) => cut(r.writeHead(200)), 'the connection was cut'],
    ['other protocol', (r) => void r.writeHead(101, { upgrade: 'tea', connection: 'upgrade' }).end(), ''],
    ['address that is none', (r) => void r.writeHead(302, { location: 'http://[' }).end(), 'it answered 302'],
    ['other address', (r) => void r.writeHead(307, { location: 'https://127.0.0.1:1/' }).end(), 'it answered 307'],
    ['endless answer', endless, 'its answer is too long'],
    ['no JSON', (r) => void r.end('<html>'), 'its answer does not say where the file lies'],
    ['null', (r) => void r.end('null'), 'its answer does not say where the file lies'],
    ['nothing in it', (r) => void r.end('{"url":""}'), 'its answer does not say where the file lies'],
    ['broken connection', (r) => void r.socket?.destroy(), 'the connection was cut'],
  ])('%s', async (_, answer, words) => {
    const { host, upload } = await start()
    host.misbehave(afterwards(answer))
    await expect(upload()).rejects.toThrow(
      `WhatsApp's host for files (${host.address}) did not take the file: ${words}`,
    )
  })

  test('before it has read it', async () => {
    const { host, upload } = await start({ bytes: randomBytes(8_000_000) })
    host.misbehave((_, response) => void response.writeHead(413).end())
    await expect(upload()).rejects.toThrow('did not take the file')
  })
})

function cut(response: ServerResponse): void {
  response.write('{"url":')
  response.socket?.end()
}

function endless(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed && response.write(' '.repeat(16_384))) {}
    if (!response.destroyed) response.once('drain', write)
  }
  write()
}

test('the next host takes what the first does not', async () => {
  const other = await startMediaHost()
  onTestFinished(() => other.close())
  const { host, upload, asked } = await start({ behind: [other.address] })
  let calls = 0
  const dispatcher = host.dispatcher.compose((dispatch) => (options, handler) => {
    calls += 1
    return calls === 1 ? dispatch(options, handler) : other.dispatcher.dispatch(options, handler)
  })
  host.misbehave(afterwards((response) => void response.writeHead(500).end()))
  const { directPath = '' } = await upload({ dispatcher })
  expect(other.file(directPath)).toBeDefined()
  expect(asked).toEqual([false])
})

test('words that a host no longer takes are asked for once more', async () => {
  const { host, upload, asked } = await start()
  host.misbehave(
    afterwards((response) => {
      host.misbehave()
      response.writeHead(401).end()
    }),
  )
  expect((await upload()).directPath).toBeDefined()
  expect(asked).toEqual([false, true])
  host.refuse(403)
  await expect(upload()).rejects.toThrow('it answered 403')
  expect(asked).toEqual([false, true, false, true])
})

test('a host that never answers is left after a minute', async () => {
  const { host, upload, clock } = await start()
  const arrived = Promise.withResolvers<void>()
  host.misbehave(afterwards(() => arrived.resolve()))
  const outcome = expect(upload()).rejects.toThrow('nothing came for 60 seconds')
  await arrived.promise
  await clock.advance(60_000)
  await outcome
})

test('a stop ends an upload with its own reason', async () => {
  const { host, upload } = await start()
  const stopping = new AbortController()
  host.misbehave(afterwards(() => stopping.abort(new Error('Kurir is stopping'))))
  await expect(upload({ stopping: stopping.signal })).rejects.toThrow(/^Kurir is stopping$/)
})

test('an address that is not public is not called, and a name that is none is left out', async () => {
  const { host, upload, named } = await start()
  const dispatcher = createGuardedDispatcher({ policy: mediaPolicy([]), mostBytes: MOST_ANSWER_BYTES })
  onTestFinished(() => dispatcher.destroy())
  await expect(upload({ dispatcher })).rejects.toThrow('127.0.0.1 is refused: it is a loopback address')
  named.splice(0, 1, { hostname: 'evil.example/path', maxContentLengthBytes: 0 })
  await expect(upload()).rejects.toThrow('WhatsApp named no host for files')
  expect(host.requests).toEqual([])
})
