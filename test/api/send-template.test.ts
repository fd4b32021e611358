import { describe, expect, it } from 'vitest'
import type { MessageDetail } from '../../server/contract/messages.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { accept, cut, garbage, htmlPage, metaError } from '../support/graph-peer/faults.ts'
import { textTemplate } from '../support/graph-peer/templates.ts'
import { sendTemplate, startOfficial } from '../support/official.ts'

const detail = async (app: Awaited<ReturnType<typeof startApp>>, id: string) =>
  (await app.owner<MessageDetail>(`/messages/${id}`)).body.data

it('holds up none of its caller while Meta thinks, beside the calls of another one', async () => {
  const { app, code, peer } = await startOfficial({
    prepare: ({ state }) => void state.templates.push(textTemplate('hello', 'en_US', 'Hi.')),
  })
  const [key, till] = [await app.key({ sender: code }), await app.key({ sender: SANDBOX })]
  await app.call(till, '/send', { phone: '6281234567890', message: 'Hi' })
  const hello = { phone: '6281234567890', template_name: 'hello', language: 'en_US' }
  const held = Array.from({ length: 5 }, () => peer.holdNext())
  const sent = held.map(() => app.call(key, '/waba/send-template', hello))
  await Promise.all(held.map(({ arrived }) => arrived))
  for (const { release } of held) release()
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(5).fill(200))
})

