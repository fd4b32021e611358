import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Asked, authorization, bodyHash, type Exchange, greetingProof } from '../../server/lib/proof.ts'
import { callProved, greetAt, NotProved } from '../../server/lib/proved-call.ts'
import { findRunning } from '../../server/settings/data-folder.ts'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { startRelay } from '../support/relay.ts'

const placeOf = (app: TestApp) => findRunning(app.home) ?? expect.unreachable()
const portOf = (app: TestApp) => Number(new URL(app.url).port)

async function exchangeWith(app: TestApp): Promise<Exchange> {
  const nonce = randomBytes(24).toString('base64url')
  const { body } = await app.fetch<{ time: number }>(`/api/proof?nonce=${nonce}`)
  return { nonce, time: body.data.time }
}

const KEY = JSON.stringify({ kind: 'global', name: 'Kasir' })
const MAKE_KEY: Asked = { method: 'POST', path: '/api/keys', type: 'application/json', bodyHash: bodyHash(KEY) }

describe('a request that is proved', () => {
  /** The proof is of `proved`; what is sent is `sent`. */
  async function askWith(app: TestApp, given: string, sent: Partial<Asked> & { body?: string } = {}) {
    const { method, path, body } = { ...MAKE_KEY, body: KEY, ...sent }
    return app.fetch(path, { method, headers: { authorization: given, 'content-type': 'application/json' }, body })
  }
  const proofFor = async (app: TestApp) => authorization(placeOf(app).instance, await exchangeWith(app), MAKE_KEY)

  test('is the owner’s, once', async () => {
    const app = await startApp()
    const given = await proofFor(app)
    expect([(await askWith(app, given)).status, (await askWith(app, given)).status]).toEqual([200, 403])
    expect(app.app.store.keys.list()).toHaveLength(1)
  })

  test.each([
    ['another path', { path: '/api/senders' }, 403],
    ['a query', { path: '/api/keys?x=1' }, 403],
    ['another method', { method: 'PATCH', path: '/api/settings' }, 403],
    ['another body', { body: KEY.replace('global', 'device') }, 400],
    ['a longer body', { body: `${KEY} ` }, 400],
  ])('is nobody’s with %s', async (_, sent, status) => {
    const app = await startApp()
    expect((await askWith(app, await proofFor(app), sent)).status).toBe(status)
    expect(app.app.store.keys.list()).toEqual([])
  })

  test('is nobody’s half a minute later, nor at another start or another Kurir with the same token', async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const late = await proofFor(app)
    await clock.advance(30_001)
    expect((await askWith(app, late)).status).toBe(403)
    const before = await proofFor(app)
    await app.restart()
    expect((await askWith(app, before)).status).toBe(403)
    const other = await startApp()
    expect((await askWith(other, await proofFor(app))).status).toBe(403)
  })

  test('with a file is the one that was proved to its end, and of that type', async () => {
    const app = await startApp()
    const type = 'application/pdf'
    const asked = { method: 'POST', path: '/files', type, bodyHash: bodyHash('%PDF-1.7 a') }
    const send = async (body: string, sentType = type) => {
      const proof = authorization(placeOf(app).instance, await exchangeWith(app), asked)
      return app.fetch('/files', { method: 'POST', headers: { authorization: proof, 'content-type': sentType }, body })
    }
    const changed = await send('%PDF-1.7 b')
    expect([changed.status, changed.body.message]).toEqual([400, expect.stringContaining('whole')])
    expect((await send('%PDF-1.7 a', 'text/plain')).status).toBe(401)
    expect(await app.app.store.uploads.list()).toEqual([])
    expect((await send('%PDF-1.7 a')).status).toBe(200)
  })

  test('as a form is the one that was proved to its end', async () => {
    const app = await startApp()
    const type = 'multipart/form-data; boundary=b'
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const formTo = (phone: string) =>
      `${part('phone', phone)}${part('message', 'Halo')}${part('sender_code', SANDBOX)}${part('file"; filename="a.pdf', '%PDF-1.7')}--b--\r\n`
    const proved = formTo('6281234567890')
    const asked = { method: 'POST', path: '/send', type, bodyHash: bodyHash(proved) }
    const send = async (body: string) => {
      const proof = authorization(placeOf(app).instance, await exchangeWith(app), asked)
      return app.fetch('/send', { method: 'POST', headers: { authorization: proof, 'content-type': type }, body })
    }
    for (const changed of [formTo('6281234567891'), `${proved}\r\n`]) {
      const answer = await send(changed)
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('whole')])
    }
    expect((await app.owner<unknown[]>('/messages')).body.data).toEqual([])
    expect(await app.app.store.uploads.list()).toEqual([])
    const sent = await send(proved)
    expect(sent.status, sent.text).toBe(200)
  })
})

