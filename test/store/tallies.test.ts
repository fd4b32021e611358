import { afterEach, expect, onTestFinished, test } from 'vitest'
import { describeFailure } from '../../server/contract/failures.ts'
import type { Status } from '../../server/contract/messages.ts'
import { daysBetween } from '../../server/lib/local-time.ts'
import { monthSummary } from '../../server/messages/summary.ts'
import type { Change, Day, Store, TallyStore } from '../../server/store/index.ts'
import type { Db } from '../../server/store/sqlite/database.ts'
import { createRandom } from '../crash/random.ts'
import { isShared, openTestStore } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MONTH = '2026-11'
/** Local noon of a day of November 2026. */
const noon = (day: number) => new Date(2026, 10, day, 12).getTime()
const NOW = noon(21)
const DAYS = daysBetween(noon(1), new Date(2026, 11, 1).getTime())
const FINISHED = DAYS.filter(({ until }) => until < NOW)

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

async function open(opened?: (db: Db) => void) {
  const store = await openTestStore({ home: temporaryFolder(), now: () => NOW, soon: 0, opened })
  onTestFinished(store.close)
  const add = async (code: string, kind: 'linked' | 'official' | 'sandbox') => {
    const settings = { name: code, pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null }
    const given = { code, kind, state: 'connected', official: null, createdAt: NOW } as const
    const sender = await store.senders.add({
      ...given,
      settings: { ...settings, country_code: null, second_road: null },
    })
    return sender.id
  }
  const senders = [await add('SND-1', 'linked'), await add('SND-2', 'official'), await add('SND-3', 'sandbox')] as const
  const accept = async (id: string, createdAt: number, senderId: number = senders[0]) => {
    const row = newRow({ id, senderId, createdAt, nextAt: null, status: 'sending' })
    expect((await store.messages.accept(row, { unique: false })).kind).toBe('accepted')
  }
  const change = (id: string, status: Status, more: Partial<Change> = {}) =>
    store.messages.change({ id }, () => ({ status, at: NOW, ...more }))
  const countOne = async ({ since, until }: Day) => {
    const known = (await store.tallies.days()).find((day) => since === day.since && until === day.until)
    return store.tallies.count(known ?? { since, until, talliedAt: null }, NOW)
  }
  // Where a write takes long it has to be tried later.
  const count = async (...days: Day[]) => {
    for (const day of days) await eventually(() => countOne(day))
  }
  return { store, senders, accept, change, count }
}

const NOTHING: Pick<TallyStore, 'of'> = { of: async () => ({ days: new Map(), groups: [] }) }
const by = <Row>(rows: readonly Row[], key: (row: Row) => string) =>
  Object.fromEntries(rows.map((row) => [key(row), row]))

/** A month as it is shown, and as its messages say. */
async function bothOf(store: Store) {
  const [shown, read] = [
    await monthSummary(store, MONTH),
    await monthSummary({ ...store, tallies: NOTHING }, MONTH),
  ].map(({ senders, reasons, ...rest }) => ({
    ...rest,
    senders: by(senders, ({ sender_code, channel }) => `${sender_code} ${channel}`),
    reasons: by(reasons, ({ code }) => code),
  }))
  return { shown, read }
}

async function expectRight(store: Store, what = '') {
  const { shown, read } = await bothOf(store)
  expect(shown, what).toEqual(read)
}

/** Which days are shown from their messages. */
async function readOf(store: Store): Promise<number[]> {
  const read: number[] = []
  const messages = {
    ...store.messages,
    async tallyOfTime(from: number, to: number) {
      read.push(new Date(from).getDate())
      return store.messages.tallyOfTime(from, to)
    },
  }
  await monthSummary({ ...store, messages }, MONTH)
  return read
}

const failed = (code: Parameters<typeof describeFailure>[0]) => ({ error: describeFailure(code) })

test('a day that is counted is not read from its messages any more, nor is one without any', async () => {
  const { store, accept, change, count } = await open()
  for (const day of [3, 19, 20, 21]) await accept(`of ${day}`, noon(day))
  await change('of 3', 'failed', failed('expired'))
  expect(await readOf(store)).toEqual(DAYS.slice(2, 21).map((_, n) => n + 3))
  await expectRight(store)
  await count(...FINISHED)
  expect(await readOf(store)).toEqual([21])
  await expectRight(store)
})

test('what becomes of a message later is counted on its day, with its sender, its route and its reason', async () => {
  const { store, senders, accept, change, count } = await open()
  for (const id of ['a', 'b', 'c', 'd']) await accept(id, noon(19))
  await accept('played', noon(19), senders[2])
  await change('b', 'failed', failed('expired'))
  await count(...FINISHED)
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
  expect(await readOf(store)).toEqual([])
  expect((await bothOf(store)).shown).toMatchObject({
    total: 4,
    counts: { read: 1, failed: 1, delivered: 1, accepted: 1 },
  })
})

test.skipIf(isShared)('a count that a crash broke off is not shown, and is right when it is made', async () => {
  let db: Db | undefined
  const { store, accept, change, count } = await open((opened) => {
    db = opened
  })
  const day = FINISHED[18]
  if (day === undefined || db === undefined) throw new Error('no day')
  await accept('a', noon(19))
  db.prepare('INSERT INTO tallied_days (since, until) VALUES (?, ?)').run(day.since, day.until)
  await change('a', 'sent')
  await expectRight(store)
  expect(await readOf(store)).toEqual([19])
  await count(day)
  await expectRight(store)
  expect(await readOf(store)).toEqual([])
})

