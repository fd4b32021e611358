import { createHmac } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { startWithCallbacks } from '../support/callbacks.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startReceiver } from '../support/receiver.ts'
import { CUSTOMER, SHOP, startShop } from '../support/shop.ts'

interface Value {
  messaging_product: string
  metadata: { display_phone_number: string; phone_number_id: string }
  statuses?: Record<string, unknown>[]
}

/** The content of a callback, in the frame that Meta's have. */
function contentOf({ text }: { text: string }): Value {
  const { object, entry } = JSON.parse(text) as {
    object: string
    entry: { id: string; changes: { field: string; value: Value }[] }[]
  }
  expect([object, entry.length, entry[0]?.changes.length]).toEqual(['whatsapp_business_account', 1, 1])
  expect(entry[0]?.changes[0]?.field).toBe('messages')
  return entry[0]?.changes[0]?.value as Value
}

test('statuses have the id that the call was answered with, and a signature in SHA-256', async () => {
  const { app, clock, webhook } = await startWithCallbacks()
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_cloud: true } })
  const receiver = await startReceiver()
  const { secret } = await webhook(receiver.url, { format: 'cloud_api' })
  const key = await app.key({ sender: SANDBOX })
  const sent = await app.call(key, `/compat/cloud/v26.0/${SANDBOX}/messages`, {
    ...{ messaging_product: 'whatsapp', to: '6281234560000', type: 'text', text: { body: 'Halo' } },
    biz_opaque_callback_data: 'INV-1/é',
  })
  const { messages } = JSON.parse(sent.text) as { messages: { id: string }[] }
  const [message] = await app.app.store.messages.list({ limit: 1 })
  await app.reached(message?.id ?? '', 'sent')
  await clock.advance(600)
  const calls = await receiver.calls(3)
  const each = { id: messages[0]?.id, recipient_id: '6281234560000', biz_opaque_callback_data: 'INV-1/é' }
  expect(calls.map((call) => contentOf(call).statuses)).toEqual(
    ['sent', 'delivered', 'read'].map((status) => [{ ...each, status, timestamp: expect.stringMatching(/^\d{10}$/) }]),
  )
  for (const call of calls) {
    expect(contentOf(call).metadata).toEqual({ display_phone_number: '', phone_number_id: SANDBOX })
    // As receivers check it, of the bytes (pywa) or of what PHP's json_encode makes of them again.
    const signature = `sha256=${createHmac('sha256', secret).update(call.text).digest('hex')}`
    expect(call.headers['x-hub-signature-256']).toBe(signature)
    expect(call.text).toContain('"INV-1\\/\\u00e9"')
    expect(call.text).toMatch(/^[\x20-\x7e]+$/)
  }
})

test('a group that the sender is not in is unknown, and the callback names it as a group', async () => {
  const { app, webhook } = await startWithCallbacks()
  const receiver = await startReceiver()
  await webhook(receiver.url, { format: 'cloud_api' })
  const key = await app.key({ sender: SANDBOX })
  const group = '120363040000010001@g.us'
  const { id } = (await app.call<{ id: string }>(key, '/send', { group, message: 'Rapat' })).body.data
  await app.reached(id, 'failed')
  const [call] = await receiver.calls(1)
  expect(call && contentOf(call).statuses).toMatchObject([
    { status: 'failed', recipient_id: group, recipient_type: 'group', errors: [{ code: 131041 }] },
  ])
})

test('what never leaves has failed, with a code of Meta', async () => {
  const { app, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  await webhook(receiver.url, { format: 'cloud_api' })
  await app.reached(await send('6281234560001'), 'failed')
  const [call] = await receiver.calls(1)
  expect(call && contentOf(call).statuses).toMatchObject([
    {
      status: 'failed',
      errors: [{ code: 131026, title: expect.any(String), error_data: { details: expect.any(String) } }],
    },
  ])
})

test('a linked number: what a customer writes', async () => {
  const { app, link, peer } = await startShop()
  await link()
  const receiver = await startReceiver()
  const body = { url: receiver.url, format: 'cloud_api', events: ['message.received'] }
  expect((await app.owner('/api/webhooks', { body })).status).toBe(200)
  await peer.recipient(CUSTOMER).send('Masih buka?')
  const [call] = await receiver.calls(1)
  expect(call && contentOf(call)).toEqual({
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: SHOP, phone_number_id: SHOP },
    contacts: [{ profile: { name: '' }, wa_id: CUSTOMER }],
    messages: [
      {
        from: CUSTOMER,
        id: expect.stringMatching(/^wamid\./),
        timestamp: expect.stringMatching(/^\d{10}$/),
        type: 'text',
        text: { body: 'Masih buka?' },
      },
    ],
  })
})

/** A receiver of its check by GET. */
async function startChecked(answer: (query: URLSearchParams) => [status: number, text: string]) {
  const server = await startHttpServer((req, res) => {
    const [status, text] = answer(new URL(req.url ?? '', 'http://127.0.0.1').searchParams)
    res.writeHead(status).end(text)
  })
  onTestFinished(server.close)
  return server.url
}

/** As pywa and Meta's own SDK answer it. */
const checking = (query: URLSearchParams): [number, string] =>
  query.get('hub.mode') === 'subscribe' && query.get('hub.verify_token') === 'rahasia'
    ? [200, query.get('hub.challenge') ?? '']
    : [401, '']

async function checked(app: TestApp, url: string) {
  const { id } = (await app.owner<{ id: string }>('/api/webhooks', { body: { url, format: 'cloud_api' } })).body.data
  const answer = await app.owner<{ attempt: object; delivery_id: string }>(`/api/webhooks/${id}/test`, {
    method: 'POST',
  })
  expect(answer.status, answer.text).toBe(200)
  const { attempt, delivery_id } = answer.body.data
  const shown = await app.owner<{ request: unknown }>(`/api/deliveries/${delivery_id}`)
  expect(shown.body.data.request).toMatchObject({ 'hub.mode': 'subscribe' })
  return attempt
}

test('a test asks the receiver as Meta does, by the token in its address', async () => {
  const right = await startChecked(checking)
  const other = await startChecked(() => [200, 'OK'])
  const { app } = await startWithCallbacks()
  expect(await checked(app, `${right}/waba?hub.verify_token=rahasia`)).toMatchObject({ status: 200, error: null })
  expect(await checked(app, `${right}/waba`)).toMatchObject({ status: 401 })
  const error = 'The receiver did not answer the challenge.'
  expect(await checked(app, other)).toMatchObject({ status: null, error })
})