describe('who reads the wire', () => {
  test('sees neither the token nor the name of the start, nor can it try tokens on what it sees', async () => {
    const app = await startApp()
    const { instance } = placeOf(app)
    const wire = await startRelay(portOf(app))
    const answer = await callProved({ url: wire.url, instance }, { ...MAKE_KEY, body: KEY })
    expect(answer.status).toBe(200)
    for (const secret of [OWNER_TOKEN, instance.id]) expect(wire.asked()).not.toContain(secret)
    const exchange = await exchangeWith(app)
    const { body } = await app.fetch<{ proof: string }>(`/api/proof?nonce=${exchange.nonce}`)
    for (const id of ['', String(portOf(app)), app.url])
      expect(greetingProof({ id, token: OWNER_TOKEN }, exchange)).not.toBe(body.data.proof)
  })

  test('cannot change an answer: its status, its body, or its proof', async () => {
    const app = await startApp()
    const { instance } = placeOf(app)
    const ask = async (from: string, to: string) => {
      const wire = await startRelay(portOf(app), (bytes) =>
        Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1'),
      )
      return callProved({ url: wire.url, instance }, { method: 'GET', path: '/api/keys' })
    }
    expect((await ask('none of it', '')).status).toBe(200)
    await expect(ask('"API keys."', '"api keys."')).rejects.toThrow(NotProved)
    await expect(ask('HTTP/1.1 200', 'HTTP/1.1 201')).rejects.toThrow(NotProved)
    await expect(ask('x-kurir-proof', 'x-kurir-other')).rejects.toThrow(NotProved)
  })

  test('an answer that ends its connection is whole', async () => {
    const app = await startApp()
    let answers = 0
    const wire = await startRelay(portOf(app), (bytes) => {
      answers += 1
      const text = bytes.toString('latin1')
      return Buffer.from(answers === 1 ? text : text.replace('Connection: keep-alive', 'Connection: close'), 'latin1')
    })
    const place = { url: wire.url, instance: placeOf(app).instance }
    const answer = await callProved(place, { method: 'GET', path: '/api/keys' })
    expect([answer.status, answers]).toEqual([200, 2])
  })

  test('gets nothing where it ends the connection after the greeting and answers the next itself', async () => {
    const app = await startApp()
    const { instance } = placeOf(app)
    const wire = await startRelay(portOf(app), (bytes) =>
      Buffer.from(bytes.toString('latin1').replace('Connection: keep-alive', 'Connection: close'), 'latin1'),
    )
    await expect(callProved({ url: wire.url, instance }, { ...MAKE_KEY, body: KEY })).rejects.toThrow()
    expect(wire.connections()).toBe(1)
    expect(wire.asked()).not.toContain('Kasir')
  })
})

test('the name of a start is nowhere but in its own file', async () => {
  const app = await startApp()
  const { instance } = placeOf(app)
  const paths = ['/health', '/api/nodes', '/api/overview', '/api/diagnostics', '/api/settings', '/metrics']
  const answers = await Promise.all(paths.map(async (path) => (await app.owner(path)).text))
  expect(answers.join() + app.logs()).not.toContain(instance.id)
  await greetAt(placeOf(app))
})
