import { expect, it } from 'vitest'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { SANDBOX, startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { callbacks } from '../../support/graph-peer/callbacks.ts'
import { type Fault, htmlPage, metaError } from '../../support/graph-peer/faults.ts'
import { APP_SECRET, applied, inState, SENDER, sendTemplate, startOfficial } from '../../support/official.ts'
import { startReceiver } from '../../support/receiver.ts'

const ASYNC = { prefer: 'respond-async' }
const TEXT = { phone: '6281234567890', message: 'Halo' }

/** Queues a template as the owner; resolves with its id. */
async function queue(app: Parameters<typeof sendTemplate>[0], body: object = {}): Promise<string> {
  const answer = await sendTemplate(app, body, ASYNC)
  expect(answer.status, answer.text).toBe(202)
  return answer.body.data.id
}

it('is answered at once, sent by its sender’s lane, and reported by callbacks', async () => {
  const { app, peer, code, meta } = await startOfficial()
  const receiver = await startReceiver()
  await app.owner('/api/webhooks', { body: { url: receiver.url } })
  const held = peer.holdNext()
  const answer = await sendTemplate(app, { reference_id: 'INV-7', metadata: { branch: 4 } }, ASYNC)
  expect(answer.status).toBe(202)
  expect(answer.headers['preference-applied']).toBe('respond-async')
  const { id } = answer.body.data
  expect(answer.body).toEqual({
    success: true,
    message: 'Template message queued.',
    data: {
      ...{ id, message_id: id, sender_code: code, recipient: '6281234567890', status: 'queued' },
      metadata: { branch: 4, reference_id: 'INV-7' },
    },
  })
  const { body } = await held.arrived
  expect(body).toMatchObject({ to: '+6281234567890', biz_opaque_callback_data: id })
  expect((await app.owner<MessageDetail>(`/messages/${id}`)).body.data.provider, 'before Meta answered').toBeNull()
  held.release()
  const { providerMessageId } = await app.reached(id, 'accepted')
  await meta.status({ wamid: providerMessageId ?? '', status: 'delivered', callbackData: id })
  const { event } = await receiver.event('message.delivered', id)
  expect(event.data).toMatchObject({
    channel: 'template',
    reference_id: 'INV-7',
    provider_message_id: providerMessageId,
  })
  const { body: detail } = await app.owner<MessageDetail>(`/messages/${id}`)
  expect(detail.data).toMatchObject({
    timeline: [{ type: 'sending' }, { type: 'attempt' }, { type: 'accepted' }, { type: 'delivered' }],
    provider: { http_status: 200, request: { biz_opaque_callback_data: id }, answer: { messages: [{}] } },
  })
})

it('the answer to a repeated call is the first one', async () => {
  const { app, peer } = await startOfficial()
  const headers = { ...ASYNC, 'idempotency-key': 'k-1' }
  const first = await sendTemplate(app, {}, headers)
  const again = await sendTemplate(app, {}, headers)
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true'])
  await app.reached(first.body.data.id, 'accepted')
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(1)
})

it('the longest of several waits counts and its end wakes the lane, also if the clock is set back', async () => {
  const clock = createTestClock()
  const { app, peer, code } = await startOfficial({ clock })
  await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
  const ids = [await queue(app), await queue(app, { phone: '6281234567899' })]
  const held = [peer.holdNext(), peer.holdNext()]
  await app.owner(`/api/senders/${code}/resume`, { method: 'POST' })
  for (const { arrived } of held) await arrived
  for (const [i, retryAfter] of [10, 60].entries()) held[i]?.release(metaError(130429, { retryAfter }))
  await clock.scheduled(10_000)
  await clock.scheduled(60_000)
  for (const id of ids) await app.reached(id, 'queued')
  await eventually(async () => {
    const rows = await Promise.all(ids.map((id) => app.message(id)))
    return rows.every(({ status, attempts }) => status === 'queued' && attempts === 1)
  })
  clock.jump(-7 * 3_600_000)
  await clock.advance(59_000)
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(2)
  await clock.advance(1_000)
  for (const id of ids) await app.reached(id, 'accepted')
})

it('a limit that several messages meet at once counts once', async () => {
  const clock = createTestClock()
  const { app, peer, code } = await startOfficial({ clock })
  await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
  const phones = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `628123456780${n}`)
  const held = phones.map(() => peer.holdNext())
  const ids: string[] = []
  for (const phone of phones) ids.push(await queue(app, { phone }))
  await app.owner(`/api/senders/${code}/resume`, { method: 'POST' })
  for (const { arrived } of held) await arrived
  for (const { release } of held) release(metaError(130429))
  await eventually(async () => {
    const rows = await Promise.all(ids.map((id) => app.message(id)))
    return rows.every(({ status, attempts }) => status === 'queued' && attempts === 1)
  })
  const rows = await Promise.all(ids.map((id) => app.message(id)))
  expect(new Set(rows.map(({ nextAt }) => nextAt))).toEqual(new Set([clock.now() + 1_000]))
  await clock.advance(1_000)
  for (const id of ids) await app.reached(id, 'accepted')
})

