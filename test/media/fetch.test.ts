import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createGuardedDispatcher, MOST_ANSWER_BYTES, mediaPolicy, type Resolve } from '../../server/lib/net-guard.ts'
import { createMediaFetcher, type MediaFile, MOST_IDLE, MOST_TOTAL } from '../../server/media/fetch.ts'
import { createMediaService } from '../../server/media/files.ts'
import { LARGEST_FILE } from '../../server/media/kind.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { createRecordingConnector, type RecordingConnector } from '../support/connector.ts'
import { CHUNK, CHUNKED, startFlood } from '../support/flood.ts'
import { startHttpServer, type TestServer } from '../support/http-server.ts'
import { samples } from '../support/samples.ts'

const MB = 1024 * 1024
const HOSTS: Record<string, string[]> = { 'files.example': ['93.184.215.14'], 'inner.example': ['10.0.0.9'] }

let folder: string
let clock: TestClock
let network: RecordingConnector
let server: TestServer
/** `method path` of each request that arrived. */
let requests: string[]
let answer: RequestListener

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurir-media-'))
  clock = createTestClock()
  network = createRecordingConnector()
  requests = []
  server = await startHttpServer((req, res) => {
    requests.push(`${req.method} ${req.url}`)
    answer(req, res)
  })
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

interface Options {
  host?: string
  allowed?: string[]
  resolve?: Resolve
  signal?: AbortSignal
}

async function fetchPath(
  path: string,
  { host = 'files.example', allowed = [], ...options }: Options = {},
): Promise<MediaFile> {
  const dispatcher = createGuardedDispatcher({
    policy: mediaPolicy(allowed),
    mostBytes: LARGEST_FILE + MOST_ANSWER_BYTES,
    resolve: options.resolve ?? (async (name) => HOSTS[name] ?? []),
    connect: network.connect,
  })
  const fetchMedia = createMediaFetcher(dispatcher, clock)
  const url = `http://${host}:${server.port}${path}`
  try {
    return await fetchMedia(url, join(folder, 'm1'), options.signal ?? new AbortController().signal)
  } finally {
    await dispatcher.destroy()
  }
}

/** Lets all retries happen, and checks that nothing is left in the folder. */
async function failure(running: Promise<MediaFile>, retries = 0): Promise<unknown> {
  const ended = running.then(
    (file) => file,
    (error: unknown) => error,
  )
  for (const delay of [1_000, 4_000, 16_000].slice(0, retries)) {
    await clock.scheduled(delay)
    await clock.advance(delay)
  }
  const error = await ended
  expect(await readdir(folder)).toEqual([])
  return error
}

const send =
  (bytes: Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, res) => {
    res.writeHead(200, headers).end(bytes)
  }

describe('a file that is there', () => {
  test.each([
    ['/foto.png', samples.png, 'image', 'image/png', 'foto.png'],
    ['/faktur.php?no=17', samples.pdf, 'document', 'application/pdf', 'faktur.pdf'],
    ['/', samples.pdf, 'document', 'application/pdf', 'document.pdf'],
    ['/suara', samples.opus, 'audio', 'audio/ogg; codecs=opus', 'suara.ogg'],
    ['/klip.mp4', samples.mp4, 'video', 'video/mp4', 'klip.mp4'],
    [
      '/surat.docx',
      samples.docx,
      'document',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'surat.docx',
    ],
    ['/gambar.svg', samples.svg, 'document', 'image/svg+xml', 'gambar.svg'],
  ])('%s', async (path, bytes, kind, mimetype, fileName) => {
    answer = send(bytes)
    const file = await fetchPath(path)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(file).toEqual({ path: join(folder, 'm1'), kind, mimetype, fileName, size: bytes.length, sha256 })
    expect(await readFile(file.path)).toEqual(bytes)
  })

  test('its type is that of its content, its name that of Content-Disposition', async () => {
    answer = send(samples.pdf, {
      'content-type': 'image/png',
      'content-disposition': "attachment; filename*=UTF-8''..%2F..%2FFaktur%20%D9%81.pdf",
    })
    expect(await fetchPath('/x.jpg')).toMatchObject({ mimetype: 'application/pdf', fileName: 'Faktur ف.pdf' })
  })

  test('a large one arrives byte for byte', async () => {
    const bytes = Buffer.concat([samples.mp4, Buffer.alloc(20 * MB, 'kurir')])
    answer = send(bytes)
    const file = await fetchPath('/long.mp4')
    expect(file.size).toBe(bytes.length)
    expect((await readFile(file.path)).equals(bytes)).toBe(true)
  })
})

