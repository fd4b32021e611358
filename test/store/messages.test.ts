import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Priority, Status } from '../../server/contract/messages.ts'
import { mayBecome } from '../../server/messages/status.ts'
import { MOST_REPLIES_OF_AUTHOR, MOST_REPLY_BYTES } from '../../server/store/events.ts'
import { type IdempotencyRecord, LAST_PLACE, type MessageRef } from '../../server/store/index.ts'
import { createDisk } from '../support/disk.ts'
import { openTestStore } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'
import { bookOf, recount } from '../support/recount.ts'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 21, 8)

async function open(home = temporaryFolder()) {
  const store = await openTestStore({ home, now: () => NOW, soon: 0 })
  onTestFinished(store.close)
  const { id: senderId } = await store.senders.add({
    code: 'SND-1',
    kind: 'linked',
    settings: {
      name: 'Shop',
      pacing: { min_seconds: 0, max_seconds: 0 },
      daily_cap: null,
      quiet_hours: null,
      country_code: null,
      second_road: null,
    },
    state: 'connected',
    official: null,
    createdAt: NOW,
  })
  const row = (id: string, more: Partial<Parameters<typeof newRow>[0]> = {}) =>
    newRow({ id, senderId, createdAt: NOW, ...more })
  return { store, senderId, row }
}

const record = (key: string, answer: IdempotencyRecord['answer'] = { status: 200, body: '{}' }): IdempotencyRecord => ({
  scope: 'till /send',
  key,
  hash: Buffer.alloc(32, 1),
  since: NOW - DAY,
  answer,
})

test('of two accepts with one idempotency key one is written, and the other writes nothing', async () => {
  const { store, senderId, row } = await open()
  const options = { unique: false, idempotency: record('k') }
  const [first, second] = await Promise.all([
    store.messages.accept(row('a'), options),
    store.messages.accept(row('b'), options),
  ])
  expect([first.kind, second.kind]).toEqual(['accepted', 'key_in_use'])
  expect(await store.messages.find({ id: 'b' })).toBeUndefined()
  expect(store.queues.waiting(senderId)).toBe(1)
  expect(await store.idempotency.find(record('k'), 0)).toMatchObject({ messageId: 'a', answer: { status: 200 } })
})

test('what comes when its sender was just deleted is not accepted', async () => {
  const { store, senderId, row } = await open()
  const [, late] = await Promise.all([
    store.senders.remove(senderId, NOW),
    store.messages.accept(row('late'), { unique: false, idempotency: record('k') }),
  ])
  expect(late).toEqual({ kind: 'sender_deleted' })
  expect(await store.messages.find({ id: 'late' })).toBeUndefined()
  expect(await store.idempotency.find(record('k'), 0)).toBeUndefined()
})

test('a key may be used again after a day', async () => {
  const { store, row } = await open()
  await store.messages.accept(row('old', { createdAt: NOW - DAY - 1 }), { unique: false, idempotency: record('k') })
  const again = await store.messages.accept(row('new'), { unique: false, idempotency: record('k') })
  expect(again.kind).toBe('accepted')
  expect(await store.idempotency.find(record('k'), NOW - DAY)).toMatchObject({ messageId: 'new' })
})

test('a duplicate reference writes nothing and leaves its key free', async () => {
  const { store, row } = await open()
  const referenced = { referenceId: 'INV-1', keyNumber: 1 }
  await store.messages.accept(row('a', referenced), { unique: true })
  const second = await store.messages.accept(row('b', referenced), { unique: true, idempotency: record('k') })
  expect(second).toEqual({ kind: 'duplicate_reference', id: 'a' })
  expect(await store.messages.find({ id: 'b' })).toBeUndefined()
  expect(await store.idempotency.find(record('k'), 0)).toBeUndefined()
})

