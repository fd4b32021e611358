import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'
import { AddressBlocked, createGuardedDispatcher, MOST_ANSWER_BYTES } from '../../server/lib/net-guard.ts'
import { callbackErrorOf, createPostCallback, type PostResult } from '../../server/webhooks/attempt.ts'
import { createSecret, signatureHeaders } from '../../server/webhooks/callback.ts'
import { callbackPolicy } from '../../server/webhooks/target.ts'
import { createTestClock } from '../support/clock.ts'
import { startHttpServer, type TestServer } from '../support/http-server.ts'

const BODY = '{"type":"webhook.test","data":{"webhook_id":"w1"}}'
const HEADERS = signatureHeaders('d1', Date.now(), BODY, [createSecret()])
const clock = createTestClock()
const own: number[] = []
const dispatcher = createGuardedDispatcher({
  policy: callbackPolicy({ ports: () => own, addresses: () => [] }),
  mostBytes: MOST_ANSWER_BYTES,
})
const post = createPostCallback(dispatcher, clock, '1.2.3')
const servers: TestServer[] = []

afterEach(async () => {
  own.length = 0
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function receiver(listener: RequestListener): Promise<TestServer> {
  const server = await startHttpServer(listener)
  servers.push(server)
  return server
}

async function postTo(listener: RequestListener): Promise<PostResult> {
  const { url } = await receiver(listener)
  return post({ url, call: { body: BODY }, headers: HEADERS })
}

test('a receiver gets the body as signed, and its answer is kept', async () => {
  const secret = createSecret()
  let verified: unknown
  const { url } = await receiver(async (req, res) => {
    const chunks = await req.toArray()
    const headers = req.headers as Record<string, string>
    verified = new Webhook(secret).verify(Buffer.concat(chunks).toString(), headers)
    expect(headers).toMatchObject({ 'user-agent': 'Kurir/1.2.3', 'content-type': 'application/json' })
    res.writeHead(202).end('thanks')
  })
  const headers = signatureHeaders('d1', Date.now(), BODY, [secret])
  expect(await post({ url, call: { body: BODY }, headers })).toEqual({ status: 202, body: 'thanks', tookMs: 0 })
  expect(verified).toEqual(JSON.parse(BODY))
})

test('a format may use GET, or post another content type than JSON', async () => {
  const seen: unknown[] = []
  const { url } = await receiver(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString()
    seen.push([req.method, req.url, req.headers['content-type'], body])
    res.end()
  })
  const query = { 'hub.challenge': '1 & 2' }
  await post({ url: `${url}/hook?shop=4`, call: { method: 'GET', query, body: '' }, headers: {} })
  const contentType = 'application/x-www-form-urlencoded'
  await post({ url: `${url}/hook?shop=%C3%A9`, call: { body: 'a=1', contentType }, headers: {} })
  expect(seen).toEqual([
    ['GET', '/hook?shop=4&hub.challenge=1+%26+2', undefined, ''],
    ['POST', '/hook?shop=%C3%A9', contentType, 'a=1'],
  ])
})

test('a redirect is not followed', async () => {
  const paths: (string | undefined)[] = []
  const result = await postTo((req, res) => {
    paths.push(req.url)
    res.writeHead(302, { location: '/elsewhere' }).end()
  })
  expect(result.status).toBe(302)
  expect(paths).toEqual(['/'])
})

test('the result contains Retry-After', async () => {
  const result = await postTo((_, res) => res.writeHead(503, { 'retry-after': '120' }).end('busy'))
  expect(result).toEqual({ status: 503, retryAfter: '120', body: 'busy', tookMs: 0 })
})

test('only 2 KiB of an endless answer are read, then the connection is closed', async () => {
  let closed: Promise<unknown> = Promise.resolve()
  const result = await postTo((_, res) => {
    closed = once(res, 'close')
    const more = (): void => {
      while (res.write('x'.repeat(1000)));
    }
    res.on('drain', more)
    more()
  })
  expect(result.status).toBe(200)
  expect(result.body).toBe('x'.repeat(2048))
  await closed
})

test('a character that the limit cuts in two is dropped', async () => {
  const result = await postTo((_, res) => res.end(`x${'é'.repeat(2000)}`))
  expect(result.body).toBe(`x${'é'.repeat(1023)}`)
})

test('no answer within 15 seconds is an error', async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const result = postTo(() => arrive())
  await arrived
  await clock.advance(15_000)
  expect(await result).toEqual({ error: 'no answer within 15 seconds', errorCode: 'timeout', tookMs: 15_000 })
})

test('a 2xx whose body never ends is a success with the received part', async () => {
  const headersRead = new Promise<void>((resolve) => {
    const heard = (): void => {
      unsubscribe('undici:request:headers', heard)
      resolve()
    }
    subscribe('undici:request:headers', heard)
  })
  const result = postTo((_, res) => {
    res.writeHead(200)
    res.write('begun')
  })
  await headersRead
  await clock.advance(15_000)
  expect(await result).toMatchObject({ status: 200, tookMs: 15_000 })
})

test('a refused connection gives an error sentence', async () => {
  const { url, close } = await startHttpServer(() => undefined)
  await close()
  expect(await post({ url, call: { body: BODY }, headers: HEADERS })).toEqual({
    error: 'nothing listens there (ECONNREFUSED)',
    errorCode: 'connection_refused',
    tookMs: 0,
  })
})

test.each([
  [Object.assign(new Error(), { code: 'ECONNREFUSED' }), 'connection_refused'],
  [Object.assign(new Error(), { code: 'ENOTFOUND' }), 'host_not_found'],
  [Object.assign(new Error(), { code: 'CERT_HAS_EXPIRED' }), 'certificate_expired'],
  [Object.assign(new Error(), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }), 'certificate'],
  [Object.assign(new Error(), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }), 'no_tls'],
  [new AddressBlocked('till.local', '192.0.2.9', 'it is a private address'), 'address_not_allowed'],
  [new Error('something new'), null],
])('an error of the connection has a code for the window: %s', (error, code) => {
  expect(callbackErrorOf(error)).toBe(code)
})

test('a cut connection and garbage give an error sentence', async () => {
  expect((await postTo((req) => req.socket.destroy())).error).toContain('the connection was cut')
  expect((await postTo((req) => req.socket.end('garbage\r\n\r\n'))).error).toContain('does not match the HTTP/1.1')
})

test('the connection itself is checked, not only the saved URL', async () => {
  const reached: string[] = []
  const { url, port } = await receiver((_, res) => {
    reached.push('reached')
    res.end()
  })
  own.push(port)
  expect((await post({ url, call: { body: BODY }, headers: HEADERS })).error).toContain('Kurir itself')
  expect(reached).toEqual([])
})

test('stopping Kurir ends an attempt with the reason', async () => {
  const stop = new AbortController()
  const { url } = await receiver(() => stop.abort(new Error('shutting down')))
  await expect(post({ url, call: { body: BODY }, headers: HEADERS, signal: stop.signal })).rejects.toThrow(
    'shutting down',
  )
})
