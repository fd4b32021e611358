import { expect, test } from 'vitest'
import { describeFailure, type FailureCode } from '../../server/contract/failures.ts'
import { MINUTE } from '../../server/lib/time.ts'
import { createUuid7 } from '../../server/lib/uuid7.ts'
import type { OutcomeCount, Store } from '../../server/store/index.ts'
import { startApp } from '../support/app.ts'
import { newRow } from '../support/new-message.ts'

const NOW = Date.now()
const QUARTER = 15 * MINUTE

const DAY = 96 * QUARTER

const total = (counts: OutcomeCount[], kind: OutcomeCount['kind'], reason: FailureCode | null = null): number =>
  counts.reduce((sum, each) => sum + (each.kind === kind && each.reason === reason ? each.count : 0), 0)

const totals = (store: Store, ms: number) => {
  const counts = store.outcomes.since(ms)
  return [
    total(counts, 'accepted'),
    total(counts, 'sent'),
    total(counts, 'failed', 'expired'),
    total(counts, 'failed', 'delivery_failed'),
  ]
}

test('counts what becomes of messages without reading them, and the same again after a restart', async () => {
  const app = await startApp()
  const { store } = app.app
  const shop = store.senders.byCode(await app.sender('linked'))?.id ?? 0
  const sandbox = store.senders.byCode('SND-SANDBOX')?.id ?? 0
  const accept = async (senderId: number, at: number) => {
    const id = createUuid7(() => at, null)()
    await store.messages.accept(newRow({ id, senderId, createdAt: at, nextAt: null }), { unique: false })
    return { id }
  }
  const fail = (ref: { id: string }, code: FailureCode, at: number) =>
    store.messages.change(ref, () => ({ status: 'failed', at, error: describeFailure(code) }))
  const hourAgo = NOW - 4 * QUARTER

  const read = await accept(shop, hourAgo)
  for (const status of ['sent', 'delivered', 'read'] as const) {
    await store.messages.change(read, () => ({ status, at: NOW }))
  }
  await fail(await accept(shop, hourAgo), 'expired', NOW)
  const undelivered = await accept(shop, hourAgo)
  await store.messages.change(undelivered, () => ({ status: 'sent', at: hourAgo }))
  await fail(undelivered, 'delivery_failed', NOW)
  await fail(await accept(sandbox, hourAgo), 'expired', NOW)
  const late = await accept(shop, hourAgo)
  await fail(late, 'delivery_failed', hourAgo)
  await store.messages.change(late, () => ({ status: 'delivered', at: hourAgo }))

  expect(totals(store, hourAgo)).toEqual([4, 2, 1, 1])
  expect(totals(store, NOW), 'what was accepted and sent before is not of this quarter').toEqual([0, 1, 1, 1])
  expect((await store.dailyCounts.since('')).filter(({ status }) => status === 'failed')).toMatchObject([{ count: 2 }])

  await app.restart()
  expect(totals(app.app.store, hourAgo)).toEqual([4, 2, 1, 1])
})

test.each([
  ['NUL', 'a\0b'],
  ['half a character, where it was cut', '🙏'.slice(0, 1)],
  ['the escape of NUL, written out', '\\u0000'],
])('a failure whose text holds %s is counted like any other, also by a program that starts', async (_name, message) => {
  const app = await startApp()
  const senderId = app.app.store.senders.byCode(await app.sender('linked'))?.id ?? 0
  const id = createUuid7(() => NOW, null)()
  const row = newRow({ id, senderId, createdAt: NOW, nextAt: null })
  await app.app.store.messages.accept(row, { unique: false })
  const error = describeFailure('delivery_failed', { message })
  await app.app.store.messages.change({ id }, () => ({ status: 'failed', at: NOW, error }))
  await app.restart()
  const { store } = app.app
  expect(totals(store, NOW)).toEqual([1, 0, 0, 1])
  expect(await store.messages.tallyOfRecipient(row.recipient)).toMatchObject([{ reason: 'delivery_failed', count: 1 }])
  expect((await store.messages.find({ id }))?.error?.message).toBe(message)
})

test('what was accepted long before it failed counts after a restart as well', async () => {
  const app = await startApp()
  const { store } = app.app
  const senderId = store.senders.byCode(await app.sender('linked'))?.id ?? 0
  for (const days of [1, 7, 8.5, 9.5, 30]) {
    const row = newRow({ senderId, createdAt: NOW - days * DAY, nextAt: null, id: `${days}` })
    await store.messages.accept(row, { unique: false })
    const at = NOW - DAY
    await store.messages.change({ id: row.id }, () => ({ status: 'failed', at, error: describeFailure('expired') }))
  }
  expect(totals(store, 0)).toEqual([1, 0, 5, 0])
  await app.restart()
  expect(totals(app.app.store, 0)).toEqual([1, 0, 5, 0])
})
