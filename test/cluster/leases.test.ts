import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { ApiError } from '../../server/contract/errors.ts'
import type { SharedStore } from '../../server/store/index.ts'
import { databaseOf, openShared } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'

const FACTS = { url: null, version: 'test', startedAt: 0 }

async function cluster(senders: number) {
  const databaseUrl = await databaseOf(temporaryFolder())
  const admin = new pg.Client({ connectionString: databaseUrl })
  async function join(node: string): Promise<SharedStore> {
    const store = await openShared({ home: temporaryFolder(), databaseUrl, node, now: Date.now })
    onTestFinished(store.close)
    return store
  }
  const first = await join('first')
  await admin.connect()
  onTestFinished(() => admin.end())
  const ids: number[] = []
  for (let n = 1; n <= senders; n += 1) {
    const sender = { kind: 'linked', settings: FAST, state: 'connected', official: null, createdAt: 1 } as const
    ids.push((await first.senders.add({ ...sender, code: `SND-${n}` })).id)
  }
  /** As after 15 s in which a node said nothing. */
  const silence = async (node: string) => {
    await admin.query("UPDATE sender_leases SET until = now() - interval '1 s' WHERE node = $1", [node])
    await admin.query("UPDATE nodes SET seen_at = now() - interval '1 hour' WHERE name = $1", [node])
  }
  return { first, join, ids, silence, admin }
}

test('a node alone holds every sender; with a second one each holds its share', async () => {
  const { first, join, ids } = await cluster(4)
  expect(await first.nodes.renew(FACTS)).toEqual(ids)
  const second = await join('second')
  expect(await second.nodes.renew(FACTS)).toEqual([])
  expect(await first.nodes.surplus()).toBe(2)
  for (const id of ids.slice(2)) await first.nodes.release(id)
  expect((await second.nodes.renew(FACTS)).toSorted((a, b) => a - b)).toEqual(ids.slice(2))
  expect(await first.nodes.renew(FACTS)).toEqual(ids.slice(0, 2))
  expect(await first.nodes.surplus()).toBe(0)
  expect((await first.nodes.list()).map(({ name, senders, alive }) => [name, senders, alive])).toEqual([
    ['first', 2, true],
    ['second', 2, true],
  ])
})

test('a node takes beyond its share what the others leave: they may be gone and not be missed yet', async () => {
  const { first, join, ids, silence, admin } = await cluster(6)
  await first.nodes.renew(FACTS)
  const second = await join('second')
  const third = await join('third')
  for (const node of [second.nodes, third.nodes]) await node.renew(FACTS)
  await silence('first')
  expect((await third.nodes.renew(FACTS)).length, 'the second one seems to be there').toBe(3)
  await admin.query("UPDATE sender_leases SET until = until - interval '8 s' WHERE node = 'first'")
  expect((await third.nodes.renew(FACTS)).toSorted((a, b) => a - b)).toEqual(ids)
  expect(await third.nodes.surplus()).toBe(3)
})

test('what is given back while the leases are renewed is not held', async () => {
  const { first, ids } = await cluster(1)
  const [senderId = 0] = ids
  await first.nodes.renew(FACTS)
  const renewed = first.nodes.renew(FACTS)
  await first.nodes.release(senderId)
  await renewed
  expect(first.nodes.holds(senderId)).toBe(false)
  expect(await first.nodes.renew(FACTS), 'nobody else wants it').toEqual([senderId])
})

test('two nodes that look at the same moment never hold one sender both', async () => {
  const { first, join, ids } = await cluster(12)
  const others = [await join('second'), await join('third')]
  const nodes = [first, ...others].map((store) => store.nodes)
  for (let round = 0; round < 5; round += 1) {
    const held = await Promise.all(nodes.map((node) => node.renew(FACTS)))
    expect(new Set(held.flat()).size).toBe(held.flat().length)
  }
  expect((await Promise.all(nodes.map((node) => node.renew(FACTS)))).flat().toSorted((a, b) => a - b)).toEqual(ids)
})

test('what a node writes for a sender that moved on is refused, and changes nothing', async () => {
  const { first, join, ids, silence } = await cluster(1)
  const [senderId = 0] = ids
  await first.nodes.renew(FACTS)
  await first.messages.accept(newRow({ id: 'a', senderId }), { unique: false })
  await first.nodes.fenced.changeMessage({ id: 'a' }, () => ({ status: 'sending', at: 1, attemptBegins: true }))
  await first.sessions.setKeys(senderId, [{ type: 'session', id: 's', value: Buffer.from('1') }])

  await silence('first')
  const second = await join('second')
  expect(await second.nodes.renew(FACTS)).toEqual([senderId])
  expect(second.nodes.counts()).toMatchObject({ leases: 1, takenOver: 1 })

  // It was frozen, and does not know yet.
  expect(first.nodes.holds(senderId)).toBe(true)
  const late = first.nodes.fenced.changeMessage({ id: 'a' }, () => ({ status: 'sent', at: 2, nextAt: null }))
  await expect(late).rejects.toThrow(/Another node sends for this sender/)
  const lateKey = first.sessions.setKeys(senderId, [{ type: 'session', id: 's', value: Buffer.from('2') }])
  await expect(lateKey).rejects.toThrow(/Another node sends for this sender/)
  expect(first.nodes.counts().fenced).toBe(2)
  expect(first.problem(), 'the database is well').toBeNull()

  expect(await second.messages.find({ id: 'a' })).toMatchObject({ status: 'sending' })
  expect(await second.sessions.getKey(senderId, 'session', 's')).toEqual(Buffer.from('1'))
  await second.nodes.fenced.changeMessage({ id: 'a' }, () => ({ status: 'sent', at: 3, nextAt: null }))
  expect(await first.nodes.renew(FACTS)).toEqual([])
  expect(first.nodes.holds(senderId)).toBe(false)
})

