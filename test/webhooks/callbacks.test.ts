import { expect, test } from 'vitest'
import { SANDBOX } from '../support/app.ts'
import { librarySignature, startWithCallbacks } from '../support/callbacks.ts'
import { eventually } from '../support/eventually.ts'
import { type Received, startReceiver, verify } from '../support/receiver.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('a message is reported step by step, with exactly the members of the contract', async () => {
  const { app, clock, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { secret } = await webhook(receiver.url)
  const metadata = { branch: 4, note: 'meja 7 🙏', total: 12.5, reference_id: 'INV-1001' }
  const id = await send('6281234560000', { metadata })
  await app.reached(id, 'sent')
  await clock.advance(600)
  const calls = await receiver.calls(3)
  expect(calls.map(({ event }) => event.type)).toEqual(['message.sent', 'message.delivered', 'message.read'])
  const { providerMessageId } = await app.message(id)
  for (const call of calls) {
    expect(call.event).toEqual({
      type: call.event.type,
      timestamp: expect.stringMatching(ISO),
      data: {
        id,
        message_id: id,
        channel: 'standard',
        sender_code: SANDBOX,
        recipient: '6281234560000',
        group: null,
        receipts: null,
        recipient_user_id: null,
        status: call.event.type.slice('message.'.length),
        reference_id: 'INV-1001',
        metadata: { branch: 4, note: 'meja 7 🙏', total: 12.5 },
        provider_message_id: providerMessageId,
        occurred_at: expect.stringMatching(ISO),
        pricing: null,
        error: null,
      },
    })
    expect(call.headers['content-type']).toBe('application/json')
    expect(verify(call, secret)).toEqual(call.event)
  }
  expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  const times = calls.map(({ event }) => Date.parse(String(event.data.occurred_at)))
  expect(times[1]).toBe((times[0] ?? 0) + 300)
  expect(times[2]).toBe((times[0] ?? 0) + 600)
})

test('numbers in metadata come back digit by digit; without a reference it is null', async () => {
  const { key, app, webhook } = await startWithCallbacks()
  const receiver = await startReceiver()
  await webhook(receiver.url, { events: ['message.sent'] })
  await app.call(
    key,
    '/send',
    `{"phone":"6281234560000","message":"hi","sender_code":"${SANDBOX}","metadata":{"big":12345678901234567890,"price":1.10}}`,
  )
  const [call] = await receiver.calls(1)
  expect(call?.text).toContain('"metadata":{"big":12345678901234567890,"price":1.10}')
  expect(call?.event.data.reference_id).toBeNull()
})

test('a failure says why and what to do', async () => {
  const { webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  await webhook(receiver.url)
  const id = await send('6281234560001')
  const { event } = await receiver.event('message.failed', id)
  expect(event.data).toMatchObject({
    status: 'failed',
    provider_message_id: null,
    error: { code: 'recipient_not_on_whatsapp', message: expect.any(String), hint: expect.any(String) },
  })
  expect(receiver.received).toHaveLength(1)
})

test('a cancelled message is reported', async () => {
  const { app, key, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  await webhook(receiver.url)
  const id = await send('6281234560000', { delay: 60 })
  const answer = await app.call(key, `/messages/${id}`, undefined, { method: 'DELETE' })
  expect(answer.status).toBe(200)
  const { event } = await receiver.event('message.cancelled', id)
  expect(event.data).toMatchObject({ status: 'cancelled', error: null })
})

test('an endpoint hears only the events and senders that it asked for', async () => {
  const { app, clock, key, webhook, settled } = await startWithCallbacks()
  const other = await app.sender('sandbox')
  const [sentOnly, otherOnly, all] = [await startReceiver(), await startReceiver(), await startReceiver()]
  await webhook(sentOnly.url, { events: ['message.sent'] })
  await webhook(otherOnly.url, { sender_codes: [other] })
  const { id } = await webhook(all.url)
  for (const sender_code of [SANDBOX, other]) {
    const answer = await app.call<{ id: string }>(key, '/send', { phone: '6281234560000', message: 'x', sender_code })
    await app.reached(answer.body.data.id, 'sent')
  }
  await clock.advance(600)
  await all.calls(6)
  await settled(id)
  expect(sentOnly.received.map(({ event }) => event.type)).toEqual(['message.sent', 'message.sent'])
  expect(otherOnly.received.map(({ event }) => event.data.sender_code)).toEqual([other, other, other])
})

test('a test call goes out at once and shows what came back', async () => {
  const { app, webhook, deliveries } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id, secret } = await webhook(receiver.url, { events: ['message.read'] })
  receiver.answer({ status: 201, body: 'noted' })
  const answer = await app.owner<{ attempt: Record<string, unknown> }>(`/api/webhooks/${id}/test`, { method: 'POST' })
  expect(answer.body.data.attempt).toMatchObject({ status: 201, body: 'noted', error: null })
  const [call] = receiver.received
  expect(call?.event).toEqual({
    type: 'webhook.test',
    timestamp: expect.stringMatching(ISO),
    data: { webhook_id: id },
  })
  if (call) verify(call, secret)
  expect(await deliveries(id)).toMatchObject([{ event: 'webhook.test', state: 'delivered', tries: 1 }])
  expect(receiver.received).toHaveLength(1)
})

test('a test call to an endpoint that is switched off goes out as well', async () => {
  const { app, webhook } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { enabled: false })
  const answer = await app.owner<{ attempt: { status: number } }>(`/api/webhooks/${id}/test`, { method: 'POST' })
  expect(answer.body.data.attempt.status).toBe(200)
})

