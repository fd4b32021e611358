import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { FailureCode } from '../../server/contract/failures.ts'
import type { Pricing, Status } from '../../server/contract/messages.ts'
import { monthSummary } from '../../server/http/routes/summary.ts'
import { spanOfMonth, startOfDay } from '../../server/lib/local-time.ts'
import { mayBecome } from '../../server/messages/status.ts'
import { type Change, countSecondRoads, type Store } from '../../server/store/index.ts'
import { describeFailure } from '../../server/words/errors.ts'
import { createRandom } from '../crash/random.ts'
import { isShared, openTestStore } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'
import { bookOf, type Counted, recount } from '../support/recount.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Local noon of a day of November 2026, so that a day later is the next one wherever this runs. */
const noon = (day: number) => new Date(2026, 10, day, 12).getTime()
const NOW = noon(21)

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

async function open(home = temporaryFolder()) {
  const opened = await openTestStore({ home, now: () => NOW, soon: 0 })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= opened.close()
    return closing
  }
  onTestFinished(close)
  return { ...opened, close }
}

async function openShop(home = temporaryFolder()) {
  const store = await open(home)
  const add = async (code: string, kind: 'linked' | 'official' | 'sandbox') => {
    const settings = { name: code, pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null }
    const sender = await store.senders.add({
      ...{ code, kind, state: 'connected', official: null, createdAt: NOW },
      settings: { ...settings, country_code: null, second_road: null },
    })
    return sender.id
  }
  const senders = [await add('SND-1', 'linked'), await add('SND-2', 'official'), await add('SND-3', 'sandbox')] as const
  const accept = async (id: string, createdAt: number, senderId: number = senders[0], fields = {}) => {
    const row = newRow({ id, senderId, createdAt, nextAt: null, status: 'sending', ...fields })
    expect((await store.messages.accept(row, { unique: false })).kind).toBe('accepted')
  }
  const change = (id: string, status: Status, more: Partial<Change> = {}) =>
    store.messages.change({ id }, () => ({ status, at: NOW, ...more }))
  return { home, store, senders, accept, change }
}

const allOf = (store: Store) => store.messages.after(0, Number.MAX_SAFE_INTEGER)

async function expectRight(store: Store, what = '') {
  expect(await bookOf(store), what).toEqual(await recount(store, await allOf(store)))
}

const failed = (code: FailureCode) => ({ error: describeFailure(code) })

/** What happened in the local day of `ms`. */
async function dayOf(store: Store, ms: number): Promise<Record<string, number>> {
  const day: Record<string, number> = {}
  for (const row of await store.figures.of([{ since: startOfDay(ms), until: startOfDay(ms, 1) }]))
    for (const name of ['sent', 'delivered', 'read', 'failed'] as const)
      if (row[`became_${name}`] !== 0) day[name] = (day[name] ?? 0) + row[`became_${name}`]
  return day
}

const ALL = { sent: 1, delivered: 1, read: 1 }

test.each([
  ['sending sent delivered read', ALL, {}],
  ['accepted delivered read', ALL, {}],
  ['accepted read', ALL, {}],
  ['sending delivered', { sent: 1, delivered: 1 }, {}],
  ['sent read', ALL, {}],
  ['sent | delivered read', { sent: 1 }, { delivered: 1, read: 1 }],
  ['accepted | read', {}, ALL],
  ['sending queued sending failed', { failed: 1 }, {}],
  ['sent failed', { failed: 1 }, {}],
  ['sent | failed', {}, { failed: 1 }],
  ['failed | delivered', {}, { sent: 1, delivered: 1 }],
  ['sent failed delivered read', ALL, {}],
  ['accepted', {}, {}],
  ['cancelled', {}, {}],
])('a message counts once for each status that it has reached, on its day: %s', async (way, first, second) => {
  const { store, senders, accept, change } = await openShop()
  for (const [id, senderId] of [
    ['real', senders[0]],
    ['played', senders[2]],
  ] as const) {
    await accept(id, noon(20), senderId, { status: 'queued' })
    let at = noon(20)
    for (const step of way.split(' ')) {
      if (step === '|') at += DAY
      else
        await change(id, step as Status, { at, error: step === 'failed' ? describeFailure('delivery_failed') : null })
    }
  }
  expect([await dayOf(store, noon(20)), await dayOf(store, noon(21))]).toEqual([first, second])
  await expectRight(store)
})