describe('caps', () => {
  const endless =
    (start: Buffer, headers: Record<string, string> = {}): RequestListener =>
    (_, res) => {
      res.writeHead(200, headers)
      res.write(start)
      const more = (): void => {
        while (!res.closed && res.write(Buffer.alloc(MB)));
      }
      res.on('drain', more)
      more()
    }

  test.each([
    ['image', 16, samples.png],
    ['audio', 16, samples.opus],
    ['video', 64, samples.mp4],
    ['document', 100, samples.pdf],
  ])('an %s that goes on and on ends at %i MB', async (kind, cap, start) => {
    answer = endless(start)
    expect(await failure(fetchPath('/x'))).toMatchObject({
      code: 'media_too_large',
      message: `The ${kind} on files.example:${server.port} is larger than ${cap} MB.`,
    })
    expect(requests).toHaveLength(1)
  })

  test('exactly the cap is allowed, one byte more is not', async () => {
    const exact = Buffer.concat([samples.png, Buffer.alloc(16 * MB - samples.png.length)])
    answer = send(exact)
    expect((await fetchPath('/x')).size).toBe(16 * MB)
    await rm(join(folder, 'm1'))
    answer = (_, res) => {
      res.write(exact)
      res.end('x')
    }
    expect(await failure(fetchPath('/x'))).toMatchObject({ code: 'media_too_large' })
  })

  test('an announced size is refused before the file is read', async () => {
    answer = (_, res) => {
      res.writeHead(200, { 'content-length': String(100 * MB + 1) }).flushHeaders()
    }
    expect(await failure(fetchPath('/x'))).toMatchObject({ code: 'media_too_large' })
  })

  test('a size too large for its kind is refused as soon as the kind is seen', async () => {
    answer = (_, res) => {
      res.writeHead(200, { 'content-length': String(17 * MB) })
      res.write(Buffer.concat([samples.png, Buffer.alloc(65_536)]))
    }
    expect(await failure(fetchPath('/x'))).toMatchObject({ code: 'media_too_large' })
  })
})

describe('retries', () => {
  test.each([500, 502, 503, 429, 408])('%i is asked four times in all', async (status) => {
    answer = (_, res) => res.writeHead(status).end()
    expect(await failure(fetchPath('/x'), 3)).toMatchObject({
      code: 'media_unreachable',
      message: `files.example:${server.port} answered ${status} instead of the file.`,
    })
    expect(requests).toHaveLength(4)
  })

  test.each([400, 401, 403, 404, 410, 204, 206, 304])('%i is asked once', async (status) => {
    answer = (_, res) => res.writeHead(status).end()
    expect(await failure(fetchPath('/x'))).toMatchObject({ code: 'media_unreachable' })
    expect(requests).toHaveLength(1)
  })

  test('a server that recovers gives the file', async () => {
    answer = (_, res) => (requests.length < 3 ? res.writeHead(503).end() : res.end(samples.png))
    const running = fetchPath('/x')
    for (const delay of [1_000, 4_000]) {
      await clock.scheduled(delay)
      await clock.advance(delay)
    }
    expect((await running).kind).toBe('image')
  })

  test('a body that ends before its announced length is not taken for whole', async () => {
    answer = (_, res) => {
      res.writeHead(200, { 'content-length': '5000' })
      res.write(samples.png, () => res.socket?.end())
    }
    expect(await failure(fetchPath('/x'), 3)).toMatchObject({ code: 'media_unreachable' })
    expect(requests).toHaveLength(4)
  })

  test('a body that goes on after its announced length is cut there', async () => {
    answer = (_, res) => {
      res.socket?.end(
        `HTTP/1.1 200 OK\r\nContent-Length: ${samples.png.length}\r\n\r\n${samples.png.toString('latin1')}more`,
        'latin1',
      )
    }
    expect((await fetchPath('/x')).size).toBe(samples.png.length)
  })

  test('a chunked body that breaks off is not taken for whole', async () => {
    answer = (_, res) => {
      res.write(samples.png, () => res.socket?.destroy())
    }
    expect(await failure(fetchPath('/x'), 3)).toMatchObject({ code: 'media_unreachable' })
  })

  test('nobody listening', async () => {
    await server.close()
    const error = await failure(fetchPath('/x'), 3)
    expect(error).toMatchObject({
      code: 'media_unreachable',
      message: expect.stringContaining('nothing listens there'),
    })
    server = await startHttpServer(() => undefined)
  })

  test('a name that does not exist', async () => {
    const error = await failure(fetchPath('/x', { host: 'nowhere.example' }), 3)
    expect(error).toMatchObject({ code: 'media_unreachable', message: expect.stringContaining('ENOTFOUND') })
    expect(network.calls).toEqual([])
  })
})