test('what is written along with a message is written with it', async () => {
  const { store, senderId, row } = await open()
  const idempotency = record('k', null)
  await store.messages.accept(row('a'), { unique: false, idempotency })
  const found = await store.messages.find({ id: 'a' })
  const seq = found?.seq ?? 0
  expect(await store.messages.providerCall(seq)).toBeUndefined()
  const call = { request: { to: '+62' }, httpStatus: 400, answer: { error: {} } }
  await store.messages.change({ id: 'a' }, () => ({
    at: NOW,
    also: [
      { kind: 'sending_state', update: (state) => ({ ...state, sentOnDay: state.sentOnDay + 1 }) },
      { kind: 'sending_state', update: (state) => ({ ...state, sentOnDay: state.sentOnDay + 1, lastSentAt: NOW }) },
      { kind: 'known_contact' },
      { kind: 'provider_call', call },
      { kind: 'idempotency_answer', key: idempotency, answer: { status: 422, body: '{"no":1}' } },
    ],
  }))
  expect(await store.sendingState.get(senderId)).toMatchObject({ sentOnDay: 2, lastSentAt: NOW })
  expect(await store.contacts.get(senderId, '6281234567890')).toMatchObject({ known: true })
  expect(await store.messages.providerCall(seq)).toEqual(call)
  expect((await store.idempotency.find(idempotency, 0))?.answer).toEqual({ status: 422, body: '{"no":1}' })
})

test('and not without it: one part that fails takes the whole change back', async () => {
  const { store, senderId, row } = await open()
  await store.messages.accept(row('a'), { unique: false })
  const changed = store.messages.change({ id: 'a' }, () => ({
    status: 'sent',
    at: NOW,
    nextAt: null,
    also: [
      { kind: 'known_contact' },
      {
        kind: 'sending_state',
        update: () => {
          throw new Error('no state')
        },
      },
    ],
  }))
  await expect(changed).rejects.toThrow('no state')
  expect(await store.messages.find({ id: 'a' })).toMatchObject({ status: 'queued' })
  expect(await store.contacts.get(senderId, '6281234567890')).toBeUndefined()
  expect(store.queues.waiting(senderId)).toBe(1)
  expect(await bookOf(store)).toEqual(await recount(store, await store.messages.after(0, 10)))
})

test('what is reported of a message that was sent again belongs to the one that left', async () => {
  const { store, senderId, row } = await open()
  const ofWhatsApp = { providerMessageId: 'wa.1', nextAt: null }
  const found = async () => (await store.messages.find({ providerMessageId: 'wa.1', senderId }))?.id
  const first = row('first', { ...ofWhatsApp, status: 'failed', attemptBegins: true })
  await store.messages.accept(first, { unique: false })
  for (const ended of ['cancelled', 'failed'] as const) {
    await store.messages.accept(row(ended, ofWhatsApp), { unique: false })
    expect(await found(), 'while it waits').toBe(ended)
    await store.messages.change({ id: ended }, () => ({ status: ended, at: NOW }))
    expect(await found(), ended).toBe('first')
  }
  await store.messages.accept(row('left', ofWhatsApp), { unique: false })
  await store.messages.change({ id: 'left' }, () => ({ status: 'sending', at: NOW, attemptBegins: true }))
  await store.messages.change({ id: 'left' }, () => ({ status: 'failed', at: NOW }))
  expect(await found()).toBe('left')
})

test('a status is written also while a webhook is being deleted, whose callbacks nobody waits for', async () => {
  const home = temporaryFolder()
  const { store, row } = await open(home)
  const endpoint = { url: 'https://pos.example/', format: 'kurir', senderCodes: null, enabled: true, createdAt: NOW }
  const add = () => store.endpoints.add({ ...endpoint, events: ['message.sent'] }, () => Buffer.from('sealed'))
  const [deleted, kept] = [await add(), await add()]
  await store.messages.accept(row('a'), { unique: false })
  // Kurir does not know of it yet.
  await createDisk(home).write(`DELETE FROM webhook_endpoints WHERE id = ${deleted.id}`)
  const changed = await store.messages.change({ id: 'a' }, () => ({ status: 'sent', at: NOW, nextAt: null }))
  expect(changed?.endpoints).toEqual([kept.id])
  expect(await store.deliveries.list({ limit: 10 })).toMatchObject([{ endpointId: kept.id }])
})

