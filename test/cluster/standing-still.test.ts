import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Status } from '../../server/contract/messages.ts'
import { localDay, spanOfMonth, startOfDay } from '../../server/lib/local-time.ts'
import { StorageError } from '../../server/lib/storage-error.ts'
import { type Change, countSecondRoads, type KeyRow, openStore, type Store } from '../../server/store/index.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'

const DAY = 86_400_000
// Local noon, so that a day later is the next one wherever this runs.
const NOW = new Date(2026, 10, 21, 12).getTime()
const LATER = NOW + DAY

/**
 * Two nodes, of which the first one can be made to stand still in the middle of a transaction, as one that is frozen or cut
 * off: a trigger waits for a lock that the test has.
 */
async function cluster() {
  const databaseUrl = await databaseOf(temporaryFolder())
  const admin = new pg.Client({ connectionString: databaseUrl })
  const stores: Store[] = []
  const begun: Promise<unknown>[] = []
  async function join(node: string): Promise<Store> {
    const store = await openStore({ home: temporaryFolder(), databaseUrl, node, now: () => NOW })
    stores.push(store)
    return store
  }
  const first = await join('first')
  await admin.connect()
  const goOn = () => admin.query('SELECT pg_advisory_unlock_all()')
  onTestFinished(async () => {
    await goOn()
    await Promise.allSettled(begun)
    await Promise.all(stores.map((store) => store.close()))
    await admin.end()
  })
  const sender = { kind: 'linked', settings: FAST, state: 'connected', official: null, createdAt: 1 } as const
  const { id: senderId } = await first.senders.add({ ...sender, code: 'SND-1' })
  const endpoint = { url: 'http://127.0.0.1:9/', format: 'kurir', senderCodes: null, enabled: true, createdAt: 1 }
  const { id: endpointId } = await first.endpoints.add(
    { ...endpoint, events: ['message.sent', 'message.delivered'] },
    () => Buffer.of(1),
  )
  const second = await join('second')

  const waiting = async () =>
    (
      await admin.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' ORDER BY pid",
      )
    ).rows.map(({ query }) => query)

  await admin.query(`CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$`)

  return {
    ...{ first, second, senderId, endpointId, admin, goOn, waiting },
    async accept(...rows: Partial<Parameters<typeof newRow>[0]>[]) {
      for (const row of rows) {
        const accepted = await first.messages.accept(newRow({ senderId, ...row }), { unique: false })
        expect(accepted.kind).toBe('accepted')
      }
    },
    /** Begins `work`, which stands still where it comes to this. @param at such as `BEFORE INSERT ON events` */
    async standStill<T>(at: string, when: string, work: () => Promise<T>): Promise<{ done: Promise<T> }> {
      await admin.query('SELECT pg_advisory_lock(1)')
      const [kind, deferred] = at.startsWith('AFTER') ? ['CONSTRAINT', 'DEFERRABLE INITIALLY DEFERRED'] : ['', '']
      await admin.query(`CREATE ${kind} TRIGGER stand_still ${at} ${deferred} FOR EACH ROW WHEN (${when})
        EXECUTE FUNCTION stand_still()`)
      const done = work()
      begun.push(done)
      await eventually(async () => (await waiting()).length > 0)
      return { done }
    },
    /** What this resolves with, if it does so while the first node stands still. */
    async unhindered<T>(work: Promise<T>): Promise<T> {
      begun.push(work)
      const before = await waiting()
      let isOver = false
      const over = () => {
        isOver = true
      }
      work.then(over, over)
      await eventually(async () => isOver || (await waiting()).length > before.length)
      expect(await waiting()).toEqual(before)
      return work
    },
  }
}

const sent = (at = NOW): Change => ({ status: 'sent', at })

