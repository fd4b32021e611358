import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { databaseOf, nodesOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { textTemplate } from '../support/graph-peer/templates.ts'
import { applied, NUMBER_ID, type OfficialTest, sendTemplate, startOfficial, WABA_ID } from '../support/official.ts'

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

test('a callback that a node kept, and did not come to apply, is applied by another one', async () => {
  const first = await startOfficial({ env: { KURIR_NODE: 'a' } })
  const clock = createTestClock()
  const second = await besides(first, { clock })
  const { id, messageId } = (await sendTemplate(first.app)).body.data
  const { senderId } = await second.message(id)
  const update = {
    ...{ kind: 'status', wabaId: WABA_ID, phoneNumberId: NUMBER_ID, providerMessageId: messageId, status: 'delivered' },
    ...{ occurredAt: null, recipient: null, recipientUserId: null, callbackData: null, pricing: null, errors: [] },
  }
  // As the first node was killed after Meta got its 200.
  await first.app.app.store.inbox.add(Buffer.from('digest'), [senderId], Buffer.from(JSON.stringify([update])), 1)
  await clock.advance(5 * MINUTE)
  await second.reached(id, 'delivered')
})

test('a status that is kept at the moment in which its id becomes known is applied at once', async () => {
  const { app, peer, meta } = await startOfficial()
  const other = new pg.Client({ connectionString: await databaseOf(app.home) })
  await other.connect()
  onTestFinished(() => other.end())
  const held = peer.holdNext()
  const answer = sendTemplate(app)
  const { wamid } = await held.arrived
  // The status has looked for its message, and is not written yet.
  await other.query('BEGIN')
  await other.query('LOCK TABLE early_statuses IN SHARE MODE')
  await meta.status({ wamid, status: 'delivered' })
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await eventually(async () => (await other.query(waiting)).rowCount === 1)
  held.release()
  const { id } = (await answer).body.data
  await other.query('COMMIT')
  await app.reached(id, 'delivered')
})

test('a status that another node keeps while an earlier one is applied is not dropped with it', async () => {
  const { app, peer, meta } = await startOfficial()
  const other = new pg.Client({ connectionString: await databaseOf(app.home) })
  await other.connect()
  onTestFinished(() => other.end())
  const { inbox } = app.app.store
  const { early } = inbox
  inbox.early = async (...of) => {
    const rows = await early(...of)
    inbox.early = early
    // As written by a node that looked for the message before its id was known.
    await other.query(
      `INSERT INTO early_statuses SELECT sender_id, provider_message_id, 'delivered',
         replace(body, '"sent"', '"delivered"'), received_at FROM early_statuses`,
    )
    return rows
  }
  const held = peer.holdNext()
  const answer = sendTemplate(app)
  const { wamid } = await held.arrived
  await meta.status({ wamid, status: 'sent' })
  await applied(app)
  held.release()
  const { id } = (await answer).body.data
  await app.reached(id, 'sent')
  const { laneId } = await app.message(id)
  const kept = async () => (await early(laneId, wamid)).map(({ status }) => status)
  await eventually(async () => !(await kept()).includes('sent'))
  expect(await kept()).toEqual(['delivered'])
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
  const holds = (of: TestApp, sender: string) =>
    nodesOf(of.app.store)?.holds(of.app.store.senders.byCode(sender)?.id ?? 0)
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
