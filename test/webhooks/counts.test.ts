import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../server/store/index.ts'
import type { Db } from '../../server/store/sqlite/database.ts'
import { watchSelects } from '../../server/store/sqlite/sql.ts'
import { openTestStore } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'

async function open() {
  let db: Db | undefined
  const opened = (main: Db) => {
    db = main
    watchSelects(main)
  }
  const store = await openStore({ home: temporaryFolder(), now: () => 1_000, opened })
  onTestFinished(store.close)
  const endpoint = () =>
    store.endpoints.add(
      {
        url: 'http://127.0.0.1:1',
        events: ['message.sent'],
        format: 'kurir',
        senderCodes: null,
        enabled: true,
        createdAt: 0,
      },
      () => Buffer.from('sealed'),
    )
  const event = { type: 'webhook.test', messageSeq: null, senderCode: null, at: 1, data: {} } as const
  const end = async (id: number, state: 'delivered' | 'dead') =>
    store.deliveries.record(
      { ...((await store.deliveries.get(id)) ?? expect.unreachable()), tries: 0 },
      { at: 1, status: 200, error: null, errorCode: null, body: null, tookMs: 1 },
      { state },
    )
  const counted = async () =>
    (await store.deliveries.counts()).map(({ endpointId, state, count }) => [endpointId, state, count])
  /** Counts the rows themselves. */
  const read = () =>
    db
      ?.prepare<[], { e: number; state: string; n: number }>(
        `SELECT endpoint_id e, state, count(*) n FROM webhook_deliveries WHERE state <> 'delivered' GROUP BY 1, 2 ORDER BY 1, 2`,
      )
      .all()
      .map(({ e, state, n }) => [e, state, n])
  const same = async () => expect((await counted()).toSorted()).toEqual(read()?.toSorted())
  return { store, endpoint, event, end, counted, same }
}

test('the counts of pending and dead callbacks follow every change', async () => {
  const { store, endpoint, event, end, counted, same } = await open()
  const [a, b] = [(await endpoint()).id, (await endpoint()).id]
  const ids = []
  for (let n = 0; n < 6; n += 1) ids.push(await store.events.addFor(n < 4 ? a : b, event))
  await same()
  expect(await counted()).toEqual([
    [a, 'pending', 4],
    [b, 'pending', 2],
  ])
  await end(ids[0] ?? 0, 'delivered')
  await end(ids[1] ?? 0, 'dead')
  await end(ids[2] ?? 0, 'dead')
  await end(ids[4] ?? 0, 'dead')
  await same()
  expect(await counted()).toContainEqual([a, 'dead', 2])
  await store.deliveries.replay(ids[0] ?? 0, 5)
  await store.deliveries.replayDead(a, 0, 5, 99)
  await same()
  await store.endpoints.change(b, () => ({ enabled: false, disabledReason: 'gone' }))
  expect(await store.deliveries.abandon(10_000, 10)).toBe(1)
  await same()
  await store.endpoints.remove(a)
  await same()
  expect(await counted()).toEqual([[b, 'dead', 2]])
})

test('after a delivery to a gone endpoint expires, later events of the message go out', async () => {
  let now = 1_000
  const store = await openTestStore({ home: temporaryFolder(), now: () => now })
  onTestFinished(store.close)
  const sender = await store.senders.add({
    ...{ code: 'S1', kind: 'sandbox', state: 'connected', official: null, createdAt: 0 },
    settings: {
      name: 'S',
      pacing: { min_seconds: 0, max_seconds: 0 },
      daily_cap: null,
      quiet_hours: null,
      country_code: null,
      second_road: null,
    },
  })
  const events = ['message.sent', 'message.delivered', 'message.read'] as const
  const { id } = await store.endpoints.add(
    { url: 'http://127.0.0.1:1', events: [...events], format: 'kurir', senderCodes: null, enabled: true, createdAt: 0 },
    () => Buffer.from('sealed'),
  )
  await store.endpoints.change(id, () => ({ enabled: false, disabledReason: 'gone' }))
  const message = newRow({ senderId: sender.id })
  await store.messages.accept(message, { unique: false })
  for (const [at, status] of [
    [1_000, 'sent'],
    [1_000, 'delivered'],
    [5_000, 'read'],
  ] as const) {
    now = at
    await store.messages.change({ id: message.id }, () => ({ at, status, nextAt: null }))
  }
  expect(await store.deliveries.abandon(2_000, 10)).toBe(2)
  await store.endpoints.change(id, () => ({ enabled: true, disabledReason: null }))
  expect(await store.deliveries.due(id, 6_000, 10)).toMatchObject([{ event: 'message.read', state: 'pending' }])
})