test('after a rotation both secrets sign for 24 hours, then only the new one', async () => {
  const { app, clock, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id, secret: before } = await webhook(receiver.url, { events: ['message.sent'] })
  const rotated = await app.owner<{ secret: string; previous_valid_until: string }>(
    `/api/webhooks/${id}/rotate-secret`,
    { method: 'POST' },
  )
  const { secret: after, previous_valid_until: until } = rotated.body.data
  expect(Date.parse(until) - clock.now()).toBe(24 * 3_600_000)
  await send()
  const [first] = await receiver.calls(1)
  if (first) for (const secret of [before, after]) verify(first, secret)
  await clock.advance(24 * 3_600_000)
  await send()
  const second = (await receiver.calls(2))[1]
  if (second) {
    expect(second.headers['webhook-signature']).toBe(librarySignature(second, after))
    expect(second.headers['webhook-signature']).not.toContain(librarySignature(second, before))
  }
})

test('a format with room for one signature signs with the new secret only, and the answer says so', async () => {
  const { app, webhook } = await startWithCallbacks()
  const { id } = await webhook((await startReceiver()).url, { format: 'waha' })
  const { body } = await app.owner(`/api/webhooks/${id}/rotate-secret`, { method: 'POST' })
  expect(body.data).toMatchObject({ previous_valid_until: null })
})

test('a secret replaced before a weekend still signs in the first hour after the start', async () => {
  const { app, clock, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id, secret: before } = await webhook(receiver.url, { events: ['message.sent'] })
  await app.owner(`/api/webhooks/${id}/rotate-secret`, { method: 'POST' })
  await app.restart(() => clock.sleep(40 * 3_600_000))
  await send()
  const [first] = await receiver.calls(1)
  const signedBefore = (call?: Received) => call?.headers['webhook-signature']?.includes(librarySignature(call, before))
  expect(signedBefore(first)).toBe(true)
  await clock.advance(3_600_000)
  await send()
  expect(signedBefore((await receiver.calls(2))[1])).toBe(false)
})

test('each replaced secret signs for 24 hours; a fourth rotation within a day is refused', async () => {
  const { app, clock, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id, secret: first } = await webhook(receiver.url, { events: ['message.sent'] })
  const rotate = () => app.owner<{ secret: string }>(`/api/webhooks/${id}/rotate-secret`, { method: 'POST' })
  const secrets = [first]
  for (let n = 0; n < 3; n += 1) {
    secrets.push((await rotate()).body.data.secret)
    await clock.advance(3_600_000)
  }
  const { status, headers, body } = await rotate()
  // The first of the replaced ones ends 24 hours after it was replaced, which was three hours ago.
  expect([status, body.error.retry_after, headers['retry-after']]).toEqual([409, 21 * 3600, String(21 * 3600)])
  await send()
  const [call] = await receiver.calls(1)
  const signedBy = (call: Received | undefined, all: string[]) =>
    call && all.toReversed().map((secret) => librarySignature(call, secret))
  expect(call?.headers['webhook-signature']?.split(' ')).toEqual(signedBy(call, secrets))
  await app.restart()
  await clock.advance(21 * 3_600_000)
  await send()
  const later = (await receiver.calls(2))[1]
  expect(later?.headers['webhook-signature']?.split(' ')).toEqual(signedBy(later, secrets.slice(1)))
  expect((await rotate()).status, 'the oldest has ended').toBe(200)
})

test('attempts keep time, status and the first 2 KiB of the answer', async () => {
  const { app, clock, webhook, send, deliveries, tried, retry } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url, { events: ['message.sent'] })
  receiver.answer({ status: 500, body: 'x'.repeat(5_000) })
  await send()
  await receiver.calls(1)
  const row = (await deliveries(id))[0]?.id ?? 0
  await tried(row, 1)
  const began = clock.now()
  await retry(row)
  const answer = await app.owner<{ attempts: Record<string, unknown>[]; state: string }>(`/api/deliveries/${row}`)
  expect(answer.body.data.state).toBe('delivered')
  expect(answer.body.data.attempts).toMatchObject([
    { at: new Date(began).toISOString(), status: 500, body: 'x'.repeat(2_048), error: null },
    { at: new Date(began + 5_000).toISOString(), status: 200, error: null },
  ])
})

test('a target that cannot be used is refused when it is saved', async () => {
  const { app, webhook } = await startWithCallbacks()
  const receiver = await startReceiver()
  const { id } = await webhook(receiver.url)
  const bad = [
    'http://169.254.169.254/latest',
    `${app.url}/send`,
    `http://localhost:${new URL(app.url).port}/`,
    'ftp://x',
  ]
  for (const url of bad) {
    const made = await app.owner('/api/webhooks', { body: { url } })
    const changed = await app.owner(`/api/webhooks/${id}`, { method: 'PATCH', body: { url } })
    for (const answer of [made, changed]) {
      expect(answer.status, url).toBe(400)
      expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ field: 'url' }] })
    }
  }
})

test('a name that resolves to a forbidden address at the time of the call is refused', async () => {
  let address = '127.0.0.1'
  const resolve = async () => [address]
  const { webhook, send, deliveries, attempts, tried } = await startWithCallbacks({ overrides: { resolve } })
  const receiver = await startReceiver()
  const { id } = await webhook(`http://till.example:${receiver.port}/hook`, { events: ['message.sent'] })
  address = '169.254.169.254'
  await send()
  await eventually(async () => (await deliveries(id)).length === 1)
  const row = (await deliveries(id))[0]?.id ?? 0
  await tried(row, 1)
  expect(await attempts(row)).toMatchObject([{ status: null, error: expect.stringContaining('metadata') }])
  expect(receiver.received).toEqual([])
})
