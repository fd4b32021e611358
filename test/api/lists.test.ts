import { beforeAll, expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 21, 8)
const at = (hours: number) => new Date(START + hours * HOUR).toISOString()

const clock = createTestClock(START)
let app: TestApp
let key: string
let second: string
/** Ids by name, in the order of arrival; an hour lies between two. */
const ids = new Map<string, string>()

beforeAll(async () => {
  app = await startApp({ clock, lives: 'file' })
  key = await app.key()
  second = await app.sender('sandbox')
  const send = async (name: string, more: object) => {
    const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, delay: 86_400, ...more }
    ids.set(name, (await app.call<{ id: string }>(key, '/send', body)).body.data.id)
    await clock.advance(HOUR)
  }
  await send('invoice', { reference_id: 'INV-1001', message: 'Terima kasih, pesanan Anda siap 🙏' })
  await send('arabic', { message: 'شكرا جزيلا', phone: '966501234567' })
  await send('second', { sender_code: second, message: '100% off_today' })
  await send('cancelled', { reference_id: 'INV-1002', message: 'Café crème' })
  await send('last', { phone: '5511987654321', message: 'Obrigado' })
  await app.call(key, `/messages/${ids.get('cancelled')}`, undefined, { method: 'DELETE' })
})

const list = (query: string) => app.call<MessageRow[]>(key, `/messages${query}`)
const named = (rows: MessageRow[]) => rows.map(({ id }) => [...ids].find(([, each]) => each === id)?.[0])
const found = async (query: string) => {
  const answer = await list(query)
  expect(answer.status, answer.text).toBe(200)
  return named(answer.body.data)
}

test('a list is newest first, in the frame of all lists', async () => {
  const { body } = await list('')
  expect(body).toMatchObject({ success: true, message: '5 rows', next_cursor: null })
  expect(named(body.data)).toEqual(['last', 'cancelled', 'second', 'arabic', 'invoice'])
})

test('a row has the members of a callback and those of the list', async () => {
  const { body } = await list('?reference_id=INV-1001')
  expect(body.data).toEqual([
    {
      id: ids.get('invoice'),
      message_id: ids.get('invoice'),
      channel: 'standard',
      sender_code: SANDBOX,
      recipient: '6281234567890',
      group: null,
      receipts: null,
      status: 'queued',
      reference_id: 'INV-1001',
      metadata: {},
      metadata_omitted: false,
      provider_message_id: null,
      occurred_at: at(0),
      error: null,
      created_at: at(0),
      due_at: at(24),
      attempts: 0,
      message: 'Terima kasih, pesanan Anda siap 🙏',
      file: null,
      filename: null,
      file_sha256: null,
      expires_at: at(8 * 24),
      priority: 'normal',
      purpose: 'transactional',
      template: null,
      pricing_category: null,
      pricing: null,
      recipient_user_id: null,
      via: null,
      held_by: 'delay',
      until: at(24),
    },
  ])
})

test.each([
  ['?reference_id=INV-1002', ['cancelled']],
  ['?reference_id=INV-9', []],
  ['?status=queued', ['last', 'second', 'arabic', 'invoice']],
  ['?status=cancelled,failed', ['cancelled']],
  ['?status=read', []],
  ['?sender_code=SND-NOBODY', []],
  ['?channel=standard&status=cancelled', ['cancelled']],
  ['?channel=template', []],
  ['?recipient=966501234567', ['arabic']],
  [`?from=${at(3)}`, ['last', 'cancelled']],
  [`?to=${at(2)}`, ['arabic', 'invoice']],
  [`?from=${at(1)}&to=${at(3)}`, ['second', 'arabic']],
  ['?from=2026-11-21T10:00:00%2B01:00&to=2026-11-21T17:00:00%2B07:00', ['arabic']],
  ['?from=2026-11-22', []],
  ['?to=2026-11-20', []],
  ['?from=2026-11-21&to=2026-11-21', ['last', 'cancelled', 'second', 'arabic', 'invoice']],
  ['?from=2026-11-21', ['last', 'cancelled', 'second', 'arabic', 'invoice']],
  ['?unknown=1&limit=1', ['last']],
])('%s', async (query, expected) => {
  expect(await found(query)).toEqual(expected)
})

test('of one sender', async () => {
  expect(await found(`?sender_code=${second}`)).toEqual(['second'])
})

test.each([
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=ten', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['status=lost', 'status'],
  ['channel=fax', 'channel'],
  ['from=yesterday', 'from'],
  ['to=2026-13-01', 'to'],
  ['from=2026-11-21T10:00:00', 'from'],
  [`q=${'x'.repeat(201)}`, 'q'],
  ['cursor=abc', 'cursor'],
])('?%s is refused', async (query, field) => {
  const { status, body } = await list(`?${query}`)
  expect(status).toBe(400)
  expect(body.error.code).toBe('invalid_request')
  expect(body.error.details?.[0]?.field.split('.')[0]).toBe(field)
})

test('pages follow each other without a gap while new messages arrive', async () => {
  const first = await list('?limit=2&status=queued,cancelled')
  expect(named(first.body.data)).toEqual(['last', 'cancelled'])
  await app.call(key, '/send', {
    phone: '628111111111',
    message: 'new',
    sender_code: SANDBOX,
    delay: 9e5,
  })
  const next = await list(`?limit=2&status=queued,cancelled&cursor=${first.body.next_cursor}`)
  expect(named(next.body.data)).toEqual(['second', 'arabic'])
  const end = await list(`?limit=2&status=queued,cancelled&cursor=${next.body.next_cursor}`)
  expect(named(end.body.data)).toEqual(['invoice'])
  expect(end.body.next_cursor).toBeNull()
})

test("the owner's list is the same list", async () => {
  const [own, theirs] = [await app.owner('/api/messages?status=queued'), await list('?status=queued')]
  expect(own.text).toBe(theirs.text)
})

test('a long text is shortened in a list, whole in its message, and never cut through a character', async () => {
  const message = `.${'🙏'.repeat(400)}`
  const body = { phone: '6281234567890', message, sender_code: SANDBOX, delay: 86_400 }
  const { id } = (await app.call<{ id: string }>(key, '/send', body)).body.data
  const [row] = (await list('?limit=1')).body.data
  expect(row?.message?.length).toBeLessThanOrEqual(280)
  expect(row?.message?.isWellFormed()).toBe(true)
  expect((await app.call(key, `/messages/${id}`)).body.data.message).toBe(message)
})

test('one message shows its timeline, attempts and callbacks', async () => {
  const { body } = await app.call(key, `/messages/${ids.get('cancelled')}`)
  expect(body.data).toMatchObject({
    status: 'cancelled',
    timeline: [
      { type: 'queued', at: at(3), detail: null },
      { type: 'cancelled', at: at(5), detail: null },
    ],
    attempt_log: [],
    deliveries: [],
    provider: null,
  })
})

test.each(['NOBODY', '__proto__', '0194aaaa-0000-7000-8000-000000000000', '%00', "' OR 1=1 --"])(
  'there is no message %s',
  async (id) => {
    const answer = await app.call(key, `/messages/${encodeURIComponent(id)}`)
    expect(answer.status).toBe(404)
    expect(answer.body.error.code).toBe('message_not_found')
  },
)
