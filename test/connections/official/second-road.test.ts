import { expect, it } from 'vitest'
import type { MessageDetail, MessageRow } from '../../../server/contract/messages.ts'
import type { SecondRoadTrial } from '../../../server/contract/second-road.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import { newRow } from '../../support/new-message.ts'
import { addOfficial, sendTemplate, startOfficial } from '../../support/official.ts'
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

it('a text that cannot be sent goes out as a template, as the same message', async () => {
  const { app, shop, code, clock, send, posts, view, meta } = await startShop()
  const receiver = await startReceiver()
  await app.owner('/api/webhooks', { body: { url: receiver.url } })
  const id = await send({ reference_id: 'INV-1' })
  await clock.advance(29 * MINUTE)
  expect(posts()).toEqual([])
  expect((await app.message(id)).channel).toBe('standard')
  await clock.advance(MINUTE)
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

it('sends no more than the monthly cap, and no message twice, also after a restart', async () => {
  const { app, clock, send, posts } = await startShop({ monthly_cap: 2 })
  const ids = [await send(), await send(), await send()]
  await clock.advance(30 * MINUTE)
  for (const id of ids.slice(0, 2)) await app.reached(id, 'accepted')
  await app.restart()
  await clock.advance(30 * MINUTE)
  expect(posts()).toHaveLength(2)
  expect((await app.message(ids[2] ?? '')).status).toBe('queued')
})

it('never takes a message that may have been sent', async () => {
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
  await clock.advance(30 * MINUTE)
  await app.reached(knownNotToHaveLeft, 'accepted')
  expect(posts()).toHaveLength(1)
  expect((await app.message(id)).channel).toBe('standard')
  expect((await app.message(running)).channel).toBe('standard')
})

it('a message that Meta refuses waits for its own sender again, and does not count', async () => {
  const { app, clock, peer, send, posts, view } = await startShop()
  peer.answerNext(metaError(131026))
  const id = await send()
  await clock.advance(30 * MINUTE)
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

it('a marketing message stays queued while Meta accepts none for the person', async () => {
  const { app, code, clock, peer, send } = await startShop()
  for (const template of peer.state.templates) if (template.name === 'tagihan') template.category = 'MARKETING'
  await app.owner(`/api/senders/${code}/templates/sync`, { method: 'POST' })
  peer.answerNext(metaError(131049))
  const first = await send({ phone: '6281234567899' })
  await clock.advance(30 * MINUTE)
  await eventually(async () => {
    const { attempts, channel } = await app.message(first)
    return attempts === 1 && channel === 'standard'
  })
  const held = await send({ phone: '6281234567899' })
  const free = await send()
  const roads: string[] = []
  const { seq } = await app.message(held)
  app.app.bus.on('message', (signal) => void (signal.seq === seq && roads.push(signal.channel)))
  await clock.advance(30 * MINUTE)
  await app.reached(free, 'accepted')
  await clock.advance(5 * MINUTE)
  expect(roads).toEqual([])
  expect((await app.message(held)).channel).toBe('standard')
})

it('thousands of texts that fit no rule do not keep others from the road', async () => {
  const { app, clock, shop, send } = await startShop()
  const senderId = app.app.store.senders.byCode(shop)?.id ?? 0
  const [at, expiresAt] = [clock.now(), clock.now() + 24 * 60 * MINUTE]
  const times = { createdAt: at, dueAt: at, nextAt: at, expiresAt }
  const rows = Array.from({ length: 2_100 }, () => newRow({ senderId, body: 'Apa kabar?', ...times }))
  await Promise.all(rows.map((row) => app.app.store.messages.accept(row, { unique: false })))
  const id = await send()
  for (let minute = 0; minute < 40; minute += 1) await clock.advance(MINUTE)
  await app.reached(id, 'accepted')
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
  await clock.advance(MINUTE)
  await app.reached(id, 'accepted')
})

it('a message does not take the road if its sender is paused during the look', async () => {
  const { app, clock, path, send, posts } = await startShop()
  const id = await send()
  await clock.advance(29 * MINUTE)
  const { queues } = app.app.store
  const { waitingAfter } = queues
  let paused = 0
  queues.waitingAfter = async (...about) => {
    const rows = await waitingAfter(...about)
    paused = (await app.owner(`${path}/pause`, { method: 'POST' })).status
    return rows
  }
  await clock.advance(2 * MINUTE)
  await eventually(() => paused === 200)
  await clock.advance(MINUTE)
  expect([posts(), (await app.message(id)).channel]).toEqual([[], 'standard'])
})

it('unreadable secrets of one official sender do not stop the roads of other numbers', async () => {
  const { app, code, clock, send, posts } = await startShop()
  const other = await app.sender('linked', { pacing: { min_seconds: 0, max_seconds: 0 } })
  const end = await addOfficial(app)
  const second_road = { sender_code: end, after_minutes: 30, monthly_cap: 10, rules: [RULE] }
  await app.owner(`/api/senders/${other}`, { method: 'PATCH', body: { second_road } })
  const { senders } = app.app.store
  await senders.change(senders.byCode(code)?.id ?? 0, () => ({ secrets: Buffer.from('sealed with another key') }))
  const stuck = await send()
  const body = { phone: '6281234567891', message: TEXT, sender_code: other }
  const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
  await clock.advance(30 * MINUTE)
  await app.reached(id, 'accepted')
  expect(posts()).toHaveLength(1)
  expect((await app.message(stuck)).channel).toBe('standard')
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

/** Messages that Meta, too busy, did not take yet: they wait in the lane of the official sender. */
async function startWaiting(count: number) {
  const world = await startShop()
  const { app, code, clock, peer, send } = world
  const ids: string[] = []
  // To one person each: of two to the same one the second would wait for the answer of the first.
  for (let n = 0; n < count; n += 1) ids.push(await send({ reference_id: `INV-${n}`, phone: `628123456780${n}` }))
  // Answered when all have left: the first refusal keeps back what has not.
  const held = ids.map(() => peer.holdNext())
  await clock.advance(30 * MINUTE)
  for (const { arrived } of held) await arrived
  for (const { release } of held) release(metaError(80008))
  const laneId = app.app.store.senders.byCode(code)?.id
  const waiting = { laneId, status: 'queued', channel: 'template', attempts: 1 }
  for (const id of ids) await app.reached(id, 'queued')
  for (const id of ids) expect(await app.message(id)).toMatchObject(waiting)
  return { ...world, ids, remove: (sender: string) => app.owner(`/api/senders/${sender}`, { method: 'DELETE' }) }
}

it('a message is not sent again if its official sender is deleted while Meta has not answered', async () => {
  const { app, code, clock, peer, send, posts, view } = await startShop()
  const held = peer.holdNext()
  const id = await send()
  await clock.advance(30 * MINUTE)
  await held.arrived
  const deleted = app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  await clock.scheduled(0)
  await clock.advance(0)
  expect((await deleted).status).toBe(200)
  held.release()
  await eventually(async () => (await app.message(id)).providerMessageId !== null)
  await clock.advance(30 * MINUTE)
  expect(await app.message(id)).toMatchObject({ status: 'failed', error: { code: 'not_acknowledged' } })
  expect(posts()).toHaveLength(1)
  expect((await view()).second_road?.used).toBe(1)
})

it('a message that ends unsent in the official lane does not count', async () => {
  const { app, view, ids } = await startWaiting(3)
  expect((await view()).second_road?.used).toBe(3)
  expect((await app.owner(`/messages/${ids[0]}`, { method: 'DELETE' })).status).toBe(200)
  expect((await view()).second_road?.used).toBe(2)
  for (const id of ids.slice(1)) {
    const { recipient } = await app.message(id)
    await app.owner('/suppressions', { body: { phone: recipient, scope: 'all' } })
  }
  for (const id of ids.slice(1)) expect((await app.message(id)).status).toBe('cancelled')
  expect((await view()).second_road?.used).toBe(0)
})

it('a message that expires in the official lane does not count', async () => {
  const { app, clock, view, ids } = await startWaiting(1)
  const expires_at = new Date(clock.now() + 30_000).toISOString()
  expect((await app.owner(`/messages/${ids[0]}`, { method: 'PATCH', body: { expires_at } })).status).toBe(200)
  await clock.advance(31_000)
  expect(await app.reached(ids[0] ?? '', 'failed')).toMatchObject({ error: { code: 'expired' } })
  expect((await view()).second_road?.used).toBe(0)
})

it('messages return to their sender if the official sender is deleted', async () => {
  const { app, code, shop, clock, posts, view, ids, remove } = await startWaiting(2)
  const before = posts().length
  expect((await remove(code)).status).toBe(200)
  const laneId = app.app.store.senders.byCode(shop)?.id
  for (const id of ids) {
    expect(await app.message(id)).toMatchObject({ laneId, status: 'queued', channel: 'standard', template: null })
  }
  expect((await view()).second_road?.used).toBe(0)
  await clock.advance(30 * MINUTE)
  expect(posts()).toHaveLength(before)
  expect((await app.owner<MessageRow[]>('/messages')).body.data).toMatchObject([{ via: null }, { via: null }])
})

it('messages return also after a power cut during the deletion', async () => {
  const { app, code, shop, ids } = await startWaiting(1)
  const { store } = app.app
  const row = store.senders.byCode(code)
  await store.senders.remove(row?.id ?? 0, 1)
  await app.restart()
  const laneId = app.app.store.senders.byCode(shop)?.id
  expect(await app.message(ids[0] ?? '')).toMatchObject({ laneId, status: 'queued', channel: 'standard' })
})

it('a message on the second road stops if its own sender is deleted', async () => {
  const { app, shop, clock, posts, ids, remove } = await startWaiting(2)
  const before = posts().length
  expect((await remove(shop)).status).toBe(200)
  for (const id of ids) {
    expect(await app.message(id)).toMatchObject({ status: 'failed', nextAt: null, error: { code: 'sender_deleted' } })
  }
  await clock.advance(30 * MINUTE)
  expect(posts()).toHaveLength(before)
})

it.each([
  [null, { status: 'accepted' }],
  [metaError(131026), { status: 'failed', nextAt: null, error: { code: 'sender_deleted' } }],
  [metaError(80008), { status: 'failed', nextAt: null, error: { code: 'sender_deleted' } }],
])('Meta’s later answer (%#) ends a message whose official sender was deleted', async (fault, end) => {
  const { app, shop, clock, peer, send } = await startShop()
  const held = peer.holdNext()
  const id = await send()
  await clock.advance(30 * MINUTE)
  await held.arrived
  await app.owner(`/api/senders/${shop}`, { method: 'DELETE' })
  expect((await app.message(id)).status).toBe('sending')
  held.release(fault ?? undefined)
  await app.reached(id, 'accepted', 'failed')
  expect(await app.message(id)).toMatchObject(end)
})

it('a message that Meta could not deliver is sent again by its own sender', async () => {
  const { app, shop, code, clock, send, meta } = await startShop()
  const id = await send({ reference_id: 'INV-1' })
  await clock.advance(30 * MINUTE)
  const { providerMessageId } = await app.reached(id, 'accepted')
  await meta.status({
    ...{ wamid: providerMessageId ?? '', status: 'failed' },
    errors: [{ code: 131026, title: 'Message undeliverable' }],
  })
  await app.reached(id, 'failed')
  const again = await app.owner<{ id: string }>(`/api/messages/${id}/retry`, { method: 'POST' })
  expect(again.status, again.text).toBe(200)
  expect(again.body.data.id).not.toBe(id)
  const laneId = app.app.store.senders.byCode(shop)?.id
  expect(await app.message(again.body.data.id)).toMatchObject({
    ...{ status: 'queued', channel: 'standard', body: TEXT, referenceId: 'INV-1', laneId, providerMessageId: null },
  })
  const template = await sendTemplate(app, { sender_code: code, template_name: 'unknown' })
  const refused = await app.owner(`/api/messages/${template.body.error.message_id}/retry`, { method: 'POST' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict'])
})
