import { expect, it } from 'vitest'
import type { MessageDetail, MessageRow } from '../../../server/contract/messages.ts'
import type { SecondRoadTrial } from '../../../server/contract/second-road.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import { startOfficial } from '../../support/official.ts'
import { startReceiver } from '../../support/receiver.ts'

const MINUTE = 60_000
const BODY = 'Halo {{1}}, tagihan {{2}} sudah jatuh tempo.'
const RULE = { pattern: 'Halo {{nama}}, tagihan {{nomor}} jatuh tempo', template_name: 'tagihan' }
const TEXT = 'Halo Bu Sari, tagihan INV-1 jatuh tempo'

/** A shop whose linked number has no connection, with an official one beside it. */
async function startShop(road: object = {}) {
  const clock = createTestClock()
  const world = await startOfficial({
    clock,
    prepare: ({ state }) => void state.templates.push(textTemplate('tagihan', 'id', BODY)),
  })
  const { app, code, peer } = world
  const shop = await app.sender('linked', { pacing: { min_seconds: 0, max_seconds: 0 } })
  const path = `/api/senders/${shop}`
  const second_road = { sender_code: code, after_minutes: 30, monthly_cap: 10, rules: [RULE], ...road }
  const saved = await app.owner<SenderView>(path, { method: 'PATCH', body: { second_road } })
  expect(saved.status, saved.text).toBe(200)
  const key = await app.key({ sender: shop })
  return {
    ...{ ...world, clock, shop, path },
    posts: () => peer.requests.filter(({ route }) => route === 'messages'),
    view: async () => (await app.owner<SenderView>(path)).body.data,
    async send(fields: object = {}): Promise<string> {
      const answer = await app.call<{ id: string }>(key, '/send', { phone: '6281234567890', message: TEXT, ...fields })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.id
    },
  }
}

it('a text that cannot leave goes out as the template, as the same message', async () => {
  const { app, shop, code, clock, send, posts, view, meta } = await startShop()
  const receiver = await startReceiver()
  await app.owner('/api/webhooks', { body: { url: receiver.url } })
  const id = await send({ reference_id: 'INV-1' })
  await clock.advance(29 * MINUTE)
  expect(posts()).toEqual([])
  expect((await app.message(id)).channel).toBe('standard')
  await clock.advance(2 * MINUTE)
  const { providerMessageId } = await app.reached(id, 'accepted')
  expect(posts().map(({ body }) => body)).toMatchObject([
    {
      to: '+6281234567890',
      biz_opaque_callback_data: id,
      template: {
        name: 'tagihan',
        components: [{ type: 'body', parameters: [{ text: 'Bu Sari' }, { text: 'INV-1' }] }],
      },
    },
  ])
  await meta.status({ wamid: providerMessageId ?? '', status: 'delivered' })
  const { event } = await receiver.event('message.delivered', id)
  expect(event.data).toMatchObject({ channel: 'template', sender_code: shop, reference_id: 'INV-1' })
  const rows = (await app.owner<MessageRow[]>('/messages')).body.data
  expect(rows).toMatchObject([{ id, sender_code: shop, via: code, message: TEXT, template: { name: 'tagihan' } }])
  const detail = (await app.owner<MessageDetail>(`/messages/${id}`)).body.data
  expect(detail.provider).toMatchObject({ http_status: 200 })
  expect(receiver.received.map(({ event: { type } }) => type).filter((type) => type.startsWith('message'))).toEqual([
    'message.delivered',
  ])
  expect((await view()).second_road).toMatchObject({ used: 1, monthly_cap: 10 })
})

it('no more than the cap in a month, and no more than once each, also over a restart', async () => {
  const { app, clock, send, posts } = await startShop({ monthly_cap: 2 })
  const ids = [await send(), await send(), await send()]
  await clock.advance(31 * MINUTE)
  for (const id of ids.slice(0, 2)) await app.reached(id, 'accepted')
  await app.restart()
  await clock.advance(31 * MINUTE)
  expect(posts()).toHaveLength(2)
  expect((await app.message(ids[2] ?? '')).status).toBe('queued')
})

