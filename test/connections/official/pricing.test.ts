import { expect, it } from 'vitest'
import type { MessageRow } from '../../../server/contract/messages.ts'
import type { PricingMonth } from '../../../server/slices/pricing/contract.ts'
import { createTestClock } from '../../support/clock.ts'
import { statusError } from '../../support/graph-peer/callbacks.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import { type OfficialTest, sendTemplate, startOfficial } from '../../support/official.ts'
import { startReceiver } from '../../support/receiver.ts'

const PMP = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
const FREE = { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'utility' }

async function deliver({ app, meta }: OfficialTest, phone: string, pricing: object): Promise<string> {
  const { id, messageId } = (await sendTemplate(app, { phone })).body.data
  const value = {
    metadata: { phone_number_id: '106540352242922' },
    statuses: ['sent', 'delivered', 'delivered'].map((status) => ({
      ...{ id: messageId, status, timestamp: '1795248000', pricing, recipient_user_id: 'ID.13491208655302741918' },
    })),
  }
  await meta.change('messages', value)
  await app.reached(id, 'delivered')
  return id
}

it('Meta’s price appears complete in the log, the callback, the CSV and the month', async () => {
  const world = await startOfficial()
  const { app, code } = world
  const receiver = await startReceiver()
  await app.owner('/api/webhooks', { body: { url: receiver.url } })
  const id = await deliver(world, '6281234567890', PMP)
  await deliver(world, '6281234567891', PMP)
  await deliver(world, '6281234567892', FREE)

  const { body } = await app.owner<MessageRow>(`/messages/${id}`)
  expect(body.data).toMatchObject({
    ...{ pricing: PMP, pricing_category: 'utility', recipient: '6281234567890' },
    recipient_user_id: 'ID.13491208655302741918',
  })
  const { event } = await receiver.event('message.delivered', id)
  expect(event.data).toMatchObject({ pricing: PMP, recipient_user_id: 'ID.13491208655302741918' })
  const csv = await app.owner('/api/messages/export.csv')
  const lines = csv.text.trim().split('\r\n')
  expect(lines[0]).toContain('pricing_category,pricing_type,pricing_model,billable,recipient_user_id')
  expect(lines.find((line) => line.startsWith(id))).toContain('utility,regular,PMP,true,ID.13491208655302741918')

  const month = await app.owner<PricingMonth>('/api/pricing')
  expect(month.body.data).toMatchObject({ billable: 2, free: 1 })
  expect(month.body.data.rows).toEqual([
    { sender_code: code, ...PMP, count: 2 },
    { sender_code: code, ...FREE, count: 1 },
  ])
  expect(month.body.data.months).toEqual([month.body.data.month])
  expect((await app.owner<PricingMonth>('/api/pricing?month=2020-01')).body.data).toMatchObject({
    rows: [],
    billable: 0,
  })
  expect((await app.owner('/api/pricing?month=2020-13')).status).toBe(400)

  expect(month.body.data.prices, 'Meta reports no money').toEqual({})
  const enter = (prices: object) => app.owner('/api/pricing', { method: 'PATCH', body: { prices } })
  expect((await enter({ utility: 356.65 })).status).toBe(200)
  await app.restart()
  expect((await app.owner<PricingMonth>('/api/pricing')).body.data.prices).toEqual({ utility: 356.65 })
  expect((await enter({ utility: -1 })).status).toBe(400)
  expect((await enter({})).status).toBe(200)
  expect((await app.owner<PricingMonth>('/api/pricing')).body.data.prices).toEqual({})
})

it('the type of the price says if a message is billed when Meta leaves billable out', async () => {
  const world = await startOfficial()
  await deliver(world, '6281234567890', { ...PMP, billable: undefined })
  await deliver(world, '6281234567891', { ...FREE, billable: undefined })
  await deliver(world, '6281234567892', { ...PMP, billable: undefined, type: 'of_another_kind' })
  const { body } = await world.app.owner<PricingMonth>('/api/pricing?month=2026-11')
  expect(body.data).toMatchObject({ billable: 1, free: 1 })
  expect(body.data.rows.map(({ billable }) => billable).toSorted()).toEqual([false, null, true])
})

it('131049 in a report that is days late does not hold back marketing', async () => {
  const { app, meta } = await startOfficial({
    prepare: ({ state }) => {
      state.templates.push(textTemplate('promo', 'id', 'Diskon!', { category: 'MARKETING' }))
    },
  })
  const promo = { template_name: 'promo' }
  const { id, messageId } = (await sendTemplate(app, promo)).body.data
  const at = Date.now() - 2 * 86_400_000
  await meta.status({ wamid: messageId, status: 'failed', at, errors: [statusError(131049, 'Healthy ecosystem', 'x')] })
  await app.reached(id, 'failed')
  expect((await sendTemplate(app, promo)).status).toBe(200)
})

it.each(['answer', 'status'])('after 131049 in the %s no marketing goes to that number for 24 hours', async (how) => {
  const clock = createTestClock()
  const { app, peer, meta } = await startOfficial({
    clock,
    prepare: ({ state }) => {
      state.templates.push(textTemplate('promo', 'id', 'Diskon!', { category: 'MARKETING' }))
    },
  })
  const promo = { template_name: 'promo' }
  if (how === 'answer') {
    peer.answerNext(metaError(131049))
    expect((await sendTemplate(app, promo)).status).toBe(422)
  } else {
    const { id, messageId } = (await sendTemplate(app, promo)).body.data
    await meta.status({ wamid: messageId, status: 'failed', errors: [statusError(131049, 'Healthy ecosystem', 'x')] })
    await app.reached(id, 'failed')
  }
  const posts = () => peer.requests.filter(({ route }) => route === 'messages').length
  const before = posts()
  await app.restart()
  const refused = await sendTemplate(app, promo)
  expect([refused.status, refused.body.error]).toMatchObject([
    422,
    { code: 'provider_rejected', hint_code: 'marketing_cap', retry_after: 24 * 3600 - 10 },
  ])
  expect(posts(), 'nothing went to Meta').toBe(before)
  expect((await sendTemplate(app)).status, 'another kind of template').toBe(200)
  expect((await sendTemplate(app, { ...promo, phone: '6281234567899' })).status, 'somebody else').toBe(200)
  clock.sleep(24 * 3_600_000)
  expect((await sendTemplate(app, promo)).status).toBe(200)
})
