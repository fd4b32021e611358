import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { sendBytes } from '../support/http-bytes.ts'
import { NUMBER_ID, startOfficial } from '../support/official.ts'
import { CUSTOMER, SHOP, startShop } from '../support/shop.ts'

interface Said {
  messages?: { id: string; message_status?: string }[]
  error?: { code: number; error_data: { details: string } }
}

const BASE = '/compat/cloud/v26.0'

async function ask(app: TestApp, key: string, id: string, body: object, ...headers: string[]) {
  const head = [
    ...[`POST ${BASE}/${id}/messages HTTP/1.1`, `Authorization: Bearer ${key}`, 'Content-Type: application/json'],
    ...headers,
  ]
  const answer = await sendBytes(app, head, JSON.stringify(body))
  return { status: answer.status, said: JSON.parse(answer.body) as Said }
}

/** The message that an answer names. */
async function messageOf(app: TestApp, { messages }: Said) {
  const hex = Buffer.from(messages?.[0]?.id.replace('wamid.', '') ?? '', 'base64').toString('hex')
  return app.message(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

const TEXT = { messaging_product: 'whatsapp', to: '6281234567890', type: 'text', text: { body: 'Halo' } }
const template = { name: 'invoice', language: { code: 'id' } }
const TEMPLATE = { messaging_product: 'whatsapp', to: '6281234567890', type: 'template', template }

// It speaks https to port 443 alone, so that it cannot be pointed here by itself.
test('Meta’s SDK for Node: in chunks, from a number in digits (WhatsApp-Nodejs-SDK 0.0.5, messages.text)', async () => {
  const { app, key, link } = await startShop()
  await link()
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_cloud: true } })
  const body = `{"messaging_product":"whatsapp","recipient_type":"individual","to":"${CUSTOMER}","type":"text","text":{"body":"Halo"}}`
  const chunks = [body.slice(0, 40), body.slice(40)].map((each) => `${each.length.toString(16)}\r\n${each}\r\n`)
  const { host, port } = new URL(app.url)
  const socket = connect(Number(port), '127.0.0.1')
  const head = [
    `POST /compat/cloud/v16.0/${SHOP}/messages HTTP/1.1`,
    'Content-Type: application/json',
    `Authorization: Bearer ${key}`,
    'User-Agent: WA_SDK/0.0.5 (Node.js v22.17.0)',
    `Host: ${host}`,
    'Connection: close',
    'Transfer-Encoding: chunked',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${chunks.join('')}0\r\n\r\n`)
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  const said = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as Said
  const { id, body: sent } = await messageOf(app, said)
  expect(sent).toBe('Halo')
  await app.reached(id, 'delivered', 'read')
})

async function shop() {
  const { app, code, peer } = await startOfficial()
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_cloud: true } })
  const linked = await app.sender('linked')
  const sender = (code: string) => app.app.store.senders.byCode(code)?.id
  return { app, code, linked, peer, sender, key: await app.key() }
}

test('by one id a text leaves by the linked number and a template by the official one', async () => {
  const { app, code, linked, peer, sender, key } = await shop()
  for (const id of [NUMBER_ID, code, linked]) {
    const text = await ask(app, key, id, TEXT)
    expect((await messageOf(app, text.said)).senderId).toBe(sender(linked))
    const sent = await ask(app, key, id, TEMPLATE)
    expect(sent.said.messages).toEqual([{ id: expect.stringMatching(/^wamid\./), message_status: 'accepted' }])
    const { id: ours, senderId } = await messageOf(app, sent.said)
    expect(senderId).toBe(sender(code))
    await app.reached(ours, 'accepted')
  }
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(3)
})

test('a template that Meta does not have is 132001, and the same Idempotency-Key the same message', async () => {
  const { app, code, key } = await shop()
  const unknown = await ask(app, key, code, { ...TEMPLATE, template: { ...template, language: { code: 'fr' } } })
  expect(unknown).toMatchObject({ status: 404, said: { error: { code: 132001 } } })
  const send = () => ask(app, key, code, TEMPLATE, 'Idempotency-Key: INV-1')
  const [first, again] = [await send(), await send()]
  expect(again).toEqual(first)
  expect(first.status).toBe(200)
})

test('a device key sends what its own number can, that of the sandbox rehearses for all', async () => {
  const { app, code, linked, sender } = await shop()
  const device = await app.key({ sender: linked })
  expect((await ask(app, device, NUMBER_ID, TEXT)).status).toBe(200)
  const refused = { error: { code: 10, error_data: { details: expect.stringContaining(linked) } } }
  expect(await ask(app, device, NUMBER_ID, TEMPLATE)).toMatchObject({ status: 403, said: refused })
  const rehearsal = await app.key({ sender: SANDBOX })
  for (const body of [TEXT, TEMPLATE]) {
    const { said } = await ask(app, rehearsal, code, body)
    expect((await messageOf(app, said)).senderId).toBe(sender(SANDBOX))
  }
})

const GROUP = '120363404694233820@g.us'
const TO_GROUP = { ...TEXT, recipient_type: 'group', to: GROUP }

test('a message to a group leaves by the linked number alone; others are Meta’s error 131041', async () => {
  const { app, code, linked, sender, key } = await shop()
  const sent = await ask(app, key, NUMBER_ID, TO_GROUP)
  expect(await messageOf(app, sent.said)).toMatchObject({ senderId: sender(linked), recipient: GROUP })
  const device = await app.key({ sender: code })
  const unknown = [
    await ask(app, device, code, TO_GROUP),
    await ask(app, key, code, { ...TEMPLATE, recipient_type: 'group', to: GROUP }),
    // Its own ids, of groups that the official number made, name none of the linked one.
    await ask(app, key, NUMBER_ID, { ...TO_GROUP, to: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD' }),
  ]
  for (const { status, said } of unknown) expect([status, said.error?.code]).toEqual([400, 131041])
  expect(unknown[0]?.said.error?.error_data.details).toContain('official sender')
  expect((await app.owner<unknown[]>('/api/messages')).body.data).toHaveLength(1)
})