test('a node that stands still before its commit keeps no other one from storing a status', async () => {
  const { first, second, accept, standStill, unhindered, goOn, admin } = await cluster()
  await accept({ id: 'slow' }, { id: 'other' }, { id: 'third' })
  const counts = async (store: Store, since: number) => {
    const rows = await store.figures.of([{ since: startOfDay(since), until: startOfDay(since, 1) }])
    const of = (name: 'sent' | 'delivered' | 'read' | 'failed') =>
      rows.reduce((sum, row) => sum + row[`became_${name}`], 0)
    return { sent: of('sent'), delivered: of('delivered'), read: of('read'), failed: of('failed') }
  }
  const today = () => counts(second, NOW)
  const slow = await standStill('AFTER UPDATE ON messages', "NEW.id = 'slow'", () =>
    first.messages.change({ id: 'slow' }, () => sent()),
  )

  const change = (id: string, status: Status) => unhindered(second.messages.change({ id }, () => ({ status, at: NOW })))
  await change('other', 'read')
  await change('third', 'delivered')
  await change('third', 'failed')
  expect(await today()).toEqual({ sent: 1, delivered: 1, read: 1, failed: 1 })
  await goOn()
  await slow.done
  expect(await today()).toEqual({ sent: 2, delivered: 1, read: 1, failed: 1 })

  // What the first node has counted is taken back on the second one, on the day on which it was counted.
  await second.messages.change({ id: 'slow' }, () => ({ status: 'failed', at: LATER }))
  expect(await today()).toEqual({ sent: 1, delivered: 1, read: 1, failed: 1 })
  expect(await counts(first, LATER)).toEqual({ sent: 0, delivered: 0, read: 0, failed: 1 })
  // What was never counted is not taken from what others count.
  await admin.query('UPDATE figures SET became_read = 0')
  await second.messages.change({ id: 'other' }, () => ({ status: 'failed', at: LATER }))
  expect(await today()).toEqual({ sent: 0, delivered: 0, read: 0, failed: 1 })
})

test('a change that stands still before its commit keeps no accept of its node waiting, for the same number', async () => {
  const { first, senderId, accept, standStill, unhindered, goOn } = await cluster()
  await accept({ id: 'slow', createdAt: NOW })
  const slow = await standStill('AFTER UPDATE ON messages', "NEW.id = 'slow'", () =>
    first.messages.change({ id: 'slow' }, () => sent()),
  )
  const row = newRow({ id: 'other', senderId, createdAt: NOW })
  expect((await unhindered(first.messages.accept(row, { unique: false }))).kind).toBe('accepted')
  await goOn()
  await slow.done
  expect(await first.figures.of([{ since: startOfDay(NOW), until: LATER }])).toMatchObject([{ queued: 1, sent: 1 }])
})

test('rows that messages share are written last: a node that stands still before that keeps nobody waiting', async () => {
  const { first, second, senderId, accept, standStill, unhindered, goOn } = await cluster()
  const yesterday = { since: startOfDay(NOW, -1), until: startOfDay(NOW) }
  const created = { createdAt: NOW - DAY, nextAt: null, status: 'sending' } as const
  await accept({ id: 'slow', ...created }, { id: 'other', ...created })
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
  const month = localDay(NOW).slice(0, 7)
  const delivered: Change = {
    ...{ status: 'delivered', at: NOW, pricing },
    also: [
      { kind: 'second_road', month, by: 1 },
      { kind: 'sending_state', update: (state) => ({ ...state, sentOnDay: state.sentOnDay + 1 }) },
    ],
  }
  const slow = await standStill('BEFORE INSERT ON webhook_deliveries', "NEW.state = 'pending'", () =>
    first.messages.change({ id: 'slow' }, () => delivered),
  )
  await unhindered(second.messages.change({ id: 'other' }, () => ({ ...delivered, status: 'read' })))
  await goOn()
  await slow.done
  expect(await second.figures.of([yesterday])).toMatchObject([{ sending: 0, delivered: 1, read: 1 }])
  expect(await second.figures.billed(spanOfMonth(month))).toEqual([{ senderId, pricing, count: 2 }])
  expect(await countSecondRoads(second.figures, senderId, month)).toBe(2)
  expect((await second.sendingState.get(senderId)).sentOnDay).toBe(2)
})

test('a node that stands still while it notes how an endpoint is keeps no status from its callbacks', async () => {
  const { first, second, endpointId, accept, standStill, unhindered, goOn } = await cluster()
  await accept({ id: 'other' })
  const slow = await standStill('BEFORE UPDATE ON webhook_endpoints', 'true', () =>
    first.endpoints.change(endpointId, () => ({ lastError: 'answered 500' })),
  )
  const changed = await unhindered(second.messages.change({ id: 'other' }, () => sent()))
  expect(changed?.endpoints).toEqual([endpointId])
  await goOn()
  await slow.done
})