describe('the request and the answer', () => {
  it('are those of the interface, field by field', async () => {
    const { app, code, peer } = await startOfficial({
      prepare: ({ state }) => {
        state.templates.push(textTemplate('order_update', 'en_US', 'Hi {{1}}, {{2}} items: {{3}}.'))
      },
    })
    const key = await app.key({ sender: code })
    const answer = await app.call<{ id: string; data: unknown }>(key, '/waba/send-template', {
      phone: '6281234567890',
      template_name: 'order_update',
      language: 'en_US',
      parameters: ['Budi', 3, true],
      reference_id: 'INV-1',
      metadata: { branch: 4, reference_id: 'other' },
    })
    const request = peer.requests.findLast(({ route }) => route === 'messages')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: true,
      message: expect.any(String),
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        success: true,
        messageId: request?.wamid,
        data: {
          messaging_product: 'whatsapp',
          contacts: [{ input: '+6281234567890', wa_id: '6281234567890' }],
          messages: [{ id: request?.wamid, message_status: 'accepted' }],
        },
      },
    })
    expect(request?.path).toBe('/v26.0/106540352242922/messages')
    expect(request?.body).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+6281234567890',
      type: 'template',
      template: {
        name: 'order_update',
        language: { code: 'en_US' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Budi' },
              { type: 'text', text: '3' },
              { type: 'text', text: 'true' },
            ],
          },
        ],
      },
      biz_opaque_callback_data: answer.body.data.id,
    })
    expect(await detail(app, answer.body.data.id)).toMatchObject({
      channel: 'template',
      status: 'accepted',
      sender_code: code,
      recipient: '6281234567890',
      reference_id: 'INV-1',
      metadata: { branch: 4 },
      provider_message_id: request?.wamid,
      template: { name: 'order_update', language: 'en_US' },
      attempts: 1,
      attempt_log: [{ number: 1, outcome: 'acknowledged' }],
      provider: { request: request?.body, http_status: 200, answer: answer.body.data.data },
    })
  })

  it('knows the language id where none is given, and takes components as they are', async () => {
    const { app, peer } = await startOfficial()
    const components = [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] },
      {
        type: 'body',
        parameters: [{ type: 'currency', currency: { fallback_value: 'Rp 1', code: 'IDR', amount_1000: 1 } }],
      },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'x' }] },
      { type: 'carousel', cards: [{ card_index: 0, components: [] }] },
      { type: 'something_new', parameters: [{ type: 'new', new: { deep: [1] } }] },
    ]
    // Meta itself would ask for the parts of the template; what is looked at here is that none is touched.
    peer.answerNext(accept('accepted'))
    expect((await sendTemplate(app, { template_name: 'not_read_yet', components })).status).toBe(200)
    expect(peer.requests.at(-1)?.body).toMatchObject({ template: { language: { code: 'id' }, components } })
  })

  it('joins parameters and components, and takes named parameters', async () => {
    const { app, peer } = await startOfficial({
      prepare: ({ state }) => {
        const components = [
          { type: 'HEADER', format: 'DOCUMENT' },
          { type: 'BODY', text: 'Halo {{name}}, tagihan {{total}}.' },
        ]
        state.templates = [textTemplate('invoice', 'id', '', { parameter_format: 'NAMED', components })]
      },
    })
    const header = { type: 'header', parameters: [{ type: 'document', document: { id: '1', filename: 'a.pdf' } }] }
    expect((await sendTemplate(app, { components: [header], parameters: { name: 'Budi', total: 5 } })).status).toBe(200)
    const body = {
      type: 'body',
      parameters: [
        { type: 'text', parameter_name: 'name', text: 'Budi' },
        { type: 'text', parameter_name: 'total', text: '5' },
      ],
    }
    expect(peer.requests.at(-1)?.body).toMatchObject({ template: { components: [header, body] } })
  })

  it.each([
    [{ parameters: [{}] }, 'parameters.0'],
    [{ parameters: ['Budi', 2 ** 60] }, 'parameters.1'],
    [{ parameters: ['a'], components: [{ type: 'body', parameters: [] }] }, 'components'],
    [{ components: [{}] }, 'components.0.type'],
    [{ phone: '0812' }, 'phone'],
    [{ template_name: '' }, 'template_name'],
  ])('refuses %j', async (fields, field) => {
    const { app, peer } = await startOfficial()
    const before = peer.requests.length
    const answer = await sendTemplate(app, fields)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details?.map((each) => each.field)).toEqual([field])
    expect(peer.requests).toHaveLength(before)
    expect(await app.app.store.messages.newest()).toBeUndefined()
  })

  it('names the value that Meta would refuse, before any call', async () => {
    const { app, peer } = await startOfficial()
    const answer = await sendTemplate(app, {
      template_name: 'not_read_yet',
      parameters: ['Budi', 'Jl. Mawar 1\nBandung'],
    })
    expect([answer.status, answer.body.error.code]).toEqual([422, 'template_not_sendable'])
    expect(answer.body.error.details?.map(({ field }) => field)).toEqual(['parameters[1]'])
    expect(peer.requests.filter(({ route }) => route === 'messages')).toEqual([])
    expect(await app.message(answer.body.error.message_id ?? '')).toMatchObject({ status: 'failed' })
  })

  it.each([['held_for_quality_assessment'], ['paused']])('shows the message_status %s as it is', async (status) => {
    const { app, peer } = await startOfficial()
    peer.answerNext(accept(status))
    const answer = await sendTemplate(app)
    expect(answer.body.data.data).toMatchObject({ messages: [{ message_status: status }] })
    expect(answer.body.message).not.toBe('Template message accepted.')
  })
})

describe('who may send', () => {
  it('is refused when the sender is of another kind, paused, or not there', async () => {
    const { app, code } = await startOfficial()
    const linked = await app.sender('linked')
    expect((await sendTemplate(app, { sender_code: linked })).body.error.code).toBe('sender_kind_mismatch')
    const key = await app.key({ sender: linked })
    const body = { phone: '6281234567890', template_name: 'invoice', sender_code: code }
    expect((await app.call(key, '/waba/send-template', body)).body.error.code).toBe('sender_kind_mismatch')
    expect((await app.fetch('/waba/send-template', { body })).status).toBe(401)
    await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
    expect((await sendTemplate(app)).body.error.code).toBe('conflict')
  })

  it('may use a reference once, if the key says so', async () => {
    const { app, peer } = await startOfficial()
    const key = await app.key({ refuse_duplicate_reference: true })
    const body = { phone: '6281234567890', template_name: 'invoice', reference_id: 'INV-7' }
    const first = await app.call<{ id: string }>(key, '/waba/send-template', body)
    const sends = peer.requests.length
    const second = await app.call(key, '/waba/send-template', body)
    expect(second.status).toBe(409)
    expect(second.body.error).toMatchObject({ code: 'duplicate_reference', message_id: first.body.data.id })
    expect(peer.requests).toHaveLength(sends)
  })
})

