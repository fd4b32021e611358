import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type AcceptOptions, type IdempotencyRecord, openStore, type Store } from '../../server/store/index.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'

type Row = ReturnType<typeof newRow>

async function cluster() {
  const databaseUrl = await databaseOf(temporaryFolder())
  const admin = new pg.Client({ connectionString: databaseUrl })
  async function join(node: string): Promise<Store> {
    const store = await openStore({ home: temporaryFolder(), databaseUrl, node, now: Date.now })
    onTestFinished(store.close)
    return store
  }
  const store = await join('first')
  await admin.connect()
  onTestFinished(() => admin.end())
  const sender = { kind: 'linked', settings: FAST, state: 'connected', official: null, createdAt: 1 } as const
  const { id: senderId } = await store.senders.add({ ...sender, code: 'SND-1' })
  const row = (id: string, more: Partial<Row> = {}) => newRow({ id, senderId, ...more })
  const transactions = async () => (await admin.query('SELECT xmin FROM messages GROUP BY xmin')).rowCount ?? 0
  const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return {
    store,
    join,
    senderId,
    row,
    admin,
    transactions,
    someoneWaits: async () => (await admin.query(waits)).rowCount,
  }
}

const record = (key: string): IdempotencyRecord => ({
  scope: 'till /send',
  key,
  hash: Buffer.alloc(32, 1),
  since: 0,
  answer: { status: 200, body: '{}' },
})
/** The first key, which refuses repeats. */
const addKey = (store: Store) =>
  store.keys.add({
    ...{ id: 'k1', kind: 'global', name: 'till', senderId: null, hash: Buffer.of(1), hint: '', createdAt: 1 },
    ...{ refuseDuplicateReference: true, refuseDuplicateContentSeconds: 60, rateLimit: null, expiresAt: null },
    scopes: 'read' as const,
  })
const PLAIN: AcceptOptions = { unique: false }
const names = (count: number) => Array.from({ length: count }, (_, n) => `m${String(n).padStart(2, '0')}`)

test('accepts of one moment share a transaction, and each is answered with its own message, in their order', async () => {
  const { store, row, transactions } = await cluster()
  const ids = names(40)
  const results = await Promise.all(ids.map((id) => store.messages.accept(row(id, { body: `text of ${id}` }), PLAIN)))
  const found = await Promise.all(
    results.map((result) => store.messages.find({ seq: result.kind === 'accepted' ? result.seq : 0 })),
  )
  expect(found.map((message) => message?.id)).toEqual(ids)
  expect(found.map((message) => message?.body)).toEqual(ids.map((id) => `text of ${id}`))
  expect((await store.messages.after(0, 100)).map(({ id }) => id)).toEqual(ids)
  expect(await transactions()).toBeLessThan(4)
})

test('what they write is what each would have written alone: all columns, all characters, and what belongs to it', async () => {
  const { store, senderId, row, transactions, admin } = await cluster()
  const texts = [`"it's" \\ {a,b} \n\t`, 'half \ud83d, whole 😀', 'NUL \0.', '{"n":1}', '']
  const more: Partial<Row> = {
    ...{
      filename: 'a "b".pdf',
      file: 'https://example.org/a.pdf',
      metadata: '{"a":12345678901234567890}',
      keyNumber: 7,
    },
    ...{ unknownMembers: ['x'], template: { name: 't', language: 'id', components: [] }, referenceId: 'R' },
    ...{ priority: 'high', purpose: 'marketing', providerMessageId: 'wamid.1', attemptBegins: true, nextAt: null },
  }
  const both = async (how: string, accept: (rows: Row[]) => Promise<unknown>) => {
    await accept(texts.map((body, n) => row(`${how} ${n}`, { createdAt: 1_000, body, ...(n > 0 ? more : {}) })))
    const messages = await Promise.all(texts.map((_, n) => store.messages.find({ id: `${how} ${n}` })))
    const seqs = messages.map((message) => message?.seq ?? 0)
    return {
      messages: messages.map((message) => ({ ...message, id: '', seq: 0 })),
      attempts: await Promise.all(seqs.map((seq) => store.messages.attempts(seq))),
    }
  }
  const alone = await both('alone', async (rows) => {
    for (const each of rows) await store.messages.accept(each, PLAIN)
  })
  expect(await transactions()).toBe(texts.length)
  const together = await both('together', (rows) => Promise.all(rows.map((each) => store.messages.accept(each, PLAIN))))
  expect(together).toEqual(alone)
  expect(together.messages[1]).toMatchObject({ body: 'half \ufffd, whole 😀', senderId, template: more.template })
  expect(await transactions()).toBeLessThan(texts.length + 4)
  const apart = 'SELECT 1 FROM messages m JOIN message_attempts a ON a.message_seq = m.seq WHERE a.xmin <> m.xmin'
  expect((await admin.query(apart)).rowCount).toBe(0)
})