test('a node that stands still while it notes the state of a number keeps no other one from accepting for it', async () => {
  const { first, second, senderId, standStill, unhindered, goOn } = await cluster()
  const slow = await standStill('BEFORE UPDATE ON senders', 'true', () =>
    first.senders.change(senderId, () => ({ state: 'connecting', since: NOW })),
  )
  expect((await unhindered(second.messages.accept(newRow({ senderId }), { unique: false }))).kind).toBe('accepted')
  await goOn()
  await slow.done
})

test('a number is deleted when the accepts that have found it are over', async () => {
  const { first, second, senderId, waiting, standStill, goOn } = await cluster()
  const accept = () => first.messages.accept(newRow({ id: 'slow', senderId }), { unique: false })
  const slow = await standStill('BEFORE INSERT ON messages', "NEW.id = 'slow'", accept)
  let isRemoved = false
  const removed = second.senders.remove(senderId, NOW).then(() => {
    isRemoved = true
  })
  await eventually(async () => isRemoved || (await waiting()).length === 2)
  expect(isRemoved).toBe(false)
  await goOn()
  expect((await slow.done).kind).toBe('accepted')
  await removed
})

test('a node that stands still while it puts messages into the index of words keeps no status from them', async () => {
  const { first, second, accept, standStill, unhindered, goOn } = await cluster()
  await accept({ id: 'other', body: 'Terima kasih' })
  const slow = await standStill('BEFORE INSERT ON messages_words', 'true', () => first.search.step())
  await unhindered(second.messages.change({ id: 'other' }, () => sent()))
  await goOn()
  await slow.done
  expect((await first.messages.list({ text: 'terima', limit: 5 })).map(({ id }) => id)).toEqual(['other'])
})

test('of a message that is removed while it is put into the index of words nothing stays there', async () => {
  const { first, second, admin, accept, waiting, standStill, goOn } = await cluster()
  await accept({ id: 'old', createdAt: NOW - 9 * DAY, nextAt: null, status: 'sent' }, { id: 'new' })
  const slow = await standStill('BEFORE INSERT ON messages_words', 'true', () => first.search.step())
  const removed = second.retention.removeBefore({ ms: NOW - DAY, silent: NOW - DAY }, 10)
  await eventually(async () => (await waiting()).length === 2)
  await goOn()
  await slow.done
  expect(await removed).toBe(1)
  const { rows } = await admin.query('SELECT m.id FROM messages_words w LEFT JOIN messages m ON m.seq = w.rowid')
  expect(rows).toEqual([{ id: 'new' }])
})

test('a node that stands still while it accepts a message with a file keeps no other one from accepting that file', async () => {
  const { first, second, senderId, standStill, unhindered, goOn } = await cluster()
  const file = { id: 'menu', keyNumber: null, name: 'a.pdf', mimetype: 'application/pdf', kind: 'document' } as const
  await first.uploads.add({ ...file, size: 1, sha256: '', createdAt: NOW, expiresAt: LATER })
  const accept = (store: Store, id: string) =>
    store.messages.accept(newRow({ id, senderId, file: 'upload:menu' }), { unique: false })
  const slow = await standStill('BEFORE INSERT ON messages', "NEW.id = 'slow'", () => accept(first, 'slow'))
  expect((await unhindered(accept(second, 'other'))).kind).toBe('accepted')
  await goOn()
  expect((await slow.done).kind).toBe('accepted')
})

test('a file whose message is just being accepted is not discarded, as where a node does not know what became of it', async () => {
  const { first, second, senderId, waiting, standStill, goOn } = await cluster()
  const file = { id: 'menu', keyNumber: null, name: 'a.pdf', mimetype: 'application/pdf', kind: 'document' } as const
  await first.uploads.add({ ...file, size: 1, sha256: '', createdAt: NOW, expiresAt: LATER })
  const row = newRow({ id: 'slow', senderId, file: 'upload:menu' })
  const slow = await standStill('AFTER INSERT ON messages', "NEW.id = 'slow'", () =>
    first.messages.accept(row, { unique: false }),
  )
  const discarded = second.uploads.remove('menu')
  await eventually(async () => (await waiting()).length === 2)
  await goOn()
  expect((await slow.done).kind).toBe('accepted')
  await discarded
  expect(await second.uploads.get('menu')).toMatchObject(file)
})

