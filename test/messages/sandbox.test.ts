import { expect, test } from 'vitest'
import { SANDBOX } from '../support/app.ts'
import { startWithCallbacks } from '../support/callbacks.ts'
import { eventually } from '../support/eventually.ts'
import { sendTemplate } from '../support/official.ts'

interface Detail {
  status: string
  attempts: number
  error: { code: string; provider_code?: string } | null
  timeline: { type: string; at: string }[]
  attempt_log: { outcome: string; reason: string }[]
}

async function start() {
  const box = await startWithCallbacks()
  const { app, clock, key } = box
  return {
    ...box,
    detail: async (id: string): Promise<Detail> => (await app.call<Detail>(key, `/messages/${id}`)).body.data,
    state: async (): Promise<string> => (await app.owner<{ state: string }>(`/api/senders/${SANDBOX}`)).body.data.state,
    /** Moves time on second by second, letting the lane work in between. */
    async pass(seconds: number): Promise<void> {
      for (let n = 0; n < seconds; n += 1) await clock.advance(1_000)
    },
  }
}

const steps = ({ timeline }: Detail) => timeline.map(({ type }) => type)

test.each(['6281234560000', '6281234567890', '6281234560099'])('%s is sent, delivered and read', async (phone) => {
  const { app, clock, send, detail } = await start()
  const id = await send(phone)
  const { occurredAt } = await app.reached(id, 'sent')
  await clock.advance(600)
  const read = await app.reached(id, 'read')
  expect(read.occurredAt - occurredAt).toBeLessThanOrEqual(1_000)
  expect(steps(await detail(id))).toEqual(['queued', 'attempt', 'sent', 'delivered', 'read'])
})

test('…0001 is not on WhatsApp', async () => {
  const { app, send, detail } = await start()
  const id = await send('6281234560001')
  await app.reached(id, 'failed')
  expect(await detail(id)).toMatchObject({ attempts: 0, error: { code: 'recipient_not_on_whatsapp' } })
})

test('…0002 is sent and never delivered, …0003 is delivered and never read', async () => {
  const { app, send, pass } = await start()
  const [sent, delivered] = [await send('6281234560002'), await send('6281234560003')]
  await app.reached(sent, 'sent')
  await app.reached(delivered, 'sent')
  await pass(1)
  await app.reached(delivered, 'delivered')
  await pass(120)
  expect((await app.message(sent)).status).toBe('sent')
  expect((await app.message(delivered)).status).toBe('delivered')
})

test('…0004 is never acknowledged: tried five times, never sent', async () => {
  const { app, clock, send, detail } = await start()
  const id = await send('6281234560004')
  await app.reached(id, 'sending')
  for (let n = 0; n < 700 && (await app.message(id)).status === 'sending'; n += 1) await clock.advance(1_000)
  const { error, attempts, attempt_log, timeline } = await detail(id)
  expect({ attempts, code: error?.code }).toEqual({ attempts: 5, code: 'not_acknowledged' })
  expect(attempt_log).toHaveLength(5)
  expect(attempt_log.every(({ outcome }) => outcome === 'unknown')).toBe(true)
  expect(timeline.map(({ type }) => type)).not.toContain('sent')
})

test('…0005 is restricted by WhatsApp', async () => {
  const { app, send, detail } = await start()
  const id = await send('6281234560005')
  await app.reached(id, 'failed')
  expect((await detail(id)).error).toMatchObject({ code: 'account_restricted', provider_code: '463' })
  const next = await send()
  await app.reached(next, 'sent')
})

test('…0006 takes the sender offline for 30 s; it uses up no attempt and holds the others', async () => {
  const { app, clock, send, state } = await start()
  const id = await send('6281234560006')
  for (; (await state()) !== 'offline'; ) await clock.advance(0)
  const behind = await send()
  await clock.advance(29_000)
  expect(await app.message(id)).toMatchObject({ status: 'queued', attempts: 0 })
  expect((await app.message(behind)).status).toBe('queued')
  await clock.advance(1_000)
  expect(await app.reached(id, 'sent')).toMatchObject({ attempts: 1 })
  await app.reached(behind, 'sent')
  await eventually(() => app.app.store.senders.byCode(SANDBOX)?.state === 'connected')
})

test('receipts that were still to come come after a restart', async () => {
  const { app, clock, send } = await start()
  const [read, silent] = [await send(), await send('6281234560002')]
  await app.reached(read, 'sent')
  await app.reached(silent, 'sent')
  await app.restart()
  await clock.advance(600)
  await app.reached(read, 'read')
  expect((await app.message(silent)).status).toBe('sent')
})

test('so do the statuses of templates', async () => {
  const { app, clock } = await start()
  const template = async (phone: string) => (await sendTemplate(app, { phone, sender_code: SANDBOX })).body.data.id
  const [read, failed, person] = [
    await template('6281234567890'),
    await template('6281234560001'),
    await template('US.13491208655300001'),
  ]
  for (const id of [read, failed, person]) expect((await app.message(id)).status).toBe('accepted')
  await app.restart()
  await clock.advance(900)
  await app.reached(read, 'read')
  expect((await app.message(failed)).error?.code).toBe('delivery_failed')
  await app.reached(person, 'read')
})