test.each([
  ['NUL', 'a\0b'],
  ['half a character, where it was cut', '🙏'.slice(0, 1)],
  ['the escape of NUL, written out', '\\u0000'],
])('a failure whose text holds %s is counted like any other, and taken back when it is removed', async (_, message) => {
  const { store, accept, change } = await openShop()
  await accept('a', noon(2))
  await accept('newest', noon(20))
  const error = describeFailure('delivery_failed', { message })
  await change('a', 'failed', { at: noon(2), error })
  await expectRight(store)
  expect((await store.messages.find({ id: 'a' }))?.error?.message).toBe(message)
  const { recipient } = newRow({ senderId: 1 })
  expect(await store.messages.tallyOfRecipient(recipient)).toContainEqual(
    expect.objectContaining({ status: 'failed', count: 1 }),
  )
  expect(await store.retention.removeBefore({ ms: noon(4), silent: 0 }, 500)).toBe(1)
  expect((await bookOf(store)).now).toEqual((await recount(store, await allOf(store))).now)
})

test('what becomes of a message later is counted where it was accepted, with its sender, its route and its reason', async () => {
  const { home, store, senders, accept, change } = await openShop()
  for (const id of ['a', 'b', 'c', 'd']) await accept(id, noon(19))
  await accept('played', noon(19), senders[2])
  await change('b', 'failed', failed('expired'))
  const steps: [id: string, status: Status, more?: Partial<Change>][] = [
    ['a', 'sent'],
    ['a', 'read'],
    ['b', 'failed', failed('recipient_not_on_whatsapp')],
    ['c', 'failed', failed('expired')],
    ['c', 'delivered', { error: null }],
    ['d', 'accepted', { road: { channel: 'template', laneId: senders[1], template: null, providerMessageId: null } }],
    ['played', 'failed', failed('expired')],
  ]
  for (const [id, status, more] of steps) {
    await change(id, status, more)
    await expectRight(store, `${id} ${status}`)
  }
  const month = await monthSummary(store, '2026-11')
  expect(month).toMatchObject({ total: 4, counts: { read: 1, failed: 1, delivered: 1, accepted: 1 } })
  expect(month.reasons).toEqual([{ code: 'recipient_not_on_whatsapp', count: 1 }])
  expect(month.days.filter(({ total }) => total > 0)).toEqual([{ day: '2026-11-19', total: 4, failed: 1 }])
  await store.close()
  expect(await monthSummary(await open(home), '2026-11'), 'after a start').toEqual(month)
})

test('a change that fails is not counted, nor an accept that is refused', async () => {
  const { store, accept, senders } = await openShop()
  await accept('a', noon(19))
  const also = [
    {
      kind: 'sending_state',
      update: () => {
        throw new Error('no state')
      },
    },
  ] as const
  await expect(store.messages.change({ id: 'a' }, () => ({ status: 'sent', at: NOW, also }))).rejects.toThrow(
    'no state',
  )
  const row = newRow({ id: 'b', senderId: senders[0], createdAt: NOW })
  expect((await store.messages.accept(row, { unique: false, sameContentSince: 1 })).kind).toBe('duplicate_content')
  await expectRight(store)
  expect([...(await bookOf(store)).now.values()]).toEqual([1])
})

test('messages that are removed are counted no more among those of their day; what happened, and what was billed, stays', async () => {
  const { store, senders, accept, change } = await openShop()
  const pricing: Pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
  for (const day of [2, 3, 20]) {
    await accept(`of ${day}`, noon(day), senders[1])
    await change(`of ${day}`, 'read', { at: noon(day), pricing })
  }
  await accept('played', noon(2), senders[2])
  await change('played', 'read', { at: noon(2) })
  const november = spanOfMonth('2026-11')
  const billed = [{ senderId: senders[1], pricing, count: 3 }]
  expect(await store.figures.billed(november)).toEqual(billed)

  expect(await store.retention.removeBefore({ ms: noon(4), silent: 0 }, 500)).toBe(3)
  expect((await bookOf(store)).now).toEqual((await recount(store, await allOf(store))).now)
  expect((await monthSummary(store, '2026-11')).total).toBe(1)
  expect(await dayOf(store, noon(2))).toEqual(ALL)

  const forgotten: number[] = []
  while (forgotten.at(-1) !== 0) forgotten.push(await store.figures.forget(NOW))
  expect(forgotten.length, 'a day at a time').toBeGreaterThan(2)
  await expectRight(store)
  expect(await dayOf(store, noon(2))).toEqual({})
  expect(await store.figures.billed(november)).toEqual(billed)
})

test('months with a price are found, whatever lies between them', async () => {
  const { store, senders, accept, change } = await openShop()
  const pricing: Pricing = { billable: false, pricing_model: 'PMP', type: null, category: null }
  const at = [new Date(2026, 7, 31, 23, 59), new Date(2026, 10, 1), new Date(2026, 10, 30, 23, 59)].map(Number)
  for (const [n, ms] of at.entries()) {
    await accept(`m${n}`, ms, senders[1])
    // Meta reports the price once more with the next status.
    for (const status of ['delivered', 'read'] as const) await change(`m${n}`, status, { at: ms, pricing })
  }
  const { nextBilled, billed } = store.figures
  expect(await nextBilled(0)).toBe(new Date(2026, 7, 31, 23, 45).getTime())
  expect(await nextBilled(spanOfMonth('2026-08').until)).toBe(at[1])
  expect(await nextBilled(spanOfMonth('2026-11').until)).toBeNull()
  expect(await billed(spanOfMonth('2026-11'))).toEqual([{ senderId: senders[1], pricing, count: 2 }])
  expect(await billed(spanOfMonth('2026-09'))).toEqual([])
})

