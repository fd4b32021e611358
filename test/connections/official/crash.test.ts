import { expect, it } from 'vitest'
import { readCallback } from '../../../server/connections/official/inbox/callback.ts'
import { startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { callbacks, envelope, metaJson, statusesValue } from '../../support/graph-peer/callbacks.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import type { GraphPeer } from '../../support/graph-peer/graph-peer.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import {
  APP_SECRET,
  NUMBER_ID,
  SENDER,
  sendTemplate,
  startOfficial,
  startShopPeer,
  WABA_ID,
} from '../../support/official.ts'
import { type Program, startProgram } from '../../support/program.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Sent {
  data: { id: string; messageId: string }
  error: { code: string; message_id: string }
}

const send = (program: Program, body: object = {}, headers: Record<string, string> = {}) =>
  program.owner<Sent>('/waba/send-template', { phone: '6281234567890', template_name: 'invoice', ...body }, headers)

const statusOf = async (program: Program, id: string) =>
  (await program.owner<{ data: { status: string } }>(`/messages/${id}`)).body.data.status

async function startWithSender() {
  const peer = await startShopPeer()
  const program = await startProgram({ KURIR_GRAPH_URL: peer.url })
  expect((await program.owner('/api/senders', SENDER)).status).toBe(200)
  return { peer, program }
}

it('applies every status at the next start if killed right after the answer 200 to Meta', async () => {
  const { peer, program } = await startWithSender()
  const messages = await Promise.all(Array.from({ length: 60 }, async () => (await send(program)).body.data))
  const { data } = (await program.owner<{ data: { webhook_url: string } }>('/api/settings')).body
  const meta = callbacks({ to: data.webhook_url, appSecret: APP_SECRET })
  const noise = Array.from({ length: 900 }, (_, n) => ({ wamid: `wamid.unknown.${n}`, status: 'read' }))
  const statuses = messages.map(({ messageId }) => ({ wamid: messageId, status: 'delivered' }))
  expect((await meta.statuses([...noise, ...statuses])).status).toBe(200)
  await program.kill()
  await program.start()
  const settled = async () => {
    const ends = await Promise.all(messages.map(({ id }) => statusOf(program, id)))
    return ends.every((status) => status === 'delivered')
  }
  await eventually(settled)
  await peer.close()
})

it('if killed before Meta’s answer, answers the same key with 504 and sends nothing again', async () => {
  const { peer, program } = await startWithSender()
  const key = { 'idempotency-key': 'till-1' }
  const held = peer.holdNext()
  const lost = send(program, {}, key).catch(() => 'no answer')
  const { body } = await held.arrived
  await program.kill()
  expect(await lost).toBe('no answer')
  held.release()
  await program.start()
  const again = await send(program, {}, key)
  expect(again.status).toBe(504)
  expect(again.body.error).toEqual({
    code: 'provider_timeout',
    message_id: (body as { biz_opaque_callback_data: string }).biz_opaque_callback_data,
  })
  const detail = await program.owner<{ data: object }>(`/messages/${again.body.error.message_id}`)
  expect(detail.body.data).toMatchObject({ status: 'sending', attempt_log: [{ outcome: 'unknown' }] })
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(1)
  await peer.close()
})

it('a text on its second road is not sent again after a kill before Meta’s answer, and a status settles it', async () => {
  const home = temporaryFolder()
  const clock = createTestClock(Date.now() - 2 * HOUR)
  const prepare = ({ state }: GraphPeer) => void state.templates.push(textTemplate('tagihan', 'id', 'Tagihan {{1}}.'))
  const { app, code, peer } = await startOfficial({ home, clock, prepare })
  const rules = [{ pattern: 'Tagihan {{nomor}}', template_name: 'tagihan' }]
  const second_road = { sender_code: code, after_minutes: 30, monthly_cap: 10, rules }
  const shop = await app.sender('linked', { second_road })
  const body = { phone: '6281234567890', message: 'Tagihan INV-1', sender_code: shop }
  const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
  // Meta is busy, so that the message waits in the lane of the official sender.
  peer.answerAlways(metaError(80008))
  await clock.advance(31 * MINUTE)
  await eventually(async () => (await app.message(id)).attempts > 0)
  await eventually(async () => (await app.message(id)).status === 'queued')
  await app.close()
  peer.answerAlways(null)
  const before = peer.requests.filter(({ route }) => route === 'messages').length

  const held = peer.holdNext()
  const program = await startProgram({ KURIR_GRAPH_URL: peer.url, KURIR_HOME: home })
  expect((await held.arrived).body).toMatchObject({ biz_opaque_callback_data: id, template: { name: 'tagihan' } })
  await program.kill()
  held.release()
  await program.start()
  const detail = await program.owner<{ data: object }>(`/messages/${id}`)
  expect(detail.body.data).toMatchObject({ status: 'sending', channel: 'template', sender_code: shop, via: code })
  const { data } = (await program.owner<{ data: { webhook_url: string } }>('/api/settings')).body
  const meta = callbacks({ to: data.webhook_url, appSecret: APP_SECRET })
  await meta.status({ wamid: 'wamid.of-the-kill', status: 'delivered', callbackData: id })
  await eventually(async () => (await statusOf(program, id)) === 'delivered')
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(before + 1)
})

it('applies stored callbacks at the start, and early statuses whose message is known', async () => {
  const { app, code, peer } = await startOfficial()
  const [first, second] = [(await sendTemplate(app)).body.data, (await sendTemplate(app)).body.data]
  const home = app.home
  const { store } = app.app
  const senderId = store.senders.byCode(code)?.id ?? 0
  const status = { wamid: first.messageId, status: 'read' }
  const body = Buffer.from(
    metaJson(envelope(WABA_ID, [{ field: 'messages', value: statusesValue(NUMBER_ID, [status]) }])),
  )
  // Bypass the listener, to imitate an end of the program between the two steps.
  const updates = Buffer.from(JSON.stringify(readCallback(body)?.updates))
  await store.inbox.add(Buffer.alloc(32), [senderId], updates, Date.now())
  const early = { providerMessageId: 'wamid.early', status: 'delivered' }
  await store.inbox.keepEarly({
    ...early,
    senderId,
    receivedAt: Date.now(),
    update: { ...early, occurredAt: null, pricing: null, errors: [] },
  })
  await store.messages.change({ id: second.id }, () => ({ at: 1, providerMessageId: 'wamid.early' }))
  await app.restart()
  await app.reached(first.id, 'read')
  await app.reached(second.id, 'delivered')
  expect(home).toBe(app.home)
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(2)
})

it('does not start if the webhook port is taken, and says how to choose another', async () => {
  const { app } = await startOfficial()
  const port = new URL(app.app.webhookUrl()).port
  await expect(startApp({ env: { KURIR_WEBHOOK_PORT: port } })).rejects.toThrow(
    new RegExp(`${port} is taken.*KURIR_WEBHOOK_PORT`),
  )
})