/** Two keys that refuse repeats. */
async function addKeys(store: Store): Promise<KeyRow[]> {
  const key = { kind: 'global', senderId: null, hint: '', refuseDuplicateReference: true, createdAt: 1 } as const
  const more = { scopes: 'all' as const, refuseDuplicateContentSeconds: null, rateLimit: null, expiresAt: null }
  const add = (n: number) => store.keys.add({ ...key, ...more, id: `k${n}`, name: `${n}`, hash: Buffer.of(n) })
  return [await add(1), await add(2)]
}

const acceptOnce = (store: Store, row: Parameters<typeof newRow>[0]) =>
  store.messages.accept(newRow({ keyNumber: 1, ...row }), { unique: true, sameContentSince: 1 })

test.each([
  ['before it has written it', 'BEFORE INSERT ON messages'],
  ['before its commit', 'AFTER INSERT ON messages'],
])(
  'a node that stands still with a message that must not come twice, %s, keeps only its repeats waiting',
  async (_when, at) => {
    const { first, second, senderId, waiting, standStill, unhindered, goOn } = await cluster()
    await addKeys(first)
    const slow = { id: 'slow', senderId, referenceId: 'INV-1', body: 'paid' }
    const { done } = await standStill(at, "NEW.id = 'slow'", () => acceptOnce(first, slow))
    const others = [
      { ...slow, id: 'other text', referenceId: 'INV-2', body: 'due' },
      { ...slow, id: 'to another one', referenceId: 'INV-3', recipient: '6281200000002' },
      { ...slow, id: 'of another key', keyNumber: 2, body: 'of another key' },
    ]
    for (const other of others) expect((await unhindered(acceptOnce(second, other))).kind).toBe('accepted')
    const before = (await waiting()).length
    const repeats = Promise.all([
      acceptOnce(second, { ...slow, id: 'same reference', body: 'paid, thank you' }),
      acceptOnce(second, { ...slow, id: 'same text', referenceId: 'INV-4' }),
    ])
    await eventually(async () => (await waiting()).length === before + 2)
    await goOn()
    expect((await done).kind).toBe('accepted')
    expect(await repeats).toEqual([
      { kind: 'duplicate_reference', id: 'slow' },
      { kind: 'duplicate_content', id: 'slow' },
    ])
  },
)

test('what a node was about to accept when it was gone may be accepted by another one', async () => {
  const { first, second, senderId, admin, waiting, standStill } = await cluster()
  await addKeys(first)
  const slow = { id: 'slow', senderId, referenceId: 'INV-1' }
  const { done } = await standStill('BEFORE INSERT ON messages', "NEW.id = 'slow'", () => acceptOnce(first, slow))
  const repeated = acceptOnce(second, { ...slow, id: 'repeated' })
  await eventually(async () => (await waiting()).length === 2)
  const lost = expect(done).rejects.toThrow(StorageError)
  // The other one waits for the name of its reference.
  await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event_type = 'Lock' AND wait_event = 'advisory' AND query LIKE 'INSERT INTO messages%'`)
  await lost
  expect((await repeated).kind).toBe('accepted')
})

test('the use of a key is noted, whoever holds another one', async () => {
  const { first, second, admin, standStill, goOn } = await cluster()
  const keys = await addKeys(first)
  const slow = await standStill('BEFORE UPDATE ON api_keys', 'NEW.revoked_at IS NOT NULL', () =>
    first.keys.revoke('k1', NOW),
  )
  const noted = second.keys.markUsed(new Map(keys.map(({ number }) => [number, NOW])))
  const used = 'SELECT id FROM api_keys WHERE last_used_at IS NOT NULL ORDER BY id'
  await eventually(async () => (await admin.query(used)).rowCount === 1)
  expect((await admin.query(used)).rows).toEqual([{ id: 'k2' }])
  await goOn()
  await Promise.all([slow.done, noted])
  expect((await admin.query(used)).rows).toEqual([{ id: 'k1' }, { id: 'k2' }])
})