test('a read of session keys finds what was written before it', async () => {
  const { first, ids } = await cluster(1)
  const [senderId = 0] = ids
  await first.nodes.renew(FACTS)
  const key = { type: 'session', id: 's' }
  for (const value of ['1', '2', '3'].map((text) => Buffer.from(text))) {
    const written = first.sessions.setKeys(senderId, [{ ...key, value }])
    expect(await first.sessions.getKey(senderId, key.type, key.id)).toEqual(value)
    await written
  }
})

test('a take-over waits for what the former holder is about to commit; a renewal does not', async () => {
  const { first, join, ids, silence, admin } = await cluster(1)
  await first.nodes.renew(FACTS)
  await admin.query('BEGIN')
  await admin.query('SELECT 1 FROM sender_leases FOR KEY SHARE')
  expect(await first.nodes.renew(FACTS)).toEqual(ids)
  const second = await join('second')
  await admin.query('COMMIT')
  await silence('first')
  await admin.query('BEGIN')
  await admin.query('SELECT 1 FROM sender_leases FOR KEY SHARE')
  expect(await second.nodes.renew(FACTS)).toEqual([])
  await admin.query('COMMIT')
  expect(await second.nodes.renew(FACTS)).toEqual(ids)
})

test('a text may hold any character but NUL, which is taken out', async () => {
  const { first, ids } = await cluster(1)
  await first.messages.accept(newRow({ id: 'a', senderId: ids[0] ?? 0, body: 'a\0b \ud83c\udf89' }), { unique: false })
  expect((await first.messages.find({ id: 'a' }))?.body).toBe('ab \ud83c\udf89')
})

test('anybody may cancel what waits, whichever node holds the sender', async () => {
  const { first, join, ids } = await cluster(1)
  await first.nodes.renew(FACTS)
  const second = await join('second')
  await first.messages.accept(newRow({ id: 'a', senderId: ids[0] ?? 0 }), { unique: false })
  await second.messages.change({ id: 'a' }, () => ({ status: 'cancelled', at: 1, nextAt: null }))
  expect(await first.messages.find({ id: 'a' })).toMatchObject({ status: 'cancelled' })
})

test('a second node with the name of one that runs does not start; one that was replaced takes nothing back', async () => {
  const { first, join, ids, silence } = await cluster(1)
  await first.nodes.renew(FACTS)
  let joined = false
  const refused = expect(join('first')).rejects.toThrow(/Another node with this name is running/)
  void refused.finally(() => {
    joined = true
  })
  while (!joined) await first.nodes.renew(FACTS)
  await refused

  // It is frozen, and its supervisor starts another one.
  await silence('first')
  const again = await join('first')
  expect(await again.nodes.renew(FACTS)).toEqual(ids)
  await expect(first.nodes.renew(FACTS)).rejects.toThrow(/Another node with this name is running/)
  const late = first.sessions.setKeys(ids[0] ?? 0, [{ type: 'session', id: 's', value: Buffer.from('2') }])
  await expect(late).rejects.toThrow(/Another node sends for this sender/)
  await first.nodes.leave()
  expect(await again.nodes.renew(FACTS)).toEqual(ids)
})

test('a node that leaves gives its senders back at once', async () => {
  const { first, join, ids } = await cluster(3)
  await first.nodes.renew(FACTS)
  const second = await join('second')
  await first.nodes.leave()
  expect(await second.nodes.renew(FACTS)).toEqual(ids)
  expect((await second.nodes.list()).map(({ name }) => name)).toEqual(['second'])
})

test('a callback that was taken makes no node read its endpoints again', async () => {
  const { first, admin } = await cluster(0)
  const endpoint = { url: 'http://127.0.0.1:9/', format: 'kurir', senderCodes: null, enabled: true, createdAt: 1 }
  const { id } = await first.endpoints.add({ ...endpoint, events: ['message.sent'] }, () => Buffer.from('s'))
  const versions = async () => (await admin.query('SELECT name, version FROM table_versions ORDER BY name')).rows
  const before = await versions()
  await first.events.addFor(id, { type: 'message.sent', messageSeq: null, senderCode: null, at: 1, data: {} })
  const [due] = await first.deliveries.due(id, Date.now() + 1_000, 1)
  const attempt = { at: 5, status: 200, tookMs: 1, body: null, error: null, errorCode: null }
  await first.deliveries.record(due ?? expect.unreachable(), attempt, { state: 'delivered' })
  expect(await first.deliveries.lastDelivered(id)).toBe(5)
  expect(await versions()).toEqual(before)
})