describe('a send whose outcome is unknown', () => {
  it.each([
    ['cut after sending', cut('after reading')],
    ['cut inside the answer', cut('inside the answer')],
    ['a 200 that cannot be read', garbage],
  ])('%s: 504, no second call, settled by the status that names our id', async (_name, fault) => {
    const { app, peer, meta } = await startOfficial()
    peer.answerNext(fault)
    const before = peer.requests.length
    const answer = await sendTemplate(app)
    expect(answer.status).toBe(504)
    expect(answer.body.error.code).toBe('provider_timeout')
    expect(peer.requests).toHaveLength(before + 1)
    const id = answer.body.error.message_id ?? ''
    expect(await detail(app, id)).toMatchObject({
      status: 'sending',
      error: null,
      attempt_log: [{ outcome: 'unknown' }],
      provider: { request: { biz_opaque_callback_data: id }, http_status: null, answer: null },
    })
    await meta.status({ wamid: 'wamid.late', status: 'delivered', callbackData: id })
    expect(await app.reached(id, 'delivered')).toMatchObject({ providerMessageId: 'wamid.late' })
  })

  it('gets an answer after the time that is set', async () => {
    const { app, peer } = await startOfficial({ env: { KURIR_GRAPH_TIMEOUT_MS: '100' } })
    const held = peer.holdNext()
    const answer = await sendTemplate(app)
    expect(answer.status).toBe(504)
    held.release()
  })

  it('takes the status that comes before the answer', async () => {
    const { app, peer, meta } = await startOfficial()
    const held = peer.holdNext()
    const answer = sendTemplate(app)
    const request = await held.arrived
    const id = (request.body as { biz_opaque_callback_data: string }).biz_opaque_callback_data
    await meta.status({ wamid: request.wamid, status: 'sent', callbackData: id })
    await app.reached(id, 'sent')
    held.release()
    expect((await answer).body.data.messageId).toBe(request.wamid)
    expect(await detail(app, id)).toMatchObject({ status: 'sent', provider: { http_status: 200 } })
  })
})

describe('a refused send', () => {
  it('is not repeated, and a refused connection counts as one where nothing was sent', async () => {
    const { app, peer } = await startOfficial()
    await peer.close()
    const answer = await sendTemplate(app)
    expect(answer.status).toBe(502)
    expect(answer.body.error.code).toBe('provider_unavailable')
    expect(await detail(app, answer.body.error.message_id ?? '')).toMatchObject({
      status: 'failed',
      error: { code: 'provider_unavailable' },
      provider: { http_status: null, answer: null },
    })
  })

  it('of which only a gateway spoke may have been taken: nobody is asked to send it again', async () => {
    const { app, peer, meta } = await startOfficial()
    peer.answerNext(htmlPage(504))
    const headers = { 'idempotency-key': 'k-1' }
    const answer = await sendTemplate(app, {}, headers)
    expect([answer.status, answer.body.error.code]).toEqual([504, 'provider_timeout'])
    const id = answer.body.error.message_id ?? ''
    expect((await app.message(id)).status).toBe('sending')
    expect((await sendTemplate(app, {}, headers)).status).toBe(504)
    expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(1)
    await meta.status({ wamid: 'wamid.behind-it', status: 'delivered', callbackData: id })
    expect((await app.reached(id, 'delivered')).providerMessageId).toBe('wamid.behind-it')
  })

  it('asks for 4, 16, 64 seconds where one person gets too much, and honours what Meta asks for', async () => {
    const { app, peer } = await startOfficial()
    peer.answerAlways(metaError(131056))
    for (const seconds of [4, 16, 64]) {
      const answer = await sendTemplate(app)
      expect(answer.headers['retry-after']).toBe(String(seconds))
      expect(answer.body.error.retry_after).toBe(seconds)
    }
    expect((await sendTemplate(app, { phone: '6281234567899' })).body.error.retry_after).toBe(4)
    peer.answerAlways(metaError(131056, { retryAfter: 0 }))
    expect((await sendTemplate(app, { phone: '6281234567899' })).body.error.retry_after).toBe(16)
    peer.answerAlways(metaError(130429, { retryAfter: 77 }))
    expect((await sendTemplate(app)).headers['retry-after']).toBe('77')
  })
})

