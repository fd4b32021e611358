import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type BodyError, createByteShares, dropBody, readBody } from '../../server/lib/read-body.ts'

const MIB = 1024 * 1024

test('a share is what one caller has on its way, and is given back', () => {
  const shares = createByteShares<string>(10)
  expect([shares.take('a', 10), shares.take('a', 1), shares.take('b', 10)]).toEqual([true, false, true])
  shares.give('a', 10)
  expect(shares.take('a', 1)).toBe(true)
})

test('large bodies of many callers leave each a small share, and no more', () => {
  const shares = createByteShares<string>(10, 20, 2)
  expect([shares.take('a', 10), shares.take('b', 10)]).toEqual([true, true])
  expect([shares.take('c', 3), shares.take('c', 2), shares.take('c', 1)]).toEqual([false, true, false])
  shares.give('a', 10)
  shares.give('a', 10)
  expect([shares.take('d', 9), shares.take('c', 3)]).toEqual([false, true])
})

describe('a body', () => {
  let server: Server
  const requests: ((req: IncomingMessage) => Promise<unknown>)[] = []

  beforeAll(async () => {
    server = createServer(async (req, res) => {
      const result = await requests.shift()?.(req)
      await dropBody(req, res, { most: 8 * MIB, within: 60_000 })
      res.end(JSON.stringify(result))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => void server.close())

  async function post(body: Buffer, work: (req: IncomingMessage) => Promise<unknown>): Promise<unknown> {
    requests.push(work)
    const { port } = server.address() as AddressInfo
    const sent = request({ host: '127.0.0.1', port, method: 'POST' }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return JSON.parse(Buffer.concat(await answer.toArray()).toString())
  }

  test('is read no further while the pace says so, and whole in the end', async () => {
    let read = 0
    let early = 0
    let resting = false
    const pace = (bytes: number): number => {
      if (resting) early += 1
      read += bytes
      resting = true
      setTimeout(() => {
        resting = false
      }, 1)
      return 5
    }
    const body = Buffer.alloc(MIB, 'x')
    const size = await post(
      body,
      async (req) => (await readBody(req, { limit: 2 * MIB, within: 60_000, take: () => true, pace })).length,
    )
    expect([size, read, early]).toEqual([MIB, MIB, 0])
  })

  test('that comes together with its head is bounded like any other, and comes to its end', async () => {
    const asked: number[] = []
    const note = (bytes: number) => asked.push(bytes)
    const whole = (take: (bytes: number) => boolean) =>
      post(Buffer.alloc(100, 'x'), async (req) => {
        const ended = once(req, 'end')
        const result = await readBody(req, { limit: 100, within: 60_000, take, pace: note }).then(
          (body) => body.length,
          (error: { reason: string }) => error.reason,
        )
        await ended
        return result
      })
    expect(await whole((bytes) => note(bytes) > 0)).toBe(100)
    expect(asked).toEqual([100, 100])
    expect(await whole(() => false)).toBe('too_many')
  })

  test('that is refused is dropped at the same pace', async () => {
    let dropped = 0
    let paused = 0
    const answer = await post(Buffer.alloc(MIB, 'x'), async (req) => {
      const refusal = await readBody(req, { limit: 1000, within: 60_000, take: () => true }).catch(
        (error: { reason: string }) => error.reason,
      )
      const pace = (bytes: number): number => {
        dropped += bytes
        setImmediate(() => {
          if (req.isPaused()) paused += 1
        })
        return 5
      }
      await dropBody(req, { headersSent: false } as never, { most: 8 * MIB, within: 60_000, pace })
      return refusal
    })
    expect([answer, dropped]).toEqual(['too_large', MIB])
    expect(paused).toBeGreaterThan(0)
  })
})

describe('a body whose sender went away while it waited to be read', () => {
  /** Reads what came once the connection is closed. */
  async function readLate(body: string): Promise<string> {
    const read = Promise.withResolvers<string>()
    const server = createServer((req) => {
      req.on('error', () => undefined)
      req.socket.once('close', () => {
        readBody(req, { limit: 100, within: 50, take: () => true }).then(
          (bytes) => read.resolve(bytes.toString()),
          (error: BodyError) => read.resolve(error.reason),
        )
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.end(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n${body}`)
    return read.promise
  }

  test('is taken where it came whole', async () => {
    expect(await readLate('INV1')).toBe('INV1')
  })

  test('is incomplete where it did not, and nobody waits for more', async () => {
    expect(await readLate('INV')).toBe('incomplete')
  })
})