test.skipIf(isShared)('what differs all the same is set right by the next count', async () => {
  let db: Db | undefined
  const { store, accept, count } = await open((opened) => {
    db = opened
  })
  for (const id of ['a', 'b']) await accept(id, noon(19))
  await count(...FINISHED)
  // A change that was not noted.
  db?.prepare("UPDATE messages SET status = 'read' WHERE id = 'a'").run()
  expect((await bothOf(store)).shown?.counts).toEqual({ sending: 2 })
  await count(...FINISHED)
  await expectRight(store)
})

test('of two that count a day at the same moment one counts it', async () => {
  const { store, accept } = await open()
  for (const id of ['a', 'b', 'c']) await accept(id, noon(19))
  const days = FINISHED.map((day) => ({ ...day, talliedAt: null }))
  await Promise.all(days.flatMap((day) => [1, 2, 3].map(() => eventually(() => store.tallies.count(day, NOW)))))
  await expectRight(store)
  for (const day of days) await store.tallies.count(day, NOW + HOUR)
  expect((await store.tallies.days()).map(({ talliedAt }) => talliedAt)).toEqual(days.map(() => NOW))
  expect(await readOf(store)).toEqual([])
})

test('messages that are removed are not counted any more, and their days are forgotten', async () => {
  const { store, senders, accept, change, count } = await open()
  for (const day of [2, 3, 20]) {
    await accept(`of ${day}`, noon(day))
    await change(`of ${day}`, 'read', { at: noon(day) })
  }
  await accept('played', noon(2), senders[2])
  await change('played', 'read', { at: noon(2) })
  await accept('newest', noon(20))
  await count(...FINISHED)
  expect(await store.retention.removeBefore({ ms: noon(4), silent: 0 }, 500)).toBe(3)
  await expectRight(store)
  expect((await bothOf(store)).shown?.total).toBe(2)
  const { first = 0 } = (await store.messages.span()) ?? {}
  await store.tallies.forget(first)
  expect((await store.tallies.days()).map(({ since }) => new Date(since).getDate())).toEqual([20])
  await expectRight(store)
})

test('in another time zone days are others, and those of the first one stay right', async () => {
  process.env.TZ = 'Asia/Jakarta'
  const { store, accept, change, count } = await open()
  const jakarta = (day: number, hour: number) => Date.UTC(2026, 10, day, hour - 7)
  await accept('early', jakarta(19, 1))
  await accept('late', jakarta(19, 23))
  const [nineteenth] = daysBetween(jakarta(19, 12), jakarta(20, 0))
  if (nineteenth === undefined) throw new Error('no day')
  await count(nineteenth)
  const of19 = async () => (await bothOf(store)).shown?.days[18]
  expect(await of19()).toEqual({ day: '2026-11-19', total: 2, failed: 0 })
  process.env.TZ = 'America/New_York'
  // Both were accepted on the day before, there or later on this one.
  expect(await of19()).toEqual({ day: '2026-11-19', total: 1, failed: 0 })
  await expectRight(store)
  await count(...daysBetween(jakarta(18, 12), jakarta(21, 0)))
  await expectRight(store)
  await change('late', 'failed', failed('expired'))
  await expectRight(store)
  process.env.TZ = 'Asia/Jakarta'
  expect(await of19()).toEqual({ day: '2026-11-19', total: 2, failed: 1 })
})

test.skipIf(isShared)('a clock that is set moves no message to another day', async () => {
  const { store, accept, count } = await open()
  await accept('a', noon(19))
  await count(...FINISHED)
  const read = await readOf(store)
  await store.time.move({ by: -2 * DAY, before: NOW, began: 0, back: 0 }, () => undefined)
  await expectRight(store)
  expect(await readOf(store)).toEqual(read)
})

test('whatever happens, what is shown is what the messages say', async () => {
  const { store, senders, accept, change, count } = await open()
  const random = createRandom(20_261_122)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const ids = Array.from({ length: 150 }, (_, n) => `m${n}`)
  await Promise.all(ids.map((id) => accept(id, noon(1) + Math.floor(random() * 19 * DAY), pick(senders))))
  const steps = [
    async () => {
      const status = pick(['queued', 'sent', 'delivered', 'read', 'cancelled', 'accepted'] as const)
      await change(pick(ids), status, { error: null })
    },
    async () => {
      const code = pick(['expired', 'recipient_not_on_whatsapp', 'delivery_failed'] as const)
      await change(pick(ids), 'failed', failed(code))
    },
    async () => void (await store.tallies.count({ ...pick(FINISHED), talliedAt: null }, NOW)),
    async () => count(pick(FINISHED)),
    async () => void (await store.retention.removeBefore({ ms: noon(3), silent: noon(3) }, 2)),
  ]
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 12 }, () => pick(steps)()))
    await expectRight(store, `round ${round}`)
  }
  await count(...FINISHED)
  await expectRight(store)
  expect(await readOf(store)).toEqual([])
})