test('places on the second road are counted by month, given back, and never fewer than none', async () => {
  const { store, senders, accept, change } = await openShop()
  await accept('a', NOW)
  const road = (month: string, by: 1 | -1) => change('a', 'sending', { also: [{ kind: 'second_road', month, by }] })
  for (const by of [1, 1, -1] as const) await road('2026-11', by)
  await road('2026-12', -1)
  const used = (month: string, senderId: number = senders[0]) => countSecondRoads(store.figures, senderId, month)
  expect([await used('2026-11'), await used('2026-12'), await used('2026-11', senders[1])]).toEqual([1, 0, 0])
  process.env.TZ = 'Pacific/Kiritimati'
  expect(await used('2026-11')).toBe(1)
})

test.each(['Asia/Jakarta', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Chatham'])(
  'a month of %s has its own days, also where its clock is set',
  async (name) => {
    process.env.TZ = 'Asia/Jakarta'
    const { store, accept } = await openShop()
    // Summer time begins or ends in most zones in one of these two months.
    const times = Array.from({ length: 61 * 4 }, (_, n) => Date.UTC(2026, 9, 1) + n * 6 * HOUR + (n % 7) * 17 * MINUTE)
    await Promise.all(times.map((at, n) => accept(`m${n}`, at)))
    process.env.TZ = name
    const dateOf = (ms: number) => new Intl.DateTimeFormat('sv', { timeZone: name }).format(ms)
    for (const month of ['2026-10', '2026-11']) {
      const { days, total } = await monthSummary(store, month)
      for (const { day, total: ofDay } of days)
        expect(ofDay, `${day} in ${name}`).toBe(times.filter((ms) => dateOf(ms) === day).length)
      expect(total).toBe(times.filter((ms) => dateOf(ms).startsWith(month)).length)
    }
  },
)

test('whatever happens, the book says what the messages say', async () => {
  const { home, store: first, senders, accept } = await openShop()
  let store = first
  const random = createRandom(20_261_122)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const ids = Array.from({ length: 150 }, (_, n) => `m${n}`)
  const waits = { status: 'queued' as const }
  await Promise.all(
    ids.map((id, n) => {
      const at = noon(1) + Math.floor(random() * 19 * DAY)
      return accept(id, at, pick(senders), n % 3 === 0 ? { ...waits, nextAt: at } : {})
    }),
  )
  const change = (status: Status, code?: FailureCode) => {
    const later = Math.floor(random() * DAY)
    return store.messages.change({ id: pick(ids) }, (message) => {
      const at = message.createdAt + later
      const error = code === undefined ? null : describeFailure(code)
      const isOtherReason = status === 'failed' && message.status === 'failed'
      if (isOtherReason || mayBecome(message.status, status)) return { status, at, error, nextAt: null }
      return null
    })
  }
  /** What happened to messages that are gone. */
  const gone: Counted = new Map()
  const steps = [
    () => change(pick(['queued', 'sending', 'sent', 'delivered', 'read', 'cancelled', 'accepted'] as const)),
    () => change(pick(['sent', 'delivered', 'read'] as const)),
    () => change('failed', pick(['expired', 'recipient_not_on_whatsapp', 'delivery_failed'] as const)),
  ]
  const between = [
    async () => {
      const before = await allOf(store)
      await store.retention.removeBefore({ ms: noon(3), silent: noon(3) }, 2)
      const left = new Set((await allOf(store)).map(({ id }) => id))
      const removed = before.filter(({ id }) => !left.has(id)).map(({ id }) => id)
      return removed
    },
    async () => {
      await store.close()
      store = await open(home)
      return []
    },
    async () => {
      const by = Math.floor((random() - 0.5) * 10 * DAY)
      if (!isShared) await store.time.move({ by, before: NOW, back: 0 }, () => undefined)
      return []
    },
  ]
  for (let round = 0; round < 25; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => pick(steps)()))
    const known = new Map<string, Counted>()
    for (const message of await allOf(store)) known.set(message.id, (await recount(store, [message])).became)
    for (const id of await pick(between)())
      for (const [key, count] of known.get(id) ?? []) gone.set(key, (gone.get(key) ?? 0) + count)
    const [book, anew] = [await bookOf(store), await recount(store, await allOf(store))]
    for (const [key, count] of gone) anew.became.set(key, (anew.became.get(key) ?? 0) + count)
    expect(book, `round ${round}`).toEqual(anew)
  }
  expect(gone.size, 'messages that happened are gone').toBeGreaterThan(0)
})