describe('Idempotency-Key', () => {
  const header = { 'idempotency-key': 'till-1' }

  it('gives the first answer again, without a second call', async () => {
    const { app, peer } = await startOfficial()
    const first = await sendTemplate(app, {}, header)
    const sends = peer.requests.length
    const again = await sendTemplate(app, {}, header)
    expect(again.text).toBe(first.text)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(peer.requests).toHaveLength(sends)
    expect((await sendTemplate(app, { phone: '6281234567891' }, header)).body.error.code).toBe('idempotency_conflict')
  })

  it.each([
    [422, metaError(132001)],
    [504, cut()],
  ])('keeps a %i', async (status, fault) => {
    const { app, peer } = await startOfficial()
    peer.answerNext(fault)
    const first = await sendTemplate(app, {}, header)
    expect(first.status).toBe(status)
    const again = await sendTemplate(app, {}, header)
    expect([again.status, again.text]).toEqual([status, first.text])
  })

  it.each([
    [429, metaError(130429)],
    [502, metaError(190)],
  ])('does not keep a %i: the caller may try again', async (status, fault) => {
    const { app, peer } = await startOfficial()
    peer.answerNext(fault)
    expect((await sendTemplate(app, {}, header)).status).toBe(status)
    const again = await sendTemplate(app, {}, header)
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, undefined])
  })

  it('lets a second call wait for the answer of the first', async () => {
    const { app, peer } = await startOfficial()
    const held = peer.holdNext()
    const first = sendTemplate(app, {}, header)
    await held.arrived
    const second = sendTemplate(app, {}, header)
    held.release()
    expect((await second).text).toBe((await first).text)
    expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(1)
  })
})

describe('the sandbox', () => {
  it.each([
    ['6281234560007', 422, 'provider_rejected'],
    ['6281234560008', 429, 'provider_rate_limited'],
    ['6281234560009', 502, 'provider_auth_failed'],
    ['6281234560005', 422, 'provider_rejected'],
    ['6281234560006', 502, 'provider_unavailable'],
    ['6281234560004', 504, 'provider_timeout'],
  ])('answers %s with %i %s', async (phone, status, code) => {
    const app = await startApp()
    const answer = await sendTemplate(app, { phone, sender_code: SANDBOX })
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    const wanted = status === 504 ? 'sending' : 'failed'
    expect((await app.message(answer.body.error.message_id ?? '')).status).toBe(wanted)
    expect(answer.headers['retry-after']).toBe(status === 429 ? '1' : undefined)
  })

  it.each([
    ['6281234567890', 'read'],
    ['6281234560003', 'delivered'],
    ['6281234560002', 'sent'],
    ['6281234560001', 'failed'],
  ] as const)('brings %s to %s', async (phone, status) => {
    const app = await startApp()
    const key = await app.key({ sender: SANDBOX })
    const answer = await app.call<{ id: string; messageId: string }>(key, '/waba/send-template', {
      phone,
      template_name: 'any',
    })
    expect(answer.body.data.messageId).toMatch(/^wamid\./)
    await app.reached(answer.body.data.id, status)
  })
})
