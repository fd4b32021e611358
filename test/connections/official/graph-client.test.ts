import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setUpCallback } from '../../../server/connections/official/account/setup.ts'
import { createGraphClient, type GraphClient } from '../../../server/connections/official/graph/graph-client.ts'
import { createGraphHttp, type GraphHttpOptions } from '../../../server/connections/official/graph/graph-http.ts'
import { NO_EXTRAS } from '../../../server/connections/official/graph/graph-shapes.ts'
import { templateMessage } from '../../../server/connections/official/graph/templates.ts'
import { CALLBACK_FIELDS } from '../../../server/connections/official/inbox/callback.ts'
import { type Clock, systemClock } from '../../../server/lib/clock.ts'
import { CHUNKED, EARLY_HINTS, startFlood } from '../../support/flood.ts'
import { freePort } from '../../support/free-port.ts'
import { accept, answer, cut, garbage, htmlPage, metaError } from '../../support/graph-peer/faults.ts'
import { type GraphPeer, startGraphPeer } from '../../support/graph-peer/graph-peer.ts'
import { unregister } from '../../support/graph-peer/registration.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import { APP_SECRET, startShopPeer } from '../../support/official.ts'

let peer: GraphPeer
const closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  peer = await startShopPeer()
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

function clientFor(options: Partial<GraphHttpOptions> = {}, version = 'v26.0'): GraphClient {
  const http = createGraphHttp({ url: peer.url, timeoutMs: 20_000, clock: systemClock, ...options })
  closers.push(http.close)
  return createGraphClient(http, version)
}

