import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { textTemplate } from '../support/graph-peer/templates.ts'
import { type OfficialTest, sendTemplate, startOfficial } from '../support/official.ts'

const MINUTE = 60_000

/** A second node beside the one that was started with an official sender. */
async function besides({ app, peer }: OfficialTest, more: Parameters<typeof startApp>[0] = {}): Promise<TestApp> {
  const env = {
    ...{ KURIR_NODE: 'b', KURIR_GRAPH_URL: peer.url, KURIR_DATABASE_URL: await databaseOf(app.home) },
    KURIR_VAULT_KEY_FILE: join(app.home, 'shared.key'),
  }
  return startApp({ ...more, env })
}

test('what Meta calls back about a template at one node counts on the others', async () => {
  const first = await startOfficial({ env: { KURIR_NODE: 'a' } })
  const second = await besides(first)
  const send = async () => (await sendTemplate(second, { sender_code: first.code })).status
  expect(await send()).toBe(200)
  const about = { message_template_id: 1, message_template_name: 'invoice', message_template_language: 'id' }
  await first.meta.change('message_template_status_update', { ...about, event: 'PAUSED', reason: 'NONE' })
  await eventually(async () => (await send()) === 422)
  await first.meta.change('message_template_status_update', { ...about, event: 'APPROVED', reason: 'NONE' })
  await eventually(async () => (await send()) === 200)
})

test('texts take the second road on the node that holds their sender alone: each would keep the cap by itself', async () => {
  const clocks = { a: createTestClock(), b: createTestClock() }
  const first = await startOfficial({
    clock: clocks.a,
    env: { KURIR_NODE: 'a' },
    prepare: ({ state }) => void state.templates.push(textTemplate('tagihan', 'id', 'Halo {{1}}, tagihan {{2}}.')),
  })
  const { app, code, peer } = first
  const shop = await app.sender('linked', { pacing: { min_seconds: 0, max_seconds: 0 } })
  const rules = [{ pattern: 'Halo {{nama}}, tagihan {{nomor}} jatuh tempo', template_name: 'tagihan' }]
  const second_road = { sender_code: code, after_minutes: 30, monthly_cap: 2, rules }
  const saved = await app.owner(`/api/senders/${shop}`, { method: 'PATCH', body: { second_road } })
  expect(saved.status, saved.text).toBe(200)
  const second = await besides(first, { clock: clocks.b })
  const holds = (of: TestApp, sender: string) => of.app.store.nodes?.holds(of.app.store.senders.byCode(sender)?.id ?? 0)
  // Until the second node has taken its share nothing is where it stays.
  await eventually(() => [SANDBOX, code, shop].some((sender) => holds(second, sender)))
  const [holder, other] = holds(app, shop) ? [clocks.a, clocks.b] : [clocks.b, clocks.a]
  for (let n = 0; n < 3; n += 1) {
    const body = { phone: `628123456789${n}`, message: `Halo Sari, tagihan INV-${n} jatuh tempo`, sender_code: shop }
    expect((await app.owner('/send', { body })).status).toBe(200)
  }
  const taken = async () => (await app.app.store.messages.list({ channel: 'template', limit: 10 })).length
  await other.advance(33 * MINUTE)
  expect(await taken()).toBe(0)
  await holder.advance(33 * MINUTE)
  await eventually(async () => (await taken()) === 2)
  expect(peer.requests.filter(({ route }) => route === 'messages').length).toBeLessThanOrEqual(2)
})