test('one that is refused or fails takes none of its neighbours down', async () => {
  const { store, senderId, row, transactions } = await cluster()
  const { id: gone } = await store.senders.add({
    ...{ code: 'SND-2', kind: 'linked', settings: FAST, state: 'connected', official: null, createdAt: 1 },
  })
  await store.senders.remove(gone, 1)
  await store.suppressions.put({ phone: '628999', senderId: null, scope: 'all', source: 'owner', at: 1 }, null)
  const results = await Promise.allSettled([
    store.messages.accept(row('a'), PLAIN),
    store.messages.accept(row('to nobody', { senderId: gone, laneId: gone }), PLAIN),
    store.messages.accept(row('unwanted', { recipient: '628999' }), PLAIN),
    store.messages.accept(row('no such status', { channel: 'pigeon' as 'standard' }), PLAIN),
    store.messages.accept(row('b'), PLAIN),
  ])
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value.kind : 'failed'))).toEqual([
    'accepted',
    'sender_deleted',
    'opted_out',
    'failed',
    'accepted',
  ])
  expect((await store.messages.after(0, 10)).map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
  expect(await transactions(), 'each of them by itself').toBe(2)
  expect(store.queues.waiting(senderId)).toBe(2)
})

test('of those that are the same one is accepted, also where they come in one moment', async () => {
  const { store, row } = await cluster()
  const unique = { unique: true }
  const content = { unique: false, sameContentSince: 1 }
  const accept = (id: string, more: Partial<Row>, options: AcceptOptions) =>
    store.messages.accept(row(id, more), options)
  const results = await Promise.all([
    accept('a', { keyNumber: 1, referenceId: 'R1' }, unique),
    accept('b', { keyNumber: 1, referenceId: 'R1' }, unique),
    accept('c', { keyNumber: 1, referenceId: 'R2' }, unique),
    accept('d', { keyNumber: 1, recipient: '62811', body: 'same' }, content),
    accept('e', { keyNumber: 1, recipient: '62811', body: 'same' }, content),
    accept('f', { keyNumber: 1, recipient: '62811', body: 'other' }, content),
    accept('g', {}, { unique: false, idempotency: record('k') }),
    accept('h', {}, { unique: false, idempotency: record('k') }),
  ])
  expect(results.map(({ kind }) => kind)).toEqual([
    ...['accepted', 'duplicate_reference', 'accepted'],
    ...['accepted', 'duplicate_content', 'accepted'],
    ...['accepted', 'key_in_use'],
  ])
})

/** As another node that has stopped in the middle of a transaction in which it accepted something with this key. */
const hold = (admin: pg.Client, key: string) =>
  admin.query(
    `INSERT INTO idempotency (scope, key, body_hash, message_id, created_at) VALUES ('till /send', $1, '', 'other', $2)
     ON CONFLICT DO NOTHING`,
    [key, Date.now()],
  )

