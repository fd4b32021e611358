import { expect, test } from 'vitest'
import { SANDBOX } from '../support/app.ts'
import { startWithCallbacks } from '../support/callbacks.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver, verify } from '../support/receiver.ts'

/** A receiver of calls in another form than Kurir's own. */
async function start(fields: Record<string, unknown> = {}) {
  const till = await startWithCallbacks()
  const receiver = await startReceiver()
  const hook = await till.webhook(receiver.url, fields)
  const bodies = async (count: number): Promise<unknown[]> =>
    (await receiver.calls(count)).map(({ text }) => JSON.parse(text))
  return { ...till, receiver, hook, bodies }
}

const change = (app: Awaited<ReturnType<typeof start>>['app'], id: string, body: Record<string, unknown>) =>
  app.owner<{ format: string; events: string[]; last_error: string | null }>(`/api/webhooks/${id}`, {
    method: 'PATCH',
    body,
  })

test('a message is reported in the format of its endpoint, in order and signed', async () => {
  const { app, clock, send, receiver, hook, bodies } = await start({ format: 'fonnte' })
  const id = await send()
  await app.reached(id, 'sent')
  await clock.advance(600)
  const { seq, providerMessageId } = await app.message(id)
  const told = { device: SANDBOX, id: String(seq), stateid: providerMessageId, status: 'sent' }
  expect(await bodies(3)).toEqual(['sent', 'delivered', 'read'].map((state) => ({ ...told, state })))
  for (const call of receiver.received) verify(call, hook.secret)
})

test('by default an endpoint gets the events that its format supports; others are refused', async () => {
  const { app } = await start()
  const formats = await app.owner<{ name: string; events: string[]; offered: boolean }[]>('/api/webhooks/formats')
  const fonnte = formats.body.data.find(({ name }) => name === 'fonnte')
  expect(formats.body.data[0]).toMatchObject({ name: 'kurir', offered: true })
  expect(fonnte?.offered).toBe(false)
  const created = await app.owner<{ id: string; format: string; events: string[] }>('/api/webhooks', {
    body: { url: 'http://127.0.0.1:9/', format: 'fonnte' },
  })
  const { id, ...view } = created.body.data
  expect(view.format).toBe('fonnte')
  expect(view.events.toSorted()).toEqual(fonnte?.events.filter((name) => name !== 'message.received').toSorted())
  const refused = await change(app, id, { events: ['contact.opted_out'] })
  expect(refused.body.error.details).toMatchObject([{ field: 'events', code: 'not_one_of' }])
  const unknown = await change(app, id, { format: 'carrier-pigeon' })
  expect(unknown.body.error.details).toMatchObject([
    { field: 'format', code: 'not_one_of', values: { allowed: formats.body.data.map(({ name }) => name) } },
  ])
})

test('a new format keeps the events that it supports, or gets the default events if it supports none', async () => {
  const { app, hook } = await start({ events: ['message.sent', 'contact.opted_out'] })
  expect((await change(app, hook.id, { format: 'fonnte' })).body.data.events).toEqual(['message.sent'])
  const { id } = (
    await app.owner<{ id: string }>('/api/webhooks', {
      body: { url: 'http://127.0.0.1:9/', events: ['contact.opted_out'] },
    })
  ).body.data
  const { events } = (await change(app, id, { format: 'fonnte' })).body.data
  expect(events).toContain('message.sent')
  expect(events).not.toContain('message.received')
})

test('a change of the address during a change of the format does not restore the old format', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string[]>()
  const resolve = (): Promise<string[]> => {
    asked.resolve()
    return answer.promise
  }
  const { app, webhook } = await startWithCallbacks({ overrides: { resolve } })
  const { id } = await webhook('http://127.0.0.1:9/')
  const moved = change(app, id, { url: 'http://till.test:9/' })
  await asked.promise
  await change(app, id, { format: 'fonnte' })
  answer.resolve(['127.0.0.1'])
  expect((await moved).body.data).toMatchObject({ url: 'http://till.test:9/', format: 'fonnte' })
})

test('a test call has the format of its endpoint', async () => {
  const { app, hook, bodies } = await start({ format: 'fonnte' })
  const answer = await app.owner<{ attempt: { status: number } }>(`/api/webhooks/${hook.id}/test`, { method: 'POST' })
  expect(answer.body.data.attempt.status).toBe(200)
  expect(await bodies(1)).toEqual([{ device: '', id: '0', stateid: null, status: 'sent', state: null }])
})

test('an endpoint shows a format that this version does not know, and its callbacks wait', async () => {
  const { app, send, hook, receiver, deliveries } = await start({ events: ['message.sent'] })
  await app.app.store.endpoints.change(Number(hook.id), () => ({ format: 'carrier-pigeon' }))
  const id = await send()
  await app.reached(id, 'sent')
  await eventually(async () => (await deliveries(hook.id))[0]?.tries === 1)
  const [delivery] = await deliveries(hook.id)
  expect(delivery).toMatchObject({ state: 'pending' })
  const told = async () => (await app.owner(`/api/webhooks/${hook.id}`)).body.data
  await expect.poll(told).toMatchObject({
    format: 'carrier-pigeon',
    last_error_code: 'format_unknown',
    last_error: expect.stringContaining('carrier-pigeon'),
  })
  expect((await app.owner(`/api/deliveries/${delivery?.id}`)).body.data).toMatchObject({ request: null })
  expect(receiver.received).toEqual([])
  // Something else of it can be changed all the same.
  expect((await change(app, hook.id, { events: ['message.sent', 'message.read'] })).status).toBe(200)
  const mended = await change(app, hook.id, { format: 'kurir' })
  expect(mended.body.data).toMatchObject({ format: 'kurir', last_error: null })
  expect((await receiver.calls(1))[0]?.event.type).toBe('message.sent')
})

test('waiting deliveries that the new format does not support are dead with a reason', async () => {
  const { app, hook, key, receiver, deliveries } = await start({ events: ['contact.opted_out', 'message.sent'] })
  receiver.always({ status: 503 })
  await app.call(key, '/suppressions', { phone: '6281234560000', scope: 'all' })
  await receiver.calls(1)
  receiver.always({ status: 200 })
  await change(app, hook.id, { format: 'fonnte' })
  await eventually(async () => (await deliveries(hook.id))[0]?.state === 'dead')
  const [delivery] = await deliveries(hook.id)
  const attempts = await app.app.store.deliveries.attempts(delivery?.id ?? 0)
  expect(attempts.at(-1)).toMatchObject({ errorCode: 'not_in_format', error: expect.stringContaining('Fonnte') })
  expect(receiver.received).toHaveLength(1)
})
