import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { MINUTE } from '../../../server/lib/clock.ts'
import { openStore } from '../../../server/store/index.ts'
import type { Db } from '../../../server/store/sqlite/database.ts'
import { temporaryFolder } from '../../support/folder.ts'

const ROWS = 30_000
/** Every text is looked through for it. */
const HUGE = { text: 'nowhere', limit: 10 } as const
/** Almost found in each place of each text: takes a second, in which this thread gets its turn. */
const LONG = { ...HUGE, text: `${'0'.repeat(20)}1` } as const

async function open(home = temporaryFolder(), rows = ROWS, now = Date.now) {
  let db: Db | undefined
  const opened = (main: Db) => {
    db = main
  }
  const store = await openStore({ home, now, soon: 0, opened })
  onTestFinished(store.close)
  db?.pragma('foreign_keys = OFF')
  db?.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO messages (id, sender_id, lane_id, channel, recipient, body, status, attempts, created_at, due_at,
       expires_at, occurred_at)
     SELECT 'm' || n, 1, 1, 'standard', '6281', hex(zeroblob(300)), 'read', 1, n, n, n, n FROM numbers`,
  ).run(rows)
  db?.pragma('foreign_keys = ON')
  return { store, home }
}

/** The thread that begins next. */
function nextThread(): Promise<Worker> {
  return new Promise((resolve) => process.once('worker', resolve))
}

test('others go on while all messages are looked through', async () => {
  const { store } = await open()
  await store.messages.list({ limit: 1 })
  let isRead = false
  const read = store.messages.list(HUGE).finally(() => {
    isRead = true
  })
  let turns = 0
  while (!isRead) {
    turns += 1
    await setImmediate()
  }
  expect(await read).toEqual([])
  expect(turns).toBeGreaterThan(10)
})

test('a thread that still loads SQLite is not ended: the whole program would end with it', async () => {
  const { store } = await open(undefined, 0)
  const next = nextThread()
  // Answered or refused: a busy machine may load it before we close.
  const read = store.messages.list({ limit: 1 }).catch(() => [])
  const thread = await next
  const heard: string[] = []
  for (const name of ['message', 'exit']) thread.on(name, () => heard.push(name))
  await store.close()
  await read
  expect([heard[0], heard.at(-1)]).toEqual(['message', 'exit'])
})

test('a read sees what was written before it was asked for', async () => {
  const { store } = await open(undefined, 0)
  for (let n = 0; n < 20; n += 1) {
    const phone = `62812000${n}`
    await store.suppressions.put({ phone, senderId: null, scope: 'all', source: 'api', at: 1 }, null)
    expect((await store.suppressions.list({ limit: 1 })).map((row) => row.phone)).toEqual([phone])
  }
})

test('reads are answered in the order in which they were asked for', async () => {
  const { store } = await open()
  const order: string[] = []
  const note = (name: string) => () => void order.push(name)
  await Promise.all([
    store.messages.list(HUGE).then(note('huge')),
    store.messages.list({ limit: 1 }).then(note('small')),
    store.deliveries.list({ limit: 1 }).then(note('deliveries')),
  ])
  expect(order).toEqual(['huge', 'small', 'deliveries'])
})

test('a thread that ends in the middle: its read is refused with a reason, the next ones are answered', async () => {
  const { store } = await open()
  const next = nextThread()
  const read = store.messages.list(LONG)
  const waiting = store.messages.list({ limit: 1 })
  const thread = await next
  // A thread that still loads SQLite would end the whole program with it.
  await once(thread, 'message')
  void thread.terminate()
  await expect(read).rejects.toMatchObject({ problem: 'interrupted', message: expect.stringMatching(/Try again/) })
  expect(await waiting).toHaveLength(1)
  expect(await store.messages.list({ limit: 2 })).toHaveLength(2)
})

test('a fault of a read is its own: the thread goes on', async () => {
  const { store } = await open(undefined, 1)
  await expect(store.messages.list({ limit: Number.NaN, recipients: [{} as string] })).rejects.toThrow()
  expect(await store.messages.list({ limit: 1 })).toHaveLength(1)
})

test('closing ends what is being read, and the thread, before the files are free', async () => {
  let later = 0
  const { store } = await open(undefined, undefined, () => Date.now() + later)
  const thread = nextThread()
  const reads = [store.messages.list(LONG), store.messages.list({ limit: 1 })]
  const refused = Promise.allSettled(reads)
  let hasEnded = false
  ;(await thread).once('exit', () => {
    hasEnded = true
  })
  await store.close()
  expect(hasEnded).toBe(true)
  expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  later = MINUTE
  await expect(store.messages.list({ limit: 1 })).rejects.toMatchObject({ problem: 'interrupted' })
})

/** Begins a read, then `work`: gives their names in the order of the turns in which they end. */
async function beside(read: Promise<unknown>, work: () => Promise<unknown>): Promise<string[]> {
  const ended: string[] = []
  const note = (name: string) => () => void ended.push(name)
  // What else ends in this turn comes first.
  const noted = work().then(() => new Promise<void>((resolve) => process.nextTick(resolve)))
  await Promise.all([read.then(note('read')), noted.then(note('work'))])
  return ended
}

test('what is removed leaves the log once nobody reads: nothing stops for the reader', async () => {
  const { store, home } = await open()
  const log = join(home, 'kurir.db-wal')
  await store.messages.list({ limit: 1 })
  expect(statSync(log).size).toBeGreaterThan(0)
  expect(await beside(store.messages.list(HUGE), store.retention.scrub)).toEqual(['read', 'work'])
  expect(existsSync(log) ? statSync(log).size : 0).toBe(0)
})

test('secrets change their key once nobody reads, and reading goes on', async () => {
  const { store } = await open()
  await store.messages.list({ limit: 1 })
  const keys = { now: 'new', before: 'old' }
  const rotate = async () => store.sealed?.begin(keys, (sealed) => Buffer.from(sealed))
  expect(await beside(store.messages.list(HUGE), rotate)).toEqual(['read', 'work'])
  expect(await store.messages.list({ limit: 1 })).toHaveLength(1)
  expect(store.meta.get('data_key')).toBe('new')
})