test('a callback that falls due is claimed by one node', async () => {
  const { first, join, silence } = await cluster(0)
  const second = await join('second')
  for (const { nodes } of [first, second]) await nodes.renew(FACTS)
  const endpoint = { url: 'http://127.0.0.1:9/', format: 'kurir', senderCodes: null, enabled: true, createdAt: 1 }
  const { id } = await first.endpoints.add({ ...endpoint, events: ['message.sent'] }, () => Buffer.from('s'))
  const event = { type: 'message.sent', messageSeq: null, senderCode: null, at: 1, data: {} } as const
  for (let n = 0; n < 20; n += 1) await first.events.addFor(id, event)
  const now = Date.now() + 1_000
  const [mine, theirs] = await Promise.all([first.deliveries.due(id, now, 8), second.deliveries.due(id, now, 8)])
  expect([mine.length, theirs.length]).toEqual([8, 8])
  expect(new Set([...mine, ...theirs].map((row) => row.id)).size).toBe(16)
  expect((await first.deliveries.due(id, now, 8)).map((row) => row.id)).toEqual(mine.map((row) => row.id))
  expect((await second.deliveries.due(id, now, 20)).length, 'what the other one has is left alone').toBe(12)
  expect(await second.deliveries.nextAfter(id, now), 'until its call is over').toBe(now + 20_000)
  const later = now + 20_000
  expect((await second.deliveries.due(id, later, 30)).length, 'the other one lives').toBe(12)
  expect(await second.deliveries.nextAfter(id, later), 'and may be gone soon').toBe(later + 5_000)
  await silence('first')
  expect((await second.deliveries.due(id, later - 1, 30)).length, 'its calls may be on their way').toBe(12)
  expect((await second.deliveries.due(id, later, 30)).length).toBe(20)
})

test('what one node changes the others know within a second or two: keys, endpoints, senders, settings', async () => {
  const { first, join, ids } = await cluster(1)
  const second = await join('second')
  const changed = Promise.withResolvers<readonly string[]>()
  second.nodes.onChange((tables) => tables.includes('api_keys') && changed.resolve(tables))
  const hash = Buffer.alloc(32, 7)
  await first.senders.change(ids[0] ?? 0, () => ({ paused: true }))
  await first.settings.save({ retention_days: 5 })
  await first.keys.add({
    id: 'k',
    kind: 'global',
    name: 'till',
    senderId: null,
    hash,
    hint: 'abcd',
    refuseDuplicateReference: false,
    refuseDuplicateContentSeconds: null,
    scopes: 'all',
    rateLimit: null,
    createdAt: 1,
    expiresAt: null,
  })
  await changed.promise
  expect(second.keys.byHash(hash)).toMatchObject({ id: 'k', revokedAt: null })
  expect(second.senders.get(ids[0] ?? 0)?.paused).toBe(true)
  expect(second.settings.all()).toMatchObject({ retention_days: 5 })
})

test('what a decision inside of a transaction refuses comes out as it is, and changes nothing', async () => {
  const { first, ids } = await cluster(1)
  const refuse = () => {
    throw new ApiError('conflict', 'It may not be.')
  }
  await expect(first.senders.change(ids[0] ?? 0, refuse)).rejects.toThrow('It may not be.')
  expect(first.problem()).toBe(null)
  await first.senders.change(ids[0] ?? 0, () => ({ paused: true }))
  expect(first.senders.get(ids[0] ?? 0)?.paused).toBe(true)
})

test('two calls with one idempotency key on two nodes: one is written', async () => {
  const { first, join, ids } = await cluster(1)
  const second = await join('second')
  const idempotency = { scope: 'till /send', key: 'k', hash: Buffer.alloc(32, 1), since: 0, answer: null }
  for (let round = 0; round < 10; round += 1) {
    const options = { unique: false, idempotency: { ...idempotency, key: `k${round}` } }
    const answers = await Promise.all(
      [first, second].map((store) => store.messages.accept(newRow({ senderId: ids[0] ?? 0 }), options)),
    )
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'key_in_use'])
  }
})

test('two accepts with one reference of a key that refuses a second: one is written', async () => {
  const { first, join, ids } = await cluster(1)
  const second = await join('second')
  const key = { kind: 'global', name: 'till', senderId: null, hint: 'abcd', rateLimit: null, expiresAt: null } as const
  const { number } = await first.keys.add({
    ...key,
    id: 'k',
    hash: Buffer.alloc(32, 7),
    refuseDuplicateReference: true,
    refuseDuplicateContentSeconds: null,
    scopes: 'all',
    createdAt: 1,
  })
  for (let round = 0; round < 10; round += 1) {
    const row = () => newRow({ senderId: ids[0] ?? 0, referenceId: `INV-${round}`, keyNumber: number })
    const answers = await Promise.all([first, second].map((store) => store.messages.accept(row(), { unique: true })))
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate_reference'])
  }
})