test('one that has to wait for another node keeps nobody else waiting', async () => {
  const { store, row, admin, someoneWaits } = await cluster()
  await admin.query('BEGIN')
  await hold(admin, 'held')
  let isAnswered = false
  const waits = store.messages.accept(row('waits'), { unique: false, idempotency: record('held') }).finally(() => {
    isAnswered = true
  })
  const others = names(20).map((id) =>
    store.messages.accept(row(id), { unique: false, idempotency: record(`key of ${id}`) }),
  )
  for (const { kind } of await Promise.all(others)) expect(kind).toBe('accepted')
  expect((await store.messages.accept(row('later'), PLAIN)).kind).toBe('accepted')
  await eventually(async () => (await someoneWaits()) === 1)
  expect(isAnswered).toBe(false)
  await admin.query('COMMIT')
  expect((await waits).kind).toBe('key_in_use')
})

test('of two transactions that wait for each other the shared one gives way, before the server has to end one', async () => {
  const { store, row, admin } = await cluster()
  await admin.query('BEGIN')
  await hold(admin, 'first')
  const accepts = Promise.all(
    ['second', 'first', 'third'].map((key) =>
      store.messages.accept(row(key), { unique: false, idempotency: record(key) }),
    ),
  )
  const blocked = 'SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))'
  await eventually(async () => (await admin.query(blocked)).rowCount === 1)
  await hold(admin, 'second')
  await admin.query('COMMIT')
  const kinds = (await accepts).map(({ kind }) => kind)
  expect([kinds[1], kinds[2]]).toEqual(['key_in_use', 'accepted'])
  const { rows } = await admin.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
  expect(Number(rows[0]?.deadlocks)).toBe(0)
})

test('two nodes that get the same calls in opposite order write each once', async () => {
  const { store, join, row } = await cluster()
  const other = await join('second')
  const ids = names(50)
  const accept = (to: Store, name: string) => (id: string) =>
    to.messages.accept(row(`${id} at ${name}`), { unique: false, idempotency: record(id) })
  for (let round = 0; round < 4; round += 1) {
    const mine = ids.map((id) => `${round} ${id}`)
    const results = await Promise.all([
      ...mine.map(accept(store, 'first')),
      ...mine.toReversed().map(accept(other, 'second')),
    ])
    expect(results.filter(({ kind }) => kind === 'accepted').length).toBe(ids.length)
    expect(results.filter(({ kind }) => kind === 'key_in_use').length).toBe(ids.length)
  }
})

test('of what must not come twice two nodes accept one each, whichever of them is first', async () => {
  const { store, join, row } = await cluster()
  await addKey(store)
  const other = await join('second')
  const ids = names(50)
  const once = { unique: true, sameContentSince: 1 }
  type What = (id: string, name: string) => Partial<Row>
  const accept = (to: Store, name: string, what: What) => (id: string) =>
    to.messages.accept(row(`${id} at ${name}`, { keyNumber: 1, ...what(id, name) }), once)
  const both = async (of: string, what: What) => {
    const mine = ids.map((id) => `${of} ${id}`)
    const results = await Promise.all([
      ...mine.map(accept(store, 'first', what)),
      ...mine.toReversed().map(accept(other, 'second', what)),
    ])
    const kinds = Object.entries(Object.groupBy(results, ({ kind }) => kind))
    return Object.fromEntries(kinds.map(([kind, { length }]) => [kind, length]))
  }
  expect(await both('reference', (id, name) => ({ referenceId: id, body: `${id} at ${name}` }))).toEqual({
    accepted: ids.length,
    duplicate_reference: ids.length,
  })
  expect(await both('content', (id) => ({ body: id }))).toEqual({
    accepted: ids.length,
    duplicate_content: ids.length,
  })
})

test('of two nodes that get the same call the second one finds its idempotency key, and not its own reference', async () => {
  const { store, join, row } = await cluster()
  await addKey(store)
  const other = await join('second')
  const once = { unique: true, sameContentSince: 1 }
  for (const id of names(20)) {
    const accept = (to: Store, name: string) =>
      to.messages.accept(row(`${id} at ${name}`, { keyNumber: 1, referenceId: id, body: id }), {
        ...once,
        idempotency: record(id),
      })
    const kinds = (await Promise.all([accept(store, 'first'), accept(other, 'second')])).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['accepted', 'key_in_use'])
  }
})
