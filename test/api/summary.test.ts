import { expect, test } from 'vitest'
import type { CustomerView, SummaryView } from '../../server/contract/summary.ts'
import { localMonth } from '../../server/lib/local-time.ts'
import type { NewMessage } from '../../server/store/index.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { newRow } from '../support/new-message.ts'
import { addOfficial } from '../support/official.ts'

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

test('one customer, asked for as people write the number, over both routes; what was only played does not count', async () => {
  const app = await startApp()
  const { store } = app.app
  const linked = await app.sender('linked', { country_code: '62' })
  const official = await addOfficial(app)
  const add = async (code: string, at: number, fields: Partial<NewMessage> = {}) => {
    const senderId = store.senders.byCode(code)?.id ?? 0
    const row = newRow({ id: `${code} ${at}`, senderId, createdAt: noon(at), nextAt: null, status: 'read', ...fields })
    await store.messages.accept(row, { unique: false })
  }
  await add(linked, 1)
  await add(official, 2, {
    channel: 'template',
    body: null,
    template: { name: 'invoice', language: 'id', components: [] },
  })
  await add(SANDBOX, 3)
  await add(linked, 4, { recipient: '6281234567899' })
  const of = async (phone: string) =>
    (await app.owner<CustomerView>(`/api/customers/${encodeURIComponent(phone)}`)).body.data
  expect(await of('0812-3456-7890')).toEqual({
    phone: '6281234567890',
    total: 2,
    counts: { read: 2 },
    sender_codes: expect.arrayContaining([linked, official]),
    first_at: new Date(noon(1)).toISOString(),
    last_at: new Date(noon(2)).toISOString(),
  })
  expect(await of('0811-1111-1111')).toMatchObject({ phone: '6281111111111', total: 0 })
  expect(await of('+62 811 1111 1111')).toMatchObject({ phone: '6281111111111', total: 0, last_at: null })
})

test('what was played through a sandbox that is deleted counts nowhere', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const played = await app.sender('sandbox')
  const body = { phone: '6281234567890', message: 'x', sender_code: played, delay: 60 }
  await app.owner('/send', { body })
  const { id } = (await app.owner<{ id: string }>('/send', { body: { ...body, delay: 0 } })).body.data
  await app.reached(id, 'sent', 'delivered', 'read')
  await app.owner(`/api/senders/${played}`, { method: 'DELETE' })
  const figures = () => app.app.store.figures.of([{ since: 0, until: Number.MAX_SAFE_INTEGER }])
  expect(await figures()).toEqual([])
  const month = localMonth(clock.now())
  expect((await app.owner<SummaryView>(`/api/summary?month=${month}`)).body.data.total).toBe(0)
  expect((await app.owner<CustomerView>('/api/customers/6281234567890')).body.data.total).toBe(0)
  const rows = async (part: string) => (await app.owner<unknown[]>(`/messages?sandbox=${part}`)).body.data.length
  expect([await rows('without'), await rows('only')]).toEqual([0, 2])
  await app.restart()
  expect(await figures()).toEqual([])
})
