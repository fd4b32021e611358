import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../server/store/index.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'

const DAY = { since: Date.UTC(2026, 10, 19), until: Date.UTC(2026, 10, 20) }
const NOW = Date.UTC(2026, 10, 21, 8)

test('a change that has begun before a day is counted, and ends afterwards, is in the count', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const store = await openStore({ home: temporaryFolder(), databaseUrl, node: 'node', now: () => NOW })
  onTestFinished(store.close)
  const settings = { name: 'Shop', pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null }
  const { id: senderId } = await store.senders.add({
    ...{ code: 'SND-1', kind: 'linked', state: 'connected', official: null, createdAt: NOW },
    settings: { ...settings, country_code: null, second_road: null },
  })
  for (const id of ['slow', 'late']) {
    const row = newRow({ id, senderId, createdAt: DAY.since, nextAt: null, status: 'sent' })
    await store.messages.accept(row, { unique: false })
  }
  const counts = async () =>
    Object.fromEntries((await store.tallies.of([DAY])).groups.map(({ status, count }) => [status, count]))
  const count = async () => {
    const [known] = await store.tallies.days()
    return store.tallies.count(known ?? { ...DAY, talliedAt: null }, NOW)
  }

  // A node that is slow: when it looked for days that are counted, there was none.
  const slow = new pg.Client({ connectionString: databaseUrl })
  await slow.connect()
  onTestFinished(() => slow.end())
  await slow.query('BEGIN')
  await slow.query('SELECT pg_current_xact_id()')
  await slow.query("UPDATE messages SET status = 'read' WHERE id = 'slow'")
  expect(await count(), 'it is not counted while that goes on').toBe(false)
  expect(await counts()).toEqual({})

  // What changes from here on is noted, and not shown before the rest is counted.
  await store.messages.change({ id: 'late' }, () => ({ status: 'delivered', at: NOW }))
  expect(await counts()).toEqual({})
  await slow.query('COMMIT')
  // Others may write what has nothing to do with messages.
  await slow.query('BEGIN')
  await slow.query("INSERT INTO meta (name, value) VALUES ('slow', '1')")
  expect(await count()).toBe(true)
  await slow.query('COMMIT')
  expect(await counts()).toEqual({ read: 1, delivered: 1 })
  await store.messages.change({ id: 'late' }, () => ({ status: 'read', at: NOW }))
  expect(await counts()).toEqual({ read: 2 })
})
