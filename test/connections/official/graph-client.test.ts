import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGraphClient, type GraphClient } from '../../../server/connections/official/graph-client.ts'
import { createGraphHttp, type GraphHttpOptions } from '../../../server/connections/official/graph-http.ts'
import { templateMessage } from '../../../server/connections/official/template-message.ts'
import { type Clock, systemClock } from '../../../server/lib/clock.ts'
import { accept, answer, cut, garbage, htmlPage, metaError } from '../../support/graph-peer/faults.ts'
import { type GraphPeer, startGraphPeer } from '../../support/graph-peer/graph-peer.ts'

let peer: GraphPeer
const closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  peer = await startGraphPeer()
})
afterEach(async () => {
  await peer.close()
  await Promise.all(closers.splice(0).map((close) => close()))
})

const account = () => ({ phoneNumberId: '106540352242922', wabaId: '102290129340398', accessToken: peer.token })
const message = templateMessage({
  recipient: '6281234567890',
  name: 'invoice',
  language: 'id',
  components: [],
  messageId: 'our-id',
})

function clientFor(options: Partial<GraphHttpOptions> = {}): GraphClient {
  const http = createGraphHttp({ url: peer.url, timeoutMs: 20_000, clock: systemClock, ...options })
  closers.push(http.close)
  return createGraphClient(http, 'v26.0')
}