it('never a message that may have left', async () => {
  const { app, clock, send, posts } = await startShop()
  const id = await send()
  const later = clock.now() + 1
  const { messages } = app.app.store
  await messages.change({ id }, () => ({ at: later, status: 'sending', nextAt: later, attemptBegins: true }))
  await messages.change({ id }, () => ({ at: later, attemptEnds: { outcome: 'unknown', reason: null } }))
  const running = await send()
  await messages.change({ id: running }, () => ({ at: later, status: 'sending', nextAt: later, attemptBegins: true }))
  const knownNotToHaveLeft = await send()
  await messages.change({ id: knownNotToHaveLeft }, () => ({ at: later, status: 'sending', attemptBegins: true }))
  await messages.change({ id: knownNotToHaveLeft }, () => ({
    ...{ at: later, nextAt: later, attemptEnds: { outcome: 'not_sent', reason: null } },
  }))
  await clock.advance(31 * MINUTE)
  await app.reached(knownNotToHaveLeft, 'accepted')
  expect(posts()).toHaveLength(1)
  expect((await app.message(id)).channel).toBe('standard')
  expect((await app.message(running)).channel).toBe('standard')
})

it('one that Meta refuses waits for its own sender again, and does not count', async () => {
  const { app, clock, peer, send, posts, view } = await startShop()
  peer.answerNext(metaError(131026))
  const id = await send()
  await clock.advance(31 * MINUTE)
  await eventually(async () => {
    const { attempts, channel } = await app.message(id)
    return attempts === 1 && channel === 'standard'
  })
  await clock.advance(5 * MINUTE)
  expect(posts()).toHaveLength(1)
  expect(await app.message(id)).toMatchObject({
    ...{ status: 'queued', channel: 'standard', template: null, error: null, providerMessageId: null },
  })
  expect((await view()).second_road?.used).toBe(0)
})

it('stays off the road: another text, a file, a message for later, a paused sender, a road that is off', async () => {
  const { app, clock, path, send, posts, code } = await startShop()
  await send({ message: 'Apa kabar?' })
  await send({ file: 'https://shop.example/a.pdf' })
  await send({ delay: 7200 })
  await clock.advance(35 * MINUTE)
  expect(posts()).toEqual([])
  await app.owner(`${path}/pause`, { method: 'POST' })
  const id = await send()
  await clock.advance(35 * MINUTE)
  expect(posts()).toEqual([])
  const road = { sender_code: code, monthly_cap: 10, rules: [RULE], enabled: false }
  await app.owner(path, { method: 'PATCH', body: { second_road: road } })
  await app.owner(`${path}/resume`, { method: 'POST' })
  await clock.advance(35 * MINUTE)
  expect(posts()).toEqual([])
  await app.owner(path, { method: 'PATCH', body: { second_road: { ...road, enabled: true } } })
  await clock.advance(2 * MINUTE)
  await app.reached(id, 'accepted')
})

it('is tried on past texts before it is saved, and sends nothing', async () => {
  const { app, path, send, posts, code } = await startShop()
  await send()
  await send({ message: 'Apa kabar?' })
  await send({ message: `Halo ${'x'.repeat(2000)}, tagihan INV-2 jatuh tempo` })
  await app.owner(`/api/senders/${code}/templates/sync`, { method: 'POST' })
  const attempt = (road?: object) =>
    app.owner<{ messages: SecondRoadTrial[]; fitting: number }>(`${path}/second-road/try`, { body: { road } })
  const { data } = (await attempt()).body
  expect(data.messages).toMatchObject([
    { rule: 0, template_name: 'tagihan', message: expect.stringMatching(/^.{280}$/) },
    { rule: null, template_name: null, preview: null, problems: [], message: 'Apa kabar?' },
    { rule: 0, preview: 'Halo Bu Sari, tagihan INV-1 sudah jatuh tempo.', problems: [], message: TEXT },
  ])
  const draft = { sender_code: code, monthly_cap: 1, rules: [{ ...RULE, parameters: ['nama'] }] }
  const drafted = (await attempt(draft)).body.data
  expect(drafted.fitting).toBe(0)
  expect(drafted.messages[2]?.problems[0]).toMatch(/parameters|variable/)
  expect(posts()).toEqual([])
})

it.each([
  [{ sender_code: 'SND-SANDBOX', monthly_cap: 1, rules: [] }, 'second_road.sender_code'],
  [{ sender_code: 'SND-NONE', monthly_cap: 1, rules: [] }, 'second_road.sender_code'],
])('a road to %j is refused', async (second_road, field) => {
  const { app, path } = await startShop()
  const answer = await app.owner(path, { method: 'PATCH', body: { second_road } })
  expect([answer.status, answer.body.error.details ?? null]).toMatchObject([400, [{ field }]])
})