describe('a send', () => {
  it('refuses a message id longer than 512 characters', async () => {
    const answered = (length: number) => answer(200, JSON.stringify({ messages: [{ id: 'w'.repeat(length) }] }))
    peer.answerNext([answered(512), answered(513)])
    expect(await clientFor().send(account(), message)).toMatchObject({ kind: 'answered' })
    expect(await clientFor().send(account(), message)).toEqual({ kind: 'unknown', reason: 'unreadable' })
  })

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

  it.each([['held_for_quality_assessment'], [null]])('returns the message_status %s', async (messageStatus) => {
    peer.answerNext(accept(messageStatus))
    expect(await clientFor().send(account(), message)).toMatchObject({ kind: 'answered', data: { messageStatus } })
  })

  it('does not hide a part of a message id as a token', async () => {
    const id = 'wamid.HBgMNjI4MTIzNDU2Nzg5MBUCABEYEkEAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcA'
    peer.answerNext(answer(200, JSON.stringify({ messages: [{ id }] })))
    expect(await clientFor().send(account(), message)).toMatchObject({ data: { providerMessageId: id } })
  })

  it('returns a refusal with Meta’s words, and how long it asks to wait', async () => {
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

  it('returns the wait of Meta’s usage header', async () => {
    peer.answerNext(metaError(80008, { regainMinutes: 12 }))
    expect(await clientFor().send(account(), message)).toMatchObject({
      kind: 'refused',
      error: { code: 80008, is_transient: true },
      retryAfter: 720,
    })
    peer.answerNext(metaError(80007, { regainMinutes: 0 }))
    expect(await clientFor().send(account(), message)).toMatchObject({ retryAfter: null })
    peer.answerNext(metaError(4, { regainMinutes: 12, retryAfter: 5 }))
    expect(await clientFor().send(account(), message)).toMatchObject({ retryAfter: 5 })
  })

  it.each([
    ['an HTML page', htmlPage(403), 403],
    ['a redirect, which is not followed', answer(302, '', { location: 'http://127.0.0.1:1/' }), 302],
  ])('returns %s as a refusal without a code', async (_, fault, httpStatus) => {
    peer.answerNext(fault)
    expect(await clientFor().send(account(), message)).toMatchObject({
      kind: 'refused',
      error: { code: null, http_status: httpStatus },
      retryAfter: null,
    })
  })

  it('an error with HTTP 200 is an error', async () => {
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
    ['a 200 with JSON that ends too soon', garbage],
    ['a 200 with no message id', answer(200, '{"messages":[]}')],
    ['a 200 with a page', htmlPage(200)],
    ['a 200 with nothing', answer(200, '')],
    ['a page of a gateway that gave up waiting', htmlPage(504)],
    ['a page of a gateway that got no answer', htmlPage(502)],
    ['nothing of a server that has a fault', answer(500, '')],
  ])('does not know the outcome after %s', async (_, fault) => {
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

  it.each([
    ['an answer of more than 8 MB', CHUNKED, `4000\r\n${'a'.repeat(0x4000)}\r\n`],
    ['one that never begins', '', EARLY_HINTS],
  ])('does not know the outcome after %s', async (_, start, again) => {
    const { port } = await startFlood(start, again)
    const outcome = clientFor({ url: `http://127.0.0.1:${port}` }).send(account(), message)
    expect(await outcome).toEqual({ kind: 'unknown', reason: 'unreadable' })
  })

  it('after a timeout while waiting for a connection nothing was sent, and nothing is sent later', async () => {
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
      void late.then(({ state }) => {
        state.templates.push(textTemplate('invoice'))
        resume()
      })
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
    expect(outcome.kind === 'answered' && outcome.data.map((row) => row?.id)).toEqual(
      peer.state.templates.map((row) => row.id),
    )
    expect(peer.requests.map((request) => request.path)).toEqual(
      Array(3).fill('/v26.0/102290129340398/message_templates'),
    )
    expect(peer.requests[0]?.query.get('fields')).toContain('parameter_format')
  })

  const row = (more: object = {}) => ({
    id: '1',
    name: 'x',
    language: 'id',
    status: 'APPROVED',
    components: [],
    ...more,
  })
  it.each([
    ['is deeper than anything that Meta has', `{"data":[{"more":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`],
    ['has more templates on a page than were asked for', JSON.stringify({ data: Array(1_001).fill(row()) })],
  ])('refuses a list that %s', async (_name, body) => {
    peer.answerNext(answer(200, body), 'templates')
    expect(await clientFor().templates(account())).toEqual({ kind: 'unknown', reason: 'unreadable' })
  })

  it('refuses a list of more than 32 MB on all pages', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024)
    const body = { data: [row({ text })], paging: { next: 'n', cursors: { after: 'a' } } }
    const page = answer(200, JSON.stringify(body))
    peer.answerBy(({ route }) => (route === 'templates' ? page : null))
    expect(await clientFor().templates(account())).toEqual({ kind: 'unknown', reason: 'unreadable' })
    expect(peer.requests).toHaveLength(8)
  })

  it('returns a refusal on a later page instead of half a list', async () => {
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

  const health = {
    ...{ displayPhoneNumber: '+62 21 5550 1234', verifiedName: 'Toko Maju', quality: 'GREEN', status: 'CONNECTED' },
    ...{ nameStatus: 'APPROVED', platform: 'CLOUD_API', throughput: 'STANDARD', messagingLimit: 2000 },
    ...{ canSend: 'AVAILABLE', problems: [], callbackUrl: '' },
  }

  it('asks for the health of a number', async () => {
    expect(await clientFor().numberHealth(account())).toEqual({ kind: 'answered', data: health })
    peer.state.number = { id: '106540352242922', display_phone_number: '+62 21', quality_rating: 'RED' }
    expect(await clientFor().numberHealth(account())).toEqual({
      kind: 'answered',
      data: {
        ...{ displayPhoneNumber: '+62 21', verifiedName: null, quality: 'RED', status: null, nameStatus: null },
        ...{ platform: null, throughput: null, messagingLimit: null, canSend: null, problems: [], callbackUrl: '' },
      },
    })
  })

  it('asks again without a field that Meta withdrew', async () => {
    const answered = { kind: 'answered', data: { ...health, messagingLimit: null } }
    expect(await clientFor({}, 'v23.0').numberHealth(account())).toEqual(answered)
    peer.state.withdrawn = ['platform_type', 'health_status', 'name_status', 'quality_rating']
    expect(await clientFor().numberHealth(account())).toEqual({
      kind: 'answered',
      data: { ...health, platform: null, canSend: null, nameStatus: null, quality: null },
    })
  })

  it('asks again without template fields that Meta withdrew', async () => {
    peer.state.withdrawn = ['quality_score', 'rejected_reason', 'parameter_format']
    const outcome = await clientFor().templates(account())
    expect(outcome.kind === 'answered' && outcome.data.map((row) => row?.name)).toEqual(['hello_world', 'invoice'])
    expect(outcome).toMatchObject({ data: [{ status: 'APPROVED', category: 'UTILITY' }, {}] })
  })

  it.each([
    ['a number without its digits', 'display_phone_number', 'numberHealth'],
    ['templates without their texts', 'components', 'templates'],
  ] as const)('does not take %s for an answer', async (_name, field, question) => {
    peer.state.withdrawn = ['quality_score', 'quality_rating', field]
    const error = { code: 100, message: expect.stringContaining(`(${field})`) }
    expect(await clientFor()[question](account())).toMatchObject({ kind: 'refused', error })
  })

  it.each([
    ['refused', metaError(10)],
    ['refused for a field that nobody asked for', metaError(100, { message: 'nonexisting field (other)' })],
    ['unreadable', garbage],
  ])('does without newer fields if their call is %s', async (_name, fault) => {
    peer.answerBy(({ query }) => (query.get('fields')?.includes('throughput') ? fault : null))
    expect(await clientFor().numberHealth(account())).toEqual({ kind: 'answered', data: { ...health, ...NO_EXTRAS } })
  })

  it('reads what keeps a number from sending, and what Meta advises', async () => {
    peer.state.number.health_status = {
      can_send_message: 'LIMITED',
      entities: [
        {
          ...{ entity_type: 'WABA', id: '1', can_send_message: 'LIMITED', additional_info: ['Verify your business.'] },
          errors: [{ error_code: 141006, error_description: 'Payment.', possible_solution: 'Add a card.' }],
        },
        { entity_type: 'APP', errors: 'none' },
      ],
    }
    expect(await clientFor().numberHealth(account())).toMatchObject({
      data: {
        canSend: 'LIMITED',
        problems: [
          { part: 'WABA', code: 141006, description: 'Payment.', solution: 'Add a card.' },
          { part: 'WABA', code: null, description: 'Verify your business.', solution: null },
        ],
      },
    })
  })

  it('lists the numbers of the account', async () => {
    expect(await clientFor().numbers(account())).toEqual({ kind: 'answered', data: ['106540352242922'] })
    expect(peer.requests[0]?.query.get('fields')).toBe('id')
  })

  it('asks about its own token', async () => {
    peer.state.tokenInfo = { ...peer.state.tokenInfo, expires_at: 1795000000 }
    const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging']
    expect(await clientFor().tokenInfo(account())).toEqual({
      kind: 'answered',
      data: { valid: true, appId: '670000000000001', expiresAt: 1795000000000, scopes, reason: null },
    })
    expect(peer.requests[0]?.query.get('input_token')).toBe(peer.token)
    const data = { is_valid: false, expires_at: 0, error: { code: 190, message: `Bad ${peer.token}` } }
    peer.answerNext(answer(200, JSON.stringify({ data })), 'debug_token')
    expect(await clientFor().tokenInfo(account())).toEqual({
      kind: 'answered',
      data: { valid: false, appId: null, expiresAt: null, scopes: [], reason: 'Bad [token]' },
    })
    peer.state.tokenInfo = { ...peer.state.tokenInfo, is_valid: false, error: { message: `Bad ${peer.token}` } }
    expect(await clientFor().tokenInfo(account())).toMatchObject({
      kind: 'refused',
      error: { code: 190, error_subcode: 463, message: 'Bad [token]' },
    })
  })

  it.each([9_007_199_254_740_992, -1, 'soon'])('ignores an impossible time from Meta (%s)', async (time) => {
    const data = { is_valid: true, expires_at: time, data_access_expires_at: time }
    peer.answerNext(answer(200, JSON.stringify({ data })), 'debug_token')
    expect(await clientFor().tokenInfo(account())).toMatchObject({ data: { valid: true, expiresAt: null } })
    const events = { data: [{ delivery_status: 'READ', timestamp: time }] }
    peer.answerNext(answer(200, JSON.stringify({ data: [{ events }] })), 'message_history')
    expect(await clientFor().messageHistory(account(), 'wamid.X')).toEqual({ kind: 'answered', data: [] })
  })

  it('asks Meta whether an app secret is right', async () => {
    const fits = (appSecret: string, appId = '670000000000001') =>
      clientFor().appSecretFits(account(), { appId, appSecret })
    expect(await fits(APP_SECRET)).toEqual({ kind: 'answered', data: true })
    expect(await fits('wrong')).toEqual({ kind: 'answered', data: false })
    expect(await fits(APP_SECRET, '1')).toEqual({ kind: 'answered', data: false })
    peer.answerNext(metaError(2, { message: `about ${APP_SECRET}` }), 'debug_token')
    expect(await fits(APP_SECRET)).toMatchObject({ kind: 'refused', error: { message: 'about [token]' } })
  })

  it('asks for the history of one message, events and all', async () => {
    peer.state.history.set('wamid.A', [
      { delivery_status: 'DELIVERED', timestamp: 1795000060, webhook_update_state: 'FAILED' },
      { something: 'else' },
      { delivery_status: 'ERROR', timestamp: 1795000070, error_description: 'Webhook endpoint returned HTTP 500' },
      { delivery_status: 'SENT', timestamp: '1795000000' },
      { delivery_status: 'ACCEPTED', timestamp: 1794999999 },
    ])
    const client = clientFor()
    expect(await client.messageHistory(account(), 'wamid.A')).toEqual({
      kind: 'answered',
      data: [
        { status: 'accepted', occurredAt: 1794999999000 },
        { status: 'sent', occurredAt: 1795000000000 },
        { status: 'delivered', occurredAt: 1795000060000 },
        { status: 'failed', occurredAt: 1795000070000 },
      ],
    })
    expect(await client.messageHistory(account(), 'wamid.B')).toEqual({ kind: 'answered', data: [] })
  })

  it('takes the other forms of a history that Meta’s description has', async () => {
    const events = [
      { delivery_status: 'FAILED', occurrence_timestamp: 1795000001 },
      { delivery_status: 'READ', occurrence_timestamp: '1795000000' },
    ]
    peer.answerNext(answer(200, JSON.stringify({ data: [{ id: '1', events: { data: events } }] })), 'message_history')
    expect(await clientFor().messageHistory(account(), 'wamid.A')).toMatchObject({
      data: [{ status: 'read' }, { status: 'failed' }],
    })
    peer.answerNext(metaError(100, { httpStatus: 422, type: 'GraphMethodException' }), 'message_history')
    expect(await clientFor().messageHistory(account(), 'wamid.A')).toEqual({ kind: 'answered', data: [] })
    peer.answerNext(metaError(100), 'message_history')
    expect(await clientFor().messageHistory(account(), 'wamid.A')).toMatchObject({ kind: 'refused' })
  })

  it('is refused with a token that the peer does not know', async () => {
    const outcome = await clientFor().numberHealth({ ...account(), accessToken: 'EAAunknown' })
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 190, http_status: 401 } })
  })
})

describe('setting up', () => {
  const app = { appId: '670000000000001', appSecret: APP_SECRET }
  const address = { url: 'https://shop.example/waba/webhook', verifyToken: 'v' }

  /** Stands for Kurir's listener behind a tunnel. */
  async function tunnel(respond: (query: URLSearchParams) => { status: number; text: string }): Promise<void> {
    const server = createHttpServer((request, response) => {
      const { status, text } = respond(new URL(request.url ?? '', 'http://x').searchParams)
      response.writeHead(status).end(text)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    peer.state.tunnels.set('https://shop.example', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }
  const echo = (query: URLSearchParams) => ({
    status: query.get('hub.verify_token') === 'v' ? 200 : 403,
    text: query.get('hub.challenge') ?? '',
  })

  it('subscribes the app and sees it', async () => {
    const client = clientFor()
    expect(await client.subscribedApps(account())).toEqual({ kind: 'answered', data: [] })
    expect(await client.subscribe(account())).toEqual({ kind: 'answered', data: true })
    expect(await client.subscribedApps(account())).toEqual({ kind: 'answered', data: ['670000000000001'] })
  })

  it('enters the callback address of the app, which Meta calls first', async () => {
    await tunnel(echo)
    const client = clientFor()
    expect(peer.state.app.callback).toBeNull()
    expect(await client.setAppCallback(app, address, ['messages', 'account_update'])).toEqual({
      kind: 'answered',
      data: true,
    })
    expect(peer.state.app.callback).toEqual({ url: address.url, fields: ['messages', 'account_update'] })
    expect(await client.numberHealth(account())).toMatchObject({ data: { callbackUrl: address.url } })
  })

  it.each([
    ['nothing listens', null, { ...address, url: 'https://nobody.example/x' }, 2200],
    ['the verify token is another', echo, { ...address, verifyToken: 'w' }, 2200],
    ['something else answers', () => ({ status: 200, text: 'Hello' }), address, 2201],
    ['the address is no https', echo, { ...address, url: 'http://shop.example/x' }, 2200],
  ])('is refused when %s', async (_name, respond, given, code) => {
    if (respond !== null) await tunnel(respond)
    const outcome = await clientFor().setAppCallback(app, given, ['messages'])
    expect(outcome).toMatchObject({ kind: 'refused', error: { code } })
    expect(peer.state.app.callback).toBeNull()
  })

  it('takes away the address of one account when it subscribes the app', async () => {
    await tunnel(echo)
    const client = clientFor()
    await client.setAppCallback(app, { ...address, url: 'https://shop.example/other' }, ['messages'])
    peer.state.overrides.account = address.url
    expect(await client.numberHealth(account())).toMatchObject({ data: { callbackUrl: address.url } })
    await client.subscribe(account())
    expect(await client.numberHealth(account())).toMatchObject({ data: { callbackUrl: 'https://shop.example/other' } })
  })

  it('sets address, fields and subscription in one call, and returns the first failure', async () => {
    const client = clientFor()
    const setUp = (appSecret: string) => setUpCallback(client, { ...account(), appSecret }, address)
    expect(await setUp(APP_SECRET)).toMatchObject({ kind: 'refused', error: { code: 2200 } })
    await tunnel(echo)
    expect(await setUp('wrong')).toMatchObject({ kind: 'refused', error: { code: 190 } })
    expect(await setUp(APP_SECRET)).toEqual({ kind: 'answered', data: true })
    expect(peer.state.app.callback).toEqual({ url: address.url, fields: CALLBACK_FIELDS })
    expect(peer.state.subscribedApps).toHaveLength(1)
  })

  it('registers a number with its PIN', async () => {
    unregister(peer.state)
    const client = clientFor()
    expect(await client.send(account(), message)).toMatchObject({ kind: 'refused', error: { code: 133010 } })
    expect(await client.register(account(), '12345')).toMatchObject({ kind: 'refused', error: { code: 100 } })
    expect(await client.register(account(), '123456')).toEqual({ kind: 'answered', data: true })
    expect(await client.send(account(), message)).toMatchObject({ kind: 'answered' })
    expect(await client.register(account(), '654321')).toMatchObject({ kind: 'refused', error: { code: 133005 } })
  })
})

/** A clock whose timers fire when it rings, and not by themselves. */
function alarm(): { clock: Clock; ring: () => void } {
  const timers = new Set<() => void>()
  return {
    clock: {
      ...systemClock,
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
    ...systemClock,
    after(ms, fn) {
      if (ms === 20_000) return systemClock.after(ms, fn)
      pause(ms, fn)
      return () => {}
    },
  }
}

/** An address where nothing listens. */
const closedAddress = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`