test('two changes of one sender that are made at the same moment both count', async () => {
  const { store, senderId } = await open()
  await Promise.all([
    store.senders.change(senderId, ({ settings }) => ({ settings: { ...settings, name: 'Toko' } })),
    store.senders.change(senderId, ({ settings }) => ({ settings: { ...settings, daily_cap: 5 } })),
  ])
  expect(store.senders.get(senderId)?.settings).toMatchObject({ name: 'Toko', daily_cap: 5 })
})

test('changes of one message that follow each other closely are written in their order', async () => {
  const { store, senderId, row } = await open()
  const ids = Array.from({ length: 20 }, (_, n) => `m${n}`)
  const accept = (id: string) =>
    store.messages.accept(row(id, { status: 'sending', providerMessageId: `stanza ${id}` }), { unique: false })
  await Promise.all(ids.map(accept))
  const changes = ids.map(async (id) => {
    const seq = (await store.messages.find({ id }))?.seq ?? 0
    const ref = { providerMessageId: `stanza ${id}`, senderId }
    const steps = [
      ['sent', { seq, providerMessageId: ref.providerMessageId }] as const,
      ['delivered', ref] as const,
      ['read', ref] as const,
    ]
    const become = (status: Status, of: MessageRef) =>
      store.messages.change(
        of,
        (message) => (mayBecome(message.status, status) ? { status, at: NOW, nextAt: null } : null),
        'soon',
      )
    await Promise.all(steps.map(([status, of]) => become(status, of)))
    return (await store.events.ofMessage(seq)).map(({ type }) => type)
  })
  for (const types of await Promise.all(changes))
    expect(types).toEqual(['message.sent', 'message.delivered', 'message.read'])
})

test('an attempt that did not count and begins again has no end: after a crash it is looked at', async () => {
  const { store, row } = await open()
  await store.messages.accept(row('a'), { unique: false })
  const begin = () => store.messages.change({ id: 'a' }, () => ({ status: 'sending', at: NOW, attemptBegins: true }))
  await begin()
  const attemptEnds = { outcome: 'offline', reason: 'no connection' } as const
  await store.messages.change({ id: 'a' }, () => ({ status: 'queued', at: NOW, attemptReturned: true, attemptEnds }))
  await begin()
  expect((await store.queues.interrupted()).map(({ id }) => id)).toEqual(['a'])
  const seq = (await store.messages.find({ id: 'a' }))?.seq ?? 0
  expect(await store.messages.attempts(seq)).toMatchObject([{ number: 1, endedAt: null, outcome: null }])
})

test('what waits is found in the order of its time, whatever its priority; as many are released as were asked for', async () => {
  const { store, senderId, row } = await open()
  const waiting = [
    ['a', 'low', 1],
    ['b', 'high', 3],
    ['c', 'normal', 2],
    ['d', 'high', 1],
    ['e', 'normal', 4],
  ] as const
  for (const [id, priority, minutes] of waiting) {
    const nextAt = NOW + minutes * 60_000
    await store.messages.accept(row(id, { priority, dueAt: NOW - 1, nextAt }), { unique: false })
  }
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).join('')
  const afterNow = { nextAt: NOW, seq: Number.MAX_SAFE_INTEGER }
  expect(ids(await store.queues.waitingAfter(senderId, afterNow, 4))).toBe('adcb')
  const first = await store.queues.waitingAfter(senderId, afterNow, 2)
  const place = { nextAt: first[1]?.nextAt ?? 0, seq: first[1]?.seq ?? 0 }
  expect(ids(await store.queues.waitingAfter(senderId, place, 2))).toBe('cb')
  expect(await store.queues.release(senderId, NOW, 3)).toBe(3)
  expect(await store.queues.due(senderId, NOW, 9)).toHaveLength(3)
  expect(await store.queues.release(senderId, NOW, 3)).toBe(2)
  expect(ids(await store.queues.due(senderId, NOW, 9))).toBe('bdcea')
})