describe('slow servers', () => {
  test('silence after the headers ends each attempt after 30 seconds', async () => {
    answer = (_, res) => res.writeHead(200).flushHeaders()
    const running = fetchPath('/x')
    const ended = failure(running)
    for (const delay of [1_000, 4_000, 16_000]) {
      await clock.scheduled(MOST_IDLE)
      await clock.advance(MOST_IDLE)
      await clock.scheduled(delay)
      await clock.advance(delay)
    }
    await clock.scheduled(MOST_IDLE)
    await clock.advance(MOST_IDLE)
    expect(await ended).toMatchObject({
      code: 'media_unreachable',
      message: expect.stringContaining('nothing came for 30 seconds'),
    })
  })

  test('a slow drip keeps the line busy but does not outlive the whole time', async () => {
    const stop = new AbortController()
    let drip: () => Promise<void> = async () => undefined
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    answer = (_, res) => {
      drip = () => new Promise((resolve) => res.write('x', () => resolve()))
      void drip().then(begin)
    }
    const ended = failure(fetchPath('/x', { signal: stop.signal }))
    await begun
    for (let passed = 0; passed < MOST_TOTAL; passed += MOST_IDLE / 2) {
      const touched = clock.rescheduled(MOST_IDLE)
      await drip()
      await touched
      await clock.advance(MOST_IDLE / 2)
    }
    // Silence never ended it: a second attempt would have come by now. Only now is it over, and the wait has begun.
    expect(requests).toHaveLength(1)
    await clock.scheduled(1_000)
    stop.abort(new Error('stopped'))
    expect(await ended).toMatchObject({ message: 'stopped' })
  })
})

test('a host that sends far more beside a file than in it is cut off, once', async () => {
  const { port } = await startFlood(CHUNKED, CHUNK)
  const media = createMediaService(join(folder, 'media'), {}, mediaPolicy(['127.0.0.1']), {} as never, clock)
  onTestFinished(media.close)
  const error: unknown = await media.take('m1', `http://127.0.0.1:${port}/x`).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'media_unreachable',
    message: expect.stringMatching(/its answer has more than \d+ bytes/),
  })
})

describe('abort', () => {
  test('in the middle of a file: the reason comes out, nothing stays', async () => {
    const stop = new AbortController()
    answer = (_, res) => {
      res.write(samples.png, () => stop.abort(new Error('stopped')))
    }
    expect(await failure(fetchPath('/x', { signal: stop.signal }))).toMatchObject({ message: 'stopped' })
  })

  test('while waiting for the next attempt', async () => {
    const stop = new AbortController()
    answer = (_, res) => res.writeHead(500).end()
    const ended = failure(fetchPath('/x', { signal: stop.signal }))
    await clock.scheduled(1_000)
    stop.abort(new Error('stopped'))
    expect(await ended).toMatchObject({ message: 'stopped' })
  })

  test('before the start: nothing is asked', async () => {
    const ended = failure(fetchPath('/x', { signal: AbortSignal.abort(new Error('stopped')) }))
    expect(await ended).toMatchObject({ message: 'stopped' })
    expect(requests).toEqual([])
  })
})