describe('a send', () => {
  it('posts what Meta expects and gives its answer back unchanged', async () => {
    const outcome = await clientFor().send(account(), message)
    const [request] = peer.requests
    expect(request).toMatchObject({ method: 'POST', path: '/v26.0/106540352242922/messages', body: message })
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${peer.token}`,
      'content-type': 'application/json',
    })
    expect(outcome).toEqual({
      kind: 'answered',
      data: {
        providerMessageId: request?.wamid,
        messageStatus: 'accepted',
        body: {
          messaging_product: 'whatsapp',
          contacts: [{ input: '+6281234567890', wa_id: '6281234567890' }],
          messages: [{ id: request?.wamid, message_status: 'accepted' }],
        },
      },
    })
  })

  it.each([['held_for_quality_assessment'], [null]])('tells the message_status %s', async (messageStatus) => {
    peer.answerNext(accept(messageStatus))
    expect(await clientFor().send(account(), message)).toMatchObject({ kind: 'answered', data: { messageStatus } })
  })

  it('does not take a part of a message id for a token', async () => {
    const id = 'wamid.HBgMNjI4MTIzNDU2Nzg5MBUCABEYEkEAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcA'
    peer.answerNext(answer(200, JSON.stringify({ messages: [{ id }] })))
    expect(await clientFor().send(account(), message)).toMatchObject({ data: { providerMessageId: id } })
  })

  it('tells a refusal with Meta’s words, and how long it asks to wait', async () => {
    peer.answerNext(metaError(130429, { retryAfter: 17, userTitle: 'Slow down' }))
    expect(await clientFor().send(account(), message)).toEqual({
      kind: 'refused',
      error: {
        code: 130429,
        message: '(#130429) Rate limit hit',
        title: 'Slow down',
        details: 'Details of 130429.',
        fbtrace_id: 'AbCdEfGhIjKlMnOpQrStUvW',
        http_status: 400,
      },
      retryAfter: 17,
    })
  })

  it('reads a Retry-After that is a date', async () => {
    peer.answerNext(metaError(4, { retryAfter: 'Sat, 21 Nov 2026 08:01:30 GMT' }))
    const clock = { ...systemClock, now: () => Date.parse('2026-11-21T08:00:00Z') }
    expect(await clientFor({ clock }).send(account(), message)).toMatchObject({ retryAfter: 90 })
  })

  it.each([
    ['an HTML page', htmlPage(502), 502],
    ['a redirect, which is not followed', answer(302, '', { location: 'http://127.0.0.1:1/' }), 302],
  ])('tells %s as a refusal without a code', async (_, fault, httpStatus) => {
    peer.answerNext(fault)
    expect(await clientFor().send(account(), message)).toMatchObject({
      kind: 'refused',
      error: { code: null, http_status: httpStatus },
      retryAfter: null,
    })
  })

  it('takes an error for an error also when it comes with HTTP 200', async () => {
    peer.answerNext(metaError(131026, { httpStatus: 200 }))
    expect(await clientFor().send(account(), message)).toMatchObject({ kind: 'refused', error: { code: 131026 } })
  })

  it('lets no token out, neither its own nor another one', async () => {
    const quoted = `Malformed access token ${peer.token} or EAAGm0PX4ZCpsBAKZAotherTokenxyz`
    peer.answerNext(metaError(190, { message: quoted, details: peer.token }))
    expect(await clientFor().send(account(), message)).toMatchObject({
      error: { message: 'Malformed access token [token] or [token]', details: '[token]' },
    })
  })

  it.each([
    ['JSON that ends too soon', garbage],
    ['no message id', answer(200, '{"messages":[]}')],
    ['a page', htmlPage(200)],
    ['nothing', answer(200, '')],
  ])('does not know the outcome after a 200 with %s', async (_, fault) => {
    peer.answerNext(fault)
    expect(await clientFor().send(account(), message)).toEqual({ kind: 'unknown', reason: 'unreadable' })
  })

  it.each([['before reading'], ['after reading'], ['inside the answer']] as const)(
    'does not know the outcome when the line is cut %s, and does not post again',
    async (when) => {
      peer.answerNext(cut(when))
      expect(await clientFor().send(account(), message)).toEqual({ kind: 'unknown', reason: 'cut' })
      expect(peer.connections()).toBe(1)
      expect(peer.requests.length).toBe(when === 'before reading' ? 0 : 1)
    },
  )

  it('does not know the outcome when no answer comes in time', async () => {
    const { clock, ring } = alarm()
    const held = peer.holdNext()
    const outcome = clientFor({ clock }).send(account(), message)
    await held.arrived
    ring()
    expect(await outcome).toEqual({ kind: 'unknown', reason: 'timeout' })
    held.release()
    expect(peer.requests).toHaveLength(1)
  })

  it('is sure that nothing was sent while it waited for a connection, and sends nothing later', async () => {
    const { clock, ring } = alarm()
    const client = clientFor({ clock, connections: 1 })
    const held = peer.holdNext()
    const first = client.send(account(), message)
    await held.arrived
    const second = client.send(account(), message)
    ring()
    expect(await second).toEqual({ kind: 'not_sent', reason: 'no connection in time' })
    expect(await first).toEqual({ kind: 'unknown', reason: 'timeout' })
    held.release()
    expect(await client.send(account(), message)).toMatchObject({ kind: 'answered' })
    expect(peer.requests).toHaveLength(2)
  })
})

describe('connections', () => {
  it('are tried three times when refused, then nothing was sent', async () => {
    const pauses: number[] = []
    const clock = pausing((ms, resume) => {
      pauses.push(ms)
      resume()
    })
    const client = clientFor({ url: await closedAddress(), clock })
    expect(await client.send(account(), message)).toEqual({ kind: 'not_sent', reason: 'ECONNREFUSED' })
    expect(pauses).toEqual([200, 800])
  })

  it('go on when a later try gets through', async () => {
    const url = await closedAddress()
    const started: Promise<GraphPeer>[] = []
    const clock = pausing((_, resume) => {
      const late = startGraphPeer({ port: Number(new URL(url).port) })
      started.push(late)
      void late.then(resume)
    })
    expect(await clientFor({ url, clock }).send(account(), message)).toMatchObject({ kind: 'answered' })
    expect(started).toHaveLength(1)
    await (await started[0])?.close()
  })

  it('are kept alive, and no more are opened than allowed', async () => {
    const client = clientFor({ connections: 3 })
    for (let round = 0; round < 3; round += 1) {
      const sends = Array.from({ length: 20 }, () => client.send(account(), message))
      for (const outcome of await Promise.all(sends)) expect(outcome.kind).toBe('answered')
    }
    expect(peer.requests).toHaveLength(60)
    expect(peer.connections()).toBe(3)
  })
})

describe('reading', () => {
  it('collects every page of the templates', async () => {
    peer.state.templates = Array.from({ length: 450 }, (_, index) => ({
      id: String(index),
      name: `template_${index}`,
      language: 'id',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Halo {{1}}' }],
    }))
    const outcome = await clientFor().templates(account())
    expect(outcome.kind === 'answered' && outcome.data.map((row) => row.id)).toEqual(
      peer.state.templates.map((row) => row.id),
    )
    expect(peer.requests.map((request) => request.path)).toEqual(
      Array(3).fill('/v26.0/102290129340398/message_templates'),
    )
    expect(peer.requests[0]?.query.get('fields')).toContain('parameter_format')
  })

  it('tells a refusal on a later page instead of half a list', async () => {
    peer.state.templates = Array.from({ length: 201 }, (_, index) => ({
      id: String(index),
      name: 'x',
      language: `l${index}`,
      status: 'APPROVED',
      category: 'UTILITY',
      components: [],
    }))
    const held = peer.holdNext('templates')
    const outcome = clientFor().templates(account(), 'x')
    await held.arrived
    peer.answerNext(metaError(80007), 'templates')
    held.release()
    expect(await outcome).toMatchObject({ kind: 'refused', error: { code: 80007 } })
    expect(peer.requests[0]?.query.get('name')).toBe('x')
  })

  it('tells the health of a number', async () => {
    peer.state.number = { display_phone_number: '+62 21', quality_rating: 'RED', throughput: { level: 'HIGH' } }
    expect(await clientFor().numberHealth(account())).toEqual({
      kind: 'answered',
      data: {
        displayPhoneNumber: '+62 21',
        verifiedName: null,
        quality: 'RED',
        status: null,
        nameStatus: null,
        messagingLimit: null,
        throughput: 'HIGH',
        canSend: null,
      },
    })
  })

  it('asks about its own token', async () => {
    peer.state.tokenInfo = {
      is_valid: false,
      expires_at: 1795000000,
      error: { code: 190, message: `Bad ${peer.token}` },
    }
    expect(await clientFor().tokenInfo(account())).toEqual({
      kind: 'answered',
      data: { valid: false, appId: null, expiresAt: 1795000000000, scopes: [], reason: 'Bad [token]' },
    })
    expect(peer.requests[0]?.query.get('input_token')).toBe(peer.token)
  })

  it('subscribes the app and sees it', async () => {
    const client = clientFor()
    expect(await client.subscribedApps(account())).toEqual({ kind: 'answered', data: [] })
    expect(await client.subscribe(account())).toEqual({ kind: 'answered', data: true })
    expect(await client.subscribedApps(account())).toEqual({ kind: 'answered', data: ['670000000000001'] })
  })

  it('asks for the history of one message', async () => {
    peer.state.history.set('wamid.A', [
      { id: '2', delivery_status: 'DELIVERED', occurrence_timestamp: 1795000060 },
      { id: '3', something: 'else' },
      { id: '1', delivery_status: 'SENT', occurrence_timestamp: '1795000000' },
    ])
    const client = clientFor()
    expect(await client.messageHistory(account(), 'wamid.A')).toEqual({
      kind: 'answered',
      data: [
        { status: 'sent', occurredAt: 1795000000000, reason: null },
        { status: 'delivered', occurredAt: 1795000060000, reason: null },
      ],
    })
    expect(await client.messageHistory(account(), 'wamid.B')).toEqual({ kind: 'answered', data: [] })
  })

  it('is refused with a token that the peer does not know', async () => {
    const outcome = await clientFor().numberHealth({ ...account(), accessToken: 'EAAunknown' })
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 190, http_status: 401 } })
  })
})

/** A clock whose timers fire when it rings, and not by themselves. */
function alarm(): { clock: Clock; ring: () => void } {
  const timers = new Set<() => void>()
  return {
    clock: {
      now: Date.now,
      after(_, fn) {
        timers.add(fn)
        return () => timers.delete(fn)
      },
    },
    ring() {
      for (const fn of timers) fn()
      timers.clear()
    },
  }
}

/** A clock whose pauses are over as soon as `pause` is done; only the deadline is real. */
function pausing(pause: (ms: number, resume: () => void) => void): Clock {
  return {
    now: Date.now,
    after(ms, fn) {
      if (ms === 20_000) return systemClock.after(ms, fn)
      pause(ms, fn)
      return () => {}
    },
  }
}

/** An address where nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}