it('the second message to a person is sent after Meta answered the first', async () => {
  const { app, peer, code } = await startOfficial()
  await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
  const ids = [await queue(app), await queue(app)]
  const first = peer.holdNext()
  await app.owner(`/api/senders/${code}/resume`, { method: 'POST' })
  await first.arrived
  const others = ['6281234567801', '6281234567802', '6281234567803']
  for (const phone of others) expect((await sendTemplate(app, { phone })).status).toBe(200)
  const sent = () =>
    peer.requests.flatMap(({ body }) => (body as { biz_opaque_callback_data?: string })?.biz_opaque_callback_data ?? [])
  expect(sent().filter((id) => ids.includes(id))).toEqual(ids.slice(0, 1))
  first.release()
  for (const id of ids) await app.reached(id, 'accepted')
  expect(sent().filter((id) => ids.includes(id))).toEqual(ids)
})

it('a message that waits for an earlier one to the same person still expires', async () => {
  const clock = createTestClock()
  const { app, peer } = await startOfficial({ clock, env: { KURIR_GRAPH_TIMEOUT_MS: '120000' } })
  const first = peer.holdNext()
  const id = await queue(app)
  await first.arrived
  const second = await queue(app, { ttl: 60 })
  await clock.scheduled(60_000)
  await clock.advance(61_000)
  expect(await app.reached(second, 'failed')).toMatchObject({ error: { code: 'expired' }, attempts: 0 })
  first.release()
  await app.reached(id, 'accepted')
})

it('a throttled message waits as long as Meta says, and is then sent', async () => {
  const clock = createTestClock()
  const { app, peer, code } = await startOfficial({ clock })
  peer.answerNext(metaError(130429, { retryAfter: 90 }))
  const id = await queue(app)
  await clock.scheduled(90_000)
  await app.reached(id, 'queued')
  expect(await app.message(id)).toMatchObject({ status: 'queued', nextAt: clock.now() + 90_000 })
  const second = await queue(app, { phone: '6281234567899' })
  await clock.advance(89_000)
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(1)
  await clock.advance(1_000)
  await app.reached(id, 'accepted')
  await app.reached(second, 'accepted')
  expect((await app.owner<MessageDetail>(`/messages/${id}`)).body.data.attempt_log).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('130429') },
    { outcome: 'acknowledged' },
  ])
  const { data } = (await app.owner<SenderView>(`/api/senders/${code}`)).body
  expect(data.sent_today, 'both count for the cap of the day').toBe(2)
})

it('waits while Meta refuses the token, and is sent after the next check', async () => {
  const { app, peer, code } = await startOfficial()
  peer.answerNext(metaError(190))
  const id = await queue(app)
  await inState(app, code, 'offline', 'token_refused')
  await app.owner(`/api/senders/${code}/check`, { method: 'POST' })
  await inState(app, code, 'connected')
  expect(await app.reached(id, 'accepted')).toMatchObject({ error: null, attempts: 1 })
})

it('waits while Meta cannot bill the account, whether the send or a status says so', async () => {
  const clock = createTestClock()
  const { app, peer, code, meta } = await startOfficial({ clock })
  const health = async () => (await app.fetch('/health')).text
  peer.answerNext(metaError(131042))
  const first = await queue(app)
  await inState(app, code, 'restricted', 'account_unpaid')
  expect(await app.reached(first, 'queued')).toMatchObject({ error: null })
  await eventually(async () => (await health()).includes('account_unpaid'))
  await clock.advance(3_600_000)
  const { providerMessageId } = await app.reached(first, 'accepted')
  await meta.status({
    ...{ wamid: providerMessageId ?? '', status: 'failed', at: clock.now(), callbackData: first },
    errors: [{ code: 131042, title: 'Business eligibility payment issue' }],
  })
  await inState(app, code, 'restricted', 'account_unpaid')
  const second = await queue(app, { phone: '6281234567899' })
  // An accepted message does not prove that Meta can bill the account.
  expect((await sendTemplate(app, { phone: '6281234567898' })).status).toBe(200)
  expect(app.app.store.senders.byCode(code)?.state).toBe('restricted')
  await clock.advance(7_200_000)
  await app.reached(second, 'accepted')
})

it('a refused message says nothing about an account whose restriction is over', async () => {
  const { app, peer, code, meta } = await startOfficial()
  const expiration = Math.floor(Date.now() / 1000) - 60
  await meta.change('account_update', {
    event: 'ACCOUNT_RESTRICTION',
    restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration }],
  })
  await applied(app)
  await inState(app, code, 'connected')
  peer.answerNext(metaError(131026))
  expect(await app.reached(await queue(app), 'failed')).toMatchObject({ error: { provider_code: '131026' } })
})

it('is never retried without a pause, whatever Meta says', async () => {
  const clock = createTestClock()
  const { app, peer } = await startOfficial({ clock })
  for (let n = 0; n < 3; n += 1) peer.answerNext(metaError(130429, { retryAfter: 0 }))
  const id = await queue(app)
  for (const [attempts, seconds] of [1, 2, 4].entries()) {
    await eventually(async () => {
      const message = await app.message(id)
      return message.attempts === attempts + 1 && message.status === 'queued'
    })
    expect((await app.message(id)).nextAt).toBe(clock.now() + seconds * 1_000)
    await clock.advance(seconds * 1_000)
  }
  await app.reached(id, 'accepted')
})

