import { describe, expect, it } from 'vitest'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { createTestClock } from '../../support/clock.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import type { GraphPeer } from '../../support/graph-peer/graph-peer.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import { sendTemplate, startOfficial } from '../../support/official.ts'

const SOMEBODY = 'US.13491208655302741918'
const WAMID = 'wamid.HBgMNjI4MTIzNDU2Nzg5MBUCABEYEjlB'
const ASYNC = { prefer: 'respond-async' }

const offer = (peer: GraphPeer) => {
  peer.state.templates.push(
    textTemplate('offer', 'id', 'Diskon hari ini.', { category: 'MARKETING' }),
    textTemplate('code', 'id', 'Kode Anda.', { category: 'AUTHENTICATION' }),
    textTemplate('plain'),
  )
}
const start = (more: object = {}) => startOfficial({ prepare: offer, ...more })
const send = (app: Parameters<typeof sendTemplate>[0], fields: object, headers = {}) =>
  sendTemplate(app, { template_name: 'plain', parameters: undefined, ...fields }, headers)
const posts = (peer: GraphPeer) =>
  peer.requests.filter(({ route }) => route === 'messages' || route === 'marketing_messages')

describe.each([['while the caller waits', {}] as const, ['from the queue', ASYNC] as const])('%s', (_how, headers) => {
  it('a template can be sent to a person by Meta’s user id', async () => {
    const { app, peer, meta } = await start()
    const answer = await send(app, { phone: SOMEBODY }, headers)
    expect(answer.body.data.id, answer.text).toBeTypeOf('string')
    const { id } = answer.body.data
    const { providerMessageId } = await app.reached(id, 'accepted')
    expect(posts(peer).map(({ body }) => body)).toEqual([expect.objectContaining({ recipient: SOMEBODY })])
    expect(posts(peer)[0]?.body).not.toHaveProperty('to')
    await meta.status({ wamid: providerMessageId ?? '', status: 'delivered', callbackData: id })
    await app.reached(id, 'delivered')
    const { data } = (await app.owner<MessageDetail>(`/messages/${id}`)).body
    expect(data).toMatchObject({ recipient: SOMEBODY, recipient_user_id: SOMEBODY })
  })

  it('a template answers a message', async () => {
    const { app, peer } = await start()
    const { id } = (await send(app, { context: { message_id: WAMID } }, headers)).body.data
    await app.reached(id, 'accepted')
    expect(posts(peer).map(({ route, body }) => [route, body])).toEqual([
      ['messages', expect.objectContaining({ context: { message_id: WAMID } })],
    ])
  })

  it.each([
    [{ product_policy: 'STRICT' }],
    [{ message_activity_sharing: false }],
    [{ product_policy: 'CLOUD_API_FALLBACK', message_activity_sharing: true }],
  ])('%j goes by the Marketing Messages API', async (options) => {
    const { app, peer } = await start()
    const { id } = (await send(app, { template_name: 'offer', ...options }, headers)).body.data
    await app.reached(id, 'accepted')
    expect(posts(peer).map(({ route, body }) => [route, body])).toEqual([
      ['marketing_messages', expect.objectContaining({ ...options, to: '+6281234567890' })],
    ])
    const { data } = (await app.owner<MessageDetail>(`/messages/${id}`)).body
    expect(data.template).toMatchObject({ name: 'offer', ...options })
  })

  it.each<[string, object, string]>([
    ['a one-time code to an ID', { template_name: 'code', phone: SOMEBODY }, 'phone'],
    ['a policy for what is no advertising', { product_policy: 'STRICT' }, 'product_policy'],
    ['sharing of what is no advertising', { message_activity_sharing: true }, 'message_activity_sharing'],
  ])('%s is refused before any call', async (_what, fields, field) => {
    const { app, peer } = await start()
    const { status, body } = await send(app, fields, headers)
    expect([status, body.error.code]).toEqual([422, 'template_not_sendable'])
    expect(body.error.details?.map((detail) => detail.field)).toEqual([field])
    expect(posts(peer)).toEqual([])
  })
})

it.each<[string, object, string]>([
  ['a policy that there is not', { product_policy: 'ALWAYS' }, 'product_policy'],
  ['sharing that is no Boolean', { message_activity_sharing: 'yes' }, 'message_activity_sharing'],
  ['an answer to nothing', { context: {} }, 'context.message_id'],
  ['an empty id', { context: { message_id: '' } }, 'context.message_id'],
  ['an answer by the Marketing Messages API', { context: { message_id: WAMID }, product_policy: 'STRICT' }, 'context'],
  ['an ID that is none', { phone: 'US.' }, 'phone'],
  ['an ID in small letters', { phone: 'us.1349' }, 'phone'],
  ['two ends', { ttl: 60, expires_at: '2030-01-01T00:00:00Z' }, 'ttl'],
  ['too short a life', { ttl: 5 }, 'ttl'],
])('%s is a wrong field', async (_what, fields, field) => {
  const { app, peer } = await start()
  const { status, body } = await send(app, fields)
  expect([status, body.error.code]).toEqual([400, 'invalid_request'])
  expect(body.error.details?.map((detail) => detail.field)).toEqual([field])
  expect(posts(peer)).toEqual([])
})

it('a linked number refuses Meta’s user id as the recipient', async () => {
  const { app } = await start()
  const { status, body } = await app.owner('/send', {
    body: { phone: SOMEBODY, message: 'Halo', sender_code: 'SND-SANDBOX' },
  })
  expect([status, body.error.details?.[0]?.field]).toEqual([400, 'phone'])
})

it.each([131055, 134100, 134102])('a refusal by Meta’s marketing API (%i) says what to do', async (code) => {
  const { app, peer } = await start()
  peer.answerNext(metaError(code), 'marketing_messages')
  const { status, body } = await send(app, { template_name: 'offer', product_policy: 'STRICT' })
  expect([status, body.error.code]).toEqual([422, 'provider_rejected'])
  expect(body.error.hint_code).toBe('marketing_api')
})

it('a queued template is not sent after its time is over', async () => {
  const clock = createTestClock()
  const { app, peer } = await start({ clock })
  peer.answerNext(metaError(130429, { retryAfter: 90 }))
  const { id } = (await send(app, { ttl: 60 }, ASYNC)).body.data
  await clock.scheduled(90_000)
  await app.reached(id, 'queued')
  await clock.advance(90_000)
  await app.reached(id, 'failed')
  expect(await app.message(id)).toMatchObject({ status: 'failed', error: { code: 'expired' } })
  await clock.advance(600_000)
  expect(posts(peer)).toHaveLength(1)
})