test('what leaves before a place is counted by priority first, and only what is due', async () => {
  const { store, senderId, row } = await open()
  const before = (priority: Priority, nextAt: number, seq: number) =>
    store.queues.dueBefore(senderId, { priority, nextAt, seq }, NOW)
  const waiting = [
    ['a', 'low', NOW],
    ['b', 'high', NOW - 1],
    ['c', 'normal', NOW - 5],
    ['d', 'normal', NOW - 5],
    ['e', 'normal', NOW + 1],
  ] as const
  for (const [id, priority, nextAt] of waiting)
    await store.messages.accept(row(id, { priority, dueAt: nextAt, nextAt }), { unique: false })
  const c = await store.messages.find({ id: 'c' })
  expect(await before('high', NOW - 1, 0)).toBe(0)
  expect(await before('normal', NOW - 5, c?.seq ?? 0)).toBe(1)
  expect(await before('normal', NOW - 5, (c?.seq ?? 0) + 1)).toBe(2)
  expect(await before('low', NOW, 0)).toBe(3)
  expect(await store.queues.dueBefore(senderId, LAST_PLACE, NOW)).toBe(4)
  expect(await store.queues.dueBefore(senderId + 1, LAST_PLACE, NOW)).toBe(0)
})

test('of what customers write so much waits at most: of one of them, and of all together', async () => {
  const { store, senderId } = await open()
  const endpoint = { url: 'http://127.0.0.1:9/', format: 'kurir', senderCodes: null, enabled: true, createdAt: 1 }
  await store.endpoints.add({ ...endpoint, events: ['message.received'] }, () => Buffer.from('sealed'))
  const add = (author: number, body: Buffer) =>
    store.replies.add({
      senderId,
      senderCode: 'SND-1',
      providerMessageId: null,
      author,
      at: NOW,
      body,
      expiresAt: NOW + DAY,
    })
  for (let n = 0; n < MOST_REPLIES_OF_AUTHOR; n += 1) expect(await add(1, Buffer.from('sealed'))).toHaveLength(1)
  expect(await add(1, Buffer.from('sealed'))).toBe('full')
  const large = Buffer.alloc(Math.ceil(MOST_REPLY_BYTES / 4))
  for (let author = 2; author < 5; author += 1) expect(await add(author, large)).toHaveLength(1)
  expect(await add(5, large)).toBe('full')
  expect(await add(5, Buffer.from('sealed')), 'a short one has room').toHaveLength(1)
  expect(await store.retention.expire({ now: NOW, ended: NOW + DAY }, 1_000)).toBe(MOST_REPLIES_OF_AUTHOR + 4)
  expect(await add(1, large)).toHaveLength(1)
})

test('no copy holds what customers wrote', async () => {
  const { store, senderId } = await open()
  const endpoint = { url: 'http://127.0.0.1:9/', format: 'kurir', senderCodes: null, enabled: true, createdAt: 1 }
  await store.endpoints.add({ ...endpoint, events: ['message.received'] }, () => Buffer.from('sealed'))
  const reply = { senderId, senderCode: 'SND-1', providerMessageId: 'w1', author: 1, at: NOW, expiresAt: NOW + DAY }
  await store.replies.add({ ...reply, body: Buffer.from('a sealed reply') })
  const folder = temporaryFolder()
  await store.copyTo(folder)
  const copies = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(copies.map(({ name }) => name)).toContain('kurir.db')
  for (const { parentPath, name } of copies)
    expect(readFileSync(join(parentPath, name)).includes('a sealed reply'), name).toBe(false)
  const copy = new Database(join(folder, 'kurir.db'), { readonly: true })
  onTestFinished(() => void copy.close())
  expect(copy.prepare('SELECT state FROM webhook_deliveries').all()).toEqual([{ state: 'dead' }])
  expect(await store.deliveries.list({ limit: 9 }), 'it is still made from here').toMatchObject([{ state: 'pending' }])
})
