import { beforeAll, describe, expect, test } from 'vitest'
import { matches } from '../../renderer/api/message-filters.ts'
import type { MessageRow } from '../../server/contract/messages.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { rowsIn } from '../support/rows-in.ts'

const MESSAGES: [string, object][] = [
  ['landline', { message: 'z', phone: '62215551234' }],
  ['invoice', { reference_id: 'INV-1001', message: 'Terima kasih, pesanan Anda siap 🙏' }],
  ['arabic', { message: 'شكرا جزيلا', phone: '966501234567' }],
  ['second', { message: '100% off_today' }],
  ['accents', { reference_id: 'INV-1002', message: 'Café crème' }],
  ['reference', { reference_id: '0815550001', message: 'x', phone: '966501111111' }],
  ['dated', { reference_id: '2026-001', message: 'y', phone: '966502222222' }],
  ['last', { phone: '5511987654321', message: 'Obrigado. Total Rp 1.250.000' }],
]

// The background splits messages into words a second later: what is found must not depend on how far it has come.
describe.each([
  ['not yet indexed', 0],
  ['indexed in part', 3],
  ['indexed', 8],
])('search in what is %s', (_state, indexed) => {
  let app: TestApp
  const ids = new Map<string, string>()

  beforeAll(async () => {
    // Its clock stands still, so the background does nothing by itself.
    app = await startApp({ clock: createTestClock(), lives: 'file' })
    const { search } = app.app.store
    for (const [i, [name, more]] of MESSAGES.entries()) {
      if (i === indexed) await search.step()
      const body = { phone: '6281234567890', sender_code: SANDBOX, delay: 86_400, ...more }
      ids.set((await app.owner<{ id: string }>('/send', { body })).body.data.id, name)
    }
    if (indexed === MESSAGES.length) await search.step()
    expect(await rowsIn(app, 'messages_words')).toBe(indexed)
  })

  const list = (query: string) => app.owner<MessageRow[]>(`/messages${query}`)
  const found = async (query: string) => (await list(query)).body.data.map(({ id }) => ids.get(id))

  test.each([
    ['a word', 'pesanan', ['invoice']],
    ['the beginning of a word', 'pesan', ['invoice']],
    ['any case', 'PESANAN', ['invoice']],
    ['another script', 'شكرا', ['arabic']],
    ['an accent', 'Café', ['accents']],
    ['part of a number', '01234567', ['arabic']],
    ['a number as people write it', '+55 11 98765', ['last']],
    ['a number with the 0 of its country', '0812-3456-7890', ['accents', 'second', 'invoice']],
    ['the same, without separators', '081234567890', ['accents', 'second', 'invoice']],
    ['the beginning of a mobile number with its 0', '0812-3456', ['accents', 'second', 'invoice']],
    ['the beginning of a landline number with its 0', '021-555', ['landline']],
    ['a landline number with its 0', '0215551234', ['landline']],
    ['a reference that looks like one', '0815550001', ['reference']],
    ['a reference', 'INV-1001', ['invoice']],
    ['a reference of digits', '2026-001', ['dated']],
    ['the beginning of references', 'INV-100', ['accents', 'invoice']],
    ['a reference, not each with a number that has its digit', 'INV-6', []],
    ['a word that stands nowhere', 'zebra', []],
    ['an operator of the index', 'pesanan OR Obrigado', []],
    ['quotes', '"pesanan"', ['invoice']],
    ['what is a pattern elsewhere', '100% off_', ['second']],
    ['signs alone', '🙏', []],
    ['blanks alone', '  ', ['last', 'dated', 'reference', 'accents', 'second', 'arabic', 'invoice', 'landline']],
    ['blanks around it', '  Obrigado ', ['last']],
    ['a sum', '1.250.000', ['last']],
    ['words that stand apart', 'Terima siap', ['invoice']],
    ['words in another order', 'kasih Terima', ['invoice']],
  ])('%s', async (_why, q, expected) => {
    expect(await found(`?q=${encodeURIComponent(q)}`)).toEqual(expected)
    // A row that just happened is put into an open list by the window: by the same rule, so that none vanishes later.
    const live = (await list('')).body.data.filter((row) => matches(row, { q }))
    expect(live.map(({ id }) => ids.get(id))).toEqual(expected)
  })

  test('goes together with filters and pages', async () => {
    expect(await found('?q=INV-100&recipient=6281234567890&to=2027-01-01')).toEqual(['accents', 'invoice'])
    const first = await list('?q=INV-100&limit=1')
    expect(first.body.data.map(({ id }) => ids.get(id))).toEqual(['accents'])
    expect(await found(`?q=INV-100&limit=1&cursor=${first.body.next_cursor}`)).toEqual(['invoice'])
  })
})

test('a search of one sender finds nothing of the others', async () => {
  const app = await startApp({ clock: createTestClock(), lives: 'file' })
  const { store } = app.app
  const other = await app.sender('linked')
  const senderId = store.senders.byCode(other)?.id ?? 0
  for (let i = 0; i < 30; i += 1)
    await app.owner('/send', { body: { phone: '6281234567890', message: `Tagihan ${i}`, sender_code: SANDBOX } })
  await app.owner('/send', { body: { phone: '6281234567890', message: 'Tagihan lain', sender_code: other } })
  while (await store.search.step());

  const { body } = await app.call<MessageRow[]>(await app.key({ sender: other }), '/messages?q=tagi')
  expect(body.data.map(({ message }) => message)).toEqual(['Tagihan lain'])
  // What names a sender in the index is no word that somebody could find.
  expect(await store.messages.list({ text: `s${senderId}`, limit: 50 })).toEqual([])
})

test('words are split when callers have been quiet for a quarter of a second, but not more than ten seconds late', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const post = () =>
    app.owner('/send', { body: { phone: '6281234567890', message: 'Tagihan', sender_code: SANDBOX, delay: 86_400 } })
  async function busyFor(seconds: number): Promise<void> {
    for (let fifth = 0; fifth < seconds * 5; fifth += 1) {
      await post()
      await clock.advance(200)
    }
  }
  await post()
  await clock.advance(500)
  await eventually(async () => (await rowsIn(app, 'messages_words')) === 1)
  await busyFor(9)
  expect(await rowsIn(app, 'messages_words')).toBe(1)
  await busyFor(3)
  await eventually(async () => (await rowsIn(app, 'messages_words')) > 45)
})
