import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { wahaFormat } from '../../server/slices/compat/waha/callbacks.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { startWithCallbacks } from '../support/callbacks.ts'
import { startReceiver } from '../support/receiver.ts'
import { CUSTOMER, SHOP, startShop } from '../support/shop.ts'

const said = ({ text }: { text: string }) => JSON.parse(text) as Record<string, unknown> & { payload: object }

test('acknowledgements have the id that the call was answered with, and a key in SHA-512', async () => {
  const { app, clock, webhook } = await startWithCallbacks()
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_waha: true } })
  const receiver = await startReceiver()
  const { secret } = await webhook(receiver.url, { format: 'waha' })
  const key = await app.key({ sender: SANDBOX })
  const sent = await app.fetch('/compat/waha/api/sendText', {
    headers: { 'x-api-key': key },
    body: { chatId: '6281234560000@c.us', text: 'Halo' },
  })
  const { id } = JSON.parse(sent.text) as { id: string }
  const [message] = await app.app.store.messages.list({ limit: 1 })
  await app.reached(message?.id ?? '', 'sent')
  await clock.advance(600)
  const calls = await receiver.calls(3)
  expect(calls.map((call) => said(call).payload)).toMatchObject([
    { id, from: '6281234560000@c.us', fromMe: true, ack: 1, ackName: 'SERVER' },
    { id, ack: 2, ackName: 'DEVICE' },
    { id, ack: 3, ackName: 'READ' },
  ])
  for (const call of calls) {
    expect(said(call)).toMatchObject({
      id: expect.stringMatching(/^evt_01[0-9a-f]{24}$/),
      timestamp: expect.any(Number),
      event: 'message.ack',
      session: SANDBOX,
      engine: 'NOWEB',
    })
    // As its receivers check it (waha.devlike.pro, "HMAC authentication").
    expect(call.headers['x-webhook-hmac']).toBe(createHmac('sha512', secret).update(call.text).digest('hex'))
    expect(call.headers['x-webhook-hmac-algorithm']).toBe('sha512')
    expect(Number(call.headers['x-webhook-timestamp'])).toBeGreaterThan(1e12)
  }
  expect(new Set(calls.map((call) => call.headers['x-webhook-request-id'])).size).toBe(3)
})

test('what never leaves is an error', async () => {
  const { app, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  await webhook(receiver.url, { format: 'waha' })
  await app.reached(await send('6281234560001'), 'failed')
  const [call] = await receiver.calls(1)
  expect(call && said(call).payload).toMatchObject({ ack: -1, ackName: 'ERROR', _data: { status: 'failed' } })
})

test('a linked number: what a customer writes, and how the session is', async () => {
  const { app, link, peer, sender } = await startShop()
  const [replies, states] = [await startReceiver(), await startReceiver()]
  for (const [receiver, event] of [
    [replies, 'message.received'],
    [states, 'sender.linked'],
  ] as const) {
    const body = { url: receiver.url, format: 'waha', events: [event] }
    expect((await app.owner('/api/webhooks', { body })).status).toBe(200)
  }
  await link()
  const [state] = await states.calls(1)
  expect(state && said(state)).toMatchObject({
    event: 'session.status',
    session: 'default',
    payload: { name: 'default', status: 'WORKING', statuses: [{ status: 'WORKING', timestamp: expect.any(Number) }] },
  })
  await peer.recipient(CUSTOMER).send('Masih buka?')
  const [reply] = await replies.calls(1)
  expect(reply && said(reply)).toMatchObject({
    event: 'message',
    session: 'default',
    me: { id: `${SHOP}@c.us`, pushName: 'Toko Melati' },
    payload: {
      id: expect.stringMatching(`^false_${CUSTOMER}@c\\.us_[0-9A-F]{32}$`),
      from: `${CUSTOMER}@c.us`,
      fromMe: false,
      to: `${SHOP}@c.us`,
      body: 'Masih buka?',
      hasMedia: false,
      timestamp: expect.any(Number),
    },
  })
  expect(app.app.store.senders.byCode(sender)?.phone).toBe(SHOP)
})

test('the signature is that of the documentation’s example', async () => {
  const { app } = await startApp()
  const body = '{"event":"message","session":"default","engine":"WEBJS"}'
  const headers = wahaFormat(app.store.senders).sign?.('id', 1, body, ['my-secret-key'])
  expect(headers?.['x-webhook-hmac']).toMatch(/^208f8a55[0-9a-f]{114}53fa89$/)
})