it('messages behind an unanswered one wait longer and longer, so that few are in doubt', async () => {
  const clock = createTestClock()
  const { app, peer } = await startOfficial({ clock })
  /** Counts attempts after the lane had time for more. */
  async function attemptsOf(id: string): Promise<number> {
    for (let n = 0; n < 5; n += 1) await app.owner('/api/senders')
    return (await app.message(id)).attempts
  }
  const inDoubt = (id: string) => eventually(async () => (await app.message(id)).nextAt === null)
  peer.answerAlways(htmlPage(504))
  await inDoubt(await queue(app))
  const second = await queue(app, { phone: '6281234567801' })
  await clock.advance(4_000)
  expect(await attemptsOf(second)).toBe(0)
  await clock.advance(1_000)
  await inDoubt(second)
  peer.answerAlways(null)
  const third = await queue(app, { phone: '6281234567802' })
  await clock.advance(14_000)
  expect(await attemptsOf(third)).toBe(0)
  await clock.advance(1_000)
  await app.reached(third, 'accepted')
  await app.reached(await queue(app, { phone: '6281234567803' }), 'accepted')
})

it('waits while the secrets of its sender cannot be read', async () => {
  const { app, code, peer } = await startOfficial()
  await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
  const id = await queue(app)
  const { senders } = app.app.store
  const sender = senders.byCode(code)
  await senders.change(sender?.id ?? 0, () => ({ secrets: Buffer.from('sealed with another key') }))
  await app.owner(`/api/senders/${code}/resume`, { method: 'POST' })
  const other = (await app.owner<{ id: string }>('/send', { body: { ...TEXT, sender_code: SANDBOX } })).body.data.id
  await app.reached(other, 'sent')
  expect(app.logs()).not.toContain('a lane could not go on')
  expect(await app.message(id)).toMatchObject({ status: 'queued', attempts: 0 })
  const { access_token, app_secret, verify_token } = SENDER
  const body = { access_token, app_secret, verify_token }
  expect((await app.owner(`/api/senders/${code}`, { method: 'PATCH', body })).status).toBe(200)
  await app.reached(id, 'accepted')
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(1)
})

it.each<[string, Fault]>([
  ['the line was cut', { kind: 'cut', when: 'after reading' }],
  ['a gateway gave up waiting for Meta', htmlPage(504)],
])('is never posted twice if its outcome is unknown: %s', async (_, fault) => {
  const { app, peer } = await startOfficial()
  peer.answerNext(fault)
  const id = await queue(app)
  await eventually(async () => (await app.message(id)).nextAt === null)
  expect(await app.message(id)).toMatchObject({ status: 'sending', attempts: 1 })
  expect((await app.owner<MessageDetail>(`/messages/${id}`)).body.data.provider).toMatchObject({
    ...{ request: { biz_opaque_callback_data: id }, http_status: null, answer: null },
  })
  await app.restart()
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(1)
  const meta = callbacks({ to: app.app.webhookUrl(), appSecret: APP_SECRET })
  await meta.status({ wamid: 'wamid.unheard', status: 'read', callbackData: id })
  expect((await app.reached(id, 'read')).providerMessageId).toBe('wamid.unheard')
})

it('a message found in an attempt after a crash is not posted again', async () => {
  const { app, peer, code } = await startOfficial()
  const held = peer.holdNext()
  const id = await queue(app)
  await held.arrived
  const sender = app.app.store.senders.byCode(code)
  // Imitates a power cut during the call: the claim is stored, and its lease is over.
  await app.app.store.messages.change({ id }, () => ({
    at: 1,
    nextAt: null,
    attemptEnds: { outcome: 'unknown', reason: null },
  }))
  held.release({ kind: 'cut', when: 'after reading' })
  await app.app.store.messages.change({ id }, () => ({ at: 1, nextAt: 1, attemptBegins: true, status: 'sending' }))
  await app.app.store.senders.change(sender?.id ?? 0, () => ({ paused: true }))
  await app.restart()
  expect(await app.message(id)).toMatchObject({ status: 'sending', nextAt: null })
  await app.owner(`/api/senders/${code}/resume`, { method: 'POST' })
  expect((await app.message(id)).nextAt).toBeNull()
})

it('a template that cannot be sent is refused, and nothing is queued', async () => {
  const { app, code } = await startOfficial()
  await app.owner(`/api/senders/${code}/templates/sync`, { method: 'POST' })
  const answer = await sendTemplate(app, { parameters: ['one too many'] }, ASYNC)
  expect([answer.status, answer.body.error.code]).toEqual([422, 'template_not_sendable'])
  expect(app.app.store.queues.waiting(app.app.store.senders.byCode(code)?.id ?? 0)).toBe(0)
})

it('a sandbox queues templates too', async () => {
  const app = await startApp()
  const id = await queue(app, { sender_code: SANDBOX })
  await app.reached(id, 'read')
})
