import { beforeAll, expect, test } from 'vitest'
import { describeFailure } from '../../server/contract/failures.ts'
import type { Status } from '../../server/contract/messages.ts'
import { localDay } from '../../server/lib/local-time.ts'
import { DAY } from '../../server/lib/time.ts'
import type { Store } from '../../server/store/index.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { newRow } from '../support/new-message.ts'

// Local noon, so that a day later is the next one wherever this runs.
const FIRST = new Date(2026, 10, 20, 12).getTime()
const days = [localDay(FIRST), localDay(FIRST + DAY)]

let store: Store
let shop: number
let sandbox: number

beforeAll(async () => {
  const app = await startApp({ lives: 'file' })
  store = app.app.store
  shop = store.senders.byCode(await app.sender('linked'))?.id ?? 0
  sandbox = store.senders.byCode(SANDBOX)?.id ?? 0
})

/** What a message adds to the counts of both days when it goes this way; `|` is midnight. */
async function counted(way: string, senderId = shop): Promise<Record<string, number>[]> {
  const read = async () => {
    const counts = await store.dailyCounts.since('')
    return days.map((day) => Object.fromEntries(counts.flatMap((row) => (row.day === day ? [[row.status, row]] : []))))
  }
  const before = await read()
  const id = `${way} ${senderId}`
  await store.messages.accept(newRow({ id, senderId, createdAt: FIRST, nextAt: null }), { unique: false })
  let at = FIRST
  for (const step of way.split(' ')) {
    if (step === '|') at += DAY
    else {
      const status = step as Status
      const error = status === 'failed' ? describeFailure('delivery_failed') : null
      await store.messages.change({ id }, () => ({ status, at, error }))
    }
  }
  const added = (now: Record<string, { count: number }>, was: Record<string, { count: number }> = {}) =>
    Object.entries(now).flatMap(([status, { count }]): [string, number][] => {
      const more = count - (was[status]?.count ?? 0)
      return more === 0 ? [] : [[status, more]]
    })
  return (await read()).map((day, n) => Object.fromEntries(added(day, before[n])))
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
])('a message counts once for each status that it has reached: %s', async (way, first, second) => {
  expect(await counted(way)).toEqual([first, second])
})

test('the sandbox counts nowhere', async () => {
  expect(await counted('sending sent delivered read', sandbox)).toEqual([{}, {}])
})