describe('addresses', () => {
  test('a private address is blocked, once and without a connection, and the hint names the way out', async () => {
    expect(await failure(fetchPath('/x', { host: '192.168.1.10' }))).toMatchObject({
      code: 'media_blocked',
      message: '192.168.1.10 is refused: it is a private address.',
      hint: expect.stringContaining('add 192.168.1.10 to the allowed media hosts'),
    })
    expect(network.calls).toEqual([])
  })

  test('a listed LAN host is allowed', async () => {
    answer = send(samples.pdf)
    const file = await fetchPath('/faktur.pdf', { host: '192.168.1.10', allowed: ['192.168.1.0/24'] })
    expect(file.fileName).toBe('faktur.pdf')
    expect(network.calls).toEqual([`192.168.1.10:${server.port}`])
  })

  test('a name that resolves to a private address is blocked', async () => {
    expect(await failure(fetchPath('/x', { host: 'inner.example' }))).toMatchObject({ code: 'media_blocked' })
    expect(network.calls).toEqual([])
  })

  test.each(['http://127.0.0.1/x', 'http://[::ffff:10.0.0.1]/', 'http://2852039166/', 'http://inner.example/x'])(
    'a redirect to %s is blocked before a connection',
    async (location) => {
      answer = (_, res) => res.writeHead(302, { location }).end()
      expect(await failure(fetchPath('/x'))).toMatchObject({ code: 'media_blocked' })
      expect(network.calls).toEqual([`93.184.215.14:${server.port}`])
    },
  )

  test('a redirect back to the same name is resolved and checked again', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1']]
    answer = (_, res) => res.writeHead(302, { location: '/again' }).end()
    const running = fetchPath('/x', { resolve: async () => answers.shift() ?? [] })
    expect(await failure(running)).toMatchObject({ code: 'media_blocked' })
    expect(requests).toEqual(['GET /x'])
  })
})

describe('redirects', () => {
  test('five are followed, and the last address with an extension names the file', async () => {
    answer = (req, res) => {
      const hop = Number(req.url?.slice(1))
      if (hop < 5) res.writeHead([301, 302, 303, 307, 308][hop] ?? 302, { location: `/${hop + 1}` }).end('moved')
      else res.end(samples.pdf)
    }
    expect((await fetchPath('/0')).fileName).toBe('5.pdf')
    expect(requests).toHaveLength(6)
  })

  test('a sixth is not', async () => {
    answer = (_, res) => res.writeHead(302, { location: '/x' }).end()
    expect(await failure(fetchPath('/x'))).toMatchObject({
      code: 'media_unreachable',
      message: expect.stringContaining('more than 5 times'),
    })
    expect(requests).toHaveLength(6)
  })

  test.each([
    'file:///etc/passwd',
    'ftp://files.example/x',
    'data:text/plain,hi',
    'http://user:pass@files.example/',
    'http://[bad',
    `/${'.'.repeat(2048)}`,
  ])('to %s is invalid', async (location) => {
    answer = (_, res) => res.writeHead(302, { location }).end()
    expect(await failure(fetchPath('/x'))).toMatchObject({ code: 'media_invalid' })
    expect(requests).toHaveLength(1)
  })
})

describe('unusable answers', () => {
  test('an empty file is invalid', async () => {
    answer = send(Buffer.alloc(0))
    expect(await failure(fetchPath('/x'))).toMatchObject({ code: 'media_invalid' })
  })

  test('a compressed file that was not asked for is invalid', async () => {
    answer = send(Buffer.from('1f8b', 'hex'), { 'content-encoding': 'gzip' })
    expect(await failure(fetchPath('/x'))).toMatchObject({ code: 'media_invalid' })
  })

  test('a folder that is gone is reported as such, not as the fault of the file server', async () => {
    answer = send(samples.png)
    await rm(folder, { recursive: true })
    await expect(fetchPath('/x')).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' })
    folder = await mkdtemp(join(tmpdir(), 'kurir-media-'))
  })
})
