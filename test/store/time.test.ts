import { rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../server/store/index.ts'
import { newHome } from '../support/new-home.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 22, 8)

test('what WhatsApp told a number to wait is as long after the clock was set', async () => {
  const home = await newHome()
  const store = await openStore({ home, now: () => NOW })
  onTestFinished(() => {
    store.close()
    rmSync(home, { recursive: true })
  })
  const { id } = await store.senders.add({
    ...{ code: 'SND-1', kind: 'linked', state: 'unlinked', official: null, createdAt: NOW },
    settings: {
      ...{ name: 'Toko', pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null },
      ...{ country_code: null, second_road: null },
    },
  })
  const end = NOW + HOUR
  await store.senders.change(id, () => ({ state: 'restricted', until: end, noConnectionBefore: end }))
  await store.time.move(-7 * HOUR, NOW - 7 * HOUR, () => undefined)
  const moved = { until: NOW - 6 * HOUR, noConnectionBefore: NOW - 6 * HOUR }
  expect(store.senders.get(id)).toMatchObject(moved)
})
