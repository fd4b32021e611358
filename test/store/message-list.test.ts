import { expect, test } from 'vitest'
import { STATUSES } from '../../server/contract/messages.ts'
import type { Message, MessageFilter } from '../../server/store/index.ts'
import { describeFailure } from '../../server/words/errors.ts'
import { startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { newRow } from '../support/new-message.ts'

/** The same numbers in every run (mulberry32). */
function createChance(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (most: number) => Math.floor(next() * most)
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T
  /** Mostly nothing: a filter has few members. */
  const perhaps = <T>(make: () => T): T | undefined => (next() < 0.3 ? make() : undefined)
  return { below, one, perhaps }
}

const PHONES = ['6281111111', '6282222222', '6283333333'] as const
const REFERENCES = ['INV-1', 'INV-2'] as const
const WORDS = ['invoice', 'promo', 'paid'] as const
const TEMPLATES = ['order', 'bill'] as const

const isIn = <T>(list: readonly T[] | undefined, value: T) => list === undefined || list.includes(value)
const isIt = <T>(wanted: T | undefined, value: T) => wanted === undefined || wanted === value

/** What a filter means, without any index. */
const fits = (filter: Omit<MessageFilter, 'limit'>, m: Message): boolean =>
  isIt(filter.referenceId, m.referenceId) &&
  isIn(filter.statuses, m.status) &&
  isIt(filter.senderId, m.senderId) &&
  isIn(filter.onlyOf, m.senderId) &&
  !(filter.noneOf?.includes(m.senderId) ?? false) &&
  isIt(filter.channel, m.channel) &&
  isIn(filter.recipients, m.recipient) &&
  isIt(filter.templateName, m.template?.name) &&
  (filter.from === undefined || m.createdAt >= filter.from) &&
  (filter.to === undefined || m.createdAt < filter.to) &&
  (filter.failedFrom === undefined || (m.status === 'failed' && m.occurredAt >= filter.failedFrom)) &&
  (filter.text === undefined || `${m.body} ${m.template?.name} ${m.referenceId} ${m.recipient}`.includes(filter.text))

test('every filter, alone and together, finds what it means and no more, page by page', async () => {
  const { below, one, perhaps } = createChance(7)
  const app = await startApp({ clock: createTestClock() })
  const { messages, search, senders } = app.app.store
  for (let n = 0; n < 2; n += 1) await app.sender('linked')
  const ids = senders.list().map(({ id }) => id)
  const all: Message[] = []
  for (let n = 0; n < 300; n += 1) {
    if (n === 200) await search.step()
    const template = perhaps(() => ({ name: one(TEMPLATES), language: 'id', components: [] })) ?? null
    const row = newRow({
      id: `m${n}`,
      senderId: one(ids),
      channel: template === null ? 'standard' : 'template',
      template,
      body: template === null ? `${one(WORDS)} ${n}` : null,
      recipient: one(PHONES),
      referenceId: perhaps(() => one(REFERENCES)) ?? null,
      // Also against the order of arrival, as after a clock that was set.
      createdAt: 1_000 + below(100),
      nextAt: null,
      status: 'queued',
    })
    await messages.accept(row, { unique: false })
    const status = one(STATUSES)
    const error = status === 'failed' ? describeFailure('delivery_failed') : null
    await messages.change({ id: row.id }, () => ({ status, at: 2_000 + n, error }))
    all.push(await app.message(row.id))
  }
  for (let round = 0; round < 400; round += 1) {
    const filter: Omit<MessageFilter, 'limit'> = {
      referenceId: perhaps(() => one(REFERENCES)),
      statuses: perhaps(() => STATUSES.filter(() => below(2) === 0)),
      senderId: perhaps(() => one(ids)),
      onlyOf: perhaps(() => ids.filter(() => below(2) === 0)),
      noneOf: perhaps(() => ids.filter(() => below(2) === 0)),
      channel: perhaps(() => one(['standard', 'template'] as const)),
      recipients: perhaps(() => PHONES.filter(() => below(2) === 0)),
      templateName: perhaps(() => one(TEMPLATES)),
      from: perhaps(() => 1_000 + below(100)),
      to: perhaps(() => 1_000 + below(100)),
      failedFrom: perhaps(() => 2_000 + below(300)),
      text: perhaps(() => one<string>([...WORDS, ...TEMPLATES, '2222'])),
    }
    const limit = 1 + below(40)
    const found: Message[] = []
    for (let before: number | undefined; ; ) {
      const page = await messages.list({ ...filter, before, limit })
      found.push(...page)
      if (page.length < limit) break
      before = page.at(-1)?.seq
    }
    const isTimed = filter.text === undefined && (filter.from !== undefined || filter.to !== undefined)
    const wanted = all
      .filter((message) => fits(filter, message))
      .toSorted((a, b) => (isTimed ? b.createdAt - a.createdAt : 0) || b.seq - a.seq)
    expect(
      found.map(({ id }) => id),
      JSON.stringify({ filter, limit }),
    ).toEqual(wanted.map(({ id }) => id))
  }
})

test('a short list reads long texts, metadata and templates no further than it shows them', async () => {
  const app = await startApp({ clock: createTestClock() })
  const { messages, senders } = app.app.store
  const sender = await app.sender('linked')
  const senderId = senders.byCode(sender)?.id ?? 0
  const context = { message_id: 'wamid.1' }
  const template = {
    name: 'order',
    language: 'id',
    components: [{ type: 'body', text: '\ud83d\u0000'.repeat(9_000) }],
    context,
  }
  const long = {
    senderId,
    body: 'あ'.repeat(65_536),
    metadata: JSON.stringify({ a: 'あ'.repeat(5_000) }),
    nextAt: null,
  }
  await messages.accept(newRow({ ...long, id: 'long' }), { unique: false })
  await messages.accept(newRow({ ...long, id: 'template', body: null, channel: 'template', template }), {
    unique: false,
  })
  const filters = [{}, { from: 0 }, { senderId }, { text: '6281' }]
  for (const filter of filters) {
    const [second, first] = await messages.list({ ...filter, senderId, short: true, limit: 10 })
    expect(first?.body).toBe('あ'.repeat(280))
    expect(first?.metadata?.length).toBeLessThan(5_000)
    expect(second?.template).toEqual({ ...template, components: [] })
    const [, whole] = await messages.list({ ...filter, senderId, limit: 10 })
    expect(whole?.body).toBe(long.body)
    expect(whole?.metadata).toBe(long.metadata)
  }
  const { body } = await app.owner<{ metadata_omitted: boolean; metadata: object }[]>('/api/messages?limit=10')
  expect(body.data).toMatchObject([
    { metadata_omitted: true, metadata: {} },
    { metadata_omitted: true, metadata: {} },
  ])
})

test('a list that looks through thousands of rows finds all of them, and lets others have their turns', async () => {
  const app = await startApp({ clock: createTestClock() })
  const { messages, senders } = app.app.store
  const ids = [await app.sender('linked'), await app.sender('linked')].map((code) => senders.byCode(code)?.id ?? 0)
  const rows = Array.from({ length: 3_500 }, (_, n) =>
    // Many of one moment, and two moments against the order of arrival.
    newRow({ id: `m${n}`, senderId: ids[n % 2] ?? 0, createdAt: 5_000 - Math.floor(n / 1_750), nextAt: null }),
  )
  await Promise.all(rows.map((row) => messages.accept(row, { unique: false })))
  const failed = ['m3', 'm1201', 'm1749', 'm1751', 'm3499']
  for (const id of failed)
    await messages.change({ id }, () => ({ status: 'failed', at: 6_000, error: describeFailure('delivery_failed') }))
  const byTime = ['m1749', 'm1201', 'm3', 'm3499', 'm1751']
  const failedOf = async (senderId: number | undefined, limit: number) => {
    const found: string[] = []
    for (let before: number | undefined; ; ) {
      const page = await messages.list({ senderId, statuses: ['failed'], from: 1, before, limit })
      found.push(...page.map(({ id }) => id))
      if (page.length < limit) return found
      before = page.at(-1)?.seq
    }
  }
  for (const senderId of [undefined, ids[1]]) {
    expect(await failedOf(senderId, 2)).toEqual(byTime)
    let others = 0
    const counting = setImmediate(() => {
      others += 1
    })
    expect(await failedOf(senderId, 10)).toEqual(byTime)
    clearImmediate(counting)
    expect(others).toBe(1)
  }
  const others = await messages.list({ noneOf: ids.slice(0, 1), templateName: 'order', limit: 2 })
  expect(others).toEqual([])
  const first = await messages.list({ onlyOf: ids.slice(1), to: 5_000, limit: 3 })
  expect(first.map(({ id }) => id)).toEqual(['m3499', 'm3497', 'm3495'])
})
