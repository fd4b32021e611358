import { expect, test } from 'vitest'
import type { CustomerView } from '../../server/contract/customers.ts'
import type { SummaryView } from '../../server/contract/summary.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { newRow } from '../support/new-message.ts'

/** Local noon, so that the day is the same wherever this runs. */
const noon = (day: number, month = 10) => new Date(2026, month, day, 12).getTime()

test('a month in numbers: by day, sender and reason, without the sandbox and without its neighbours', async () => {
  const app = await startApp({ clock: createTestClock() })
  const { store } = app.app
  const senderId = store.senders.byCode(await app.sender('linked'))?.id ?? 0
  const sandboxId = store.senders.byCode(SANDBOX)?.id ?? 0
  const add = async (id: string, createdAt: number, of = senderId, fields = {}) =>
    store.messages.accept(newRow({ id, senderId: of, createdAt, nextAt: null, status: 'read', ...fields }), {
      unique: false,
    })
  await add('october', new Date(2026, 9, 31, 23, 59, 59).getTime())
  await add('first', new Date(2026, 10, 1).getTime())
  await add('second', noon(21))
  await add('failed', noon(21), senderId, { status: 'sending' })
  await store.messages.change({ id: 'failed' }, () => ({
    status: 'failed',
    at: noon(21),
    error: { code: 'expired', message: 'x', hint: 'y' },
  }))
  await add('play', noon(21), sandboxId)
  await add('december', new Date(2026, 11, 1).getTime())
  const code = store.senders.codeOf(senderId)
  const { body } = await app.owner<SummaryView>('/api/summary?month=2026-11')
  const { days, ...rest } = body.data
  expect(rest).toEqual({
    month: '2026-11',
    total: 3,
    counts: { read: 2, failed: 1 },
    senders: [{ sender_code: code, channel: 'standard', total: 3, counts: { read: 2, failed: 1 } }],
    reasons: [{ code: 'expired', count: 1 }],
  })
  expect(days).toHaveLength(30)
  expect(days.filter(({ total }) => total > 0)).toEqual([
    { day: '2026-11-01', total: 1, failed: 0 },
    { day: '2026-11-21', total: 2, failed: 1 },
  ])
  expect((await app.owner('/api/summary?month=2026-13')).status).toBe(400)
  expect((await app.owner('/api/summary')).status).toBe(400)
})

test('one customer, asked for as people write the number, over both routes', async () => {
  const app = await startApp()
  const sender = await app.sender('sandbox', { country_code: '62' })
  const { data } = (
    await app.owner<{ id: string }>('/send', {
      body: { sender_code: sender, phone: '081234567890', message: 'halo' },
    })
  ).body
  await app.reached(data.id, 'read')
  const template = { sender_code: SANDBOX, phone: '6281234567890', template_name: 'invoice' }
  const { data: second } = (await app.owner<{ id: string }>('/waba/send-template', { body: template })).body
  await app.reached(second.id, 'read')
  const of = async (phone: string) =>
    (await app.owner<CustomerView>(`/api/customers/${encodeURIComponent(phone)}`)).body.data
  const [first, last] = await Promise.all([app.message(data.id), app.message(second.id)])
  expect(await of('0812-3456-7890')).toEqual({
    phone: '6281234567890',
    total: 2,
    counts: { read: 2 },
    sender_codes: expect.arrayContaining([sender, SANDBOX]),
    first_at: new Date(first.createdAt).toISOString(),
    last_at: new Date(last.createdAt).toISOString(),
  })
  expect(await of('0811-1111-1111')).toMatchObject({ phone: '6281111111111', total: 0 })
  expect(await of('+62 811 1111 1111')).toMatchObject({ phone: '6281111111111', total: 0, last_at: null })
})
