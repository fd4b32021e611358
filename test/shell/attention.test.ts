import { expect, test } from 'vitest'
import type { Concern } from '../../server/contract/concerns.ts'
import type { Attention, Language } from '../../server/contract/desktop.ts'
import { settings } from '../../server/contract/settings.ts'
import { watchAttention } from '../../server/health/attention.ts'
import { findConcerns } from '../../server/health/concerns/index.ts'
import { readFacts } from '../../server/health/read-facts.ts'
import { createBus } from '../../server/lib/bus.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createSenderStates } from '../../server/senders/states.ts'
import { startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { concernFacts, linkedFacts } from '../support/concern-facts.ts'
import { eventually } from '../support/eventually.ts'

test('a number that is off for a moment is no concern, one that is off for a minute is', async () => {
  const { app } = await startApp({ clock: createTestClock() })
  const { store } = app
  const clock = createTestClock()
  const bus = createBus()
  const states = createSenderStates(store.senders, bus, clock, createLogger('silent'))
  const { id, code } = await store.senders.add({
    ...{ code: 'SND-AAAAAA', kind: 'linked', state: 'connected', official: null, createdAt: clock.now() },
    settings: {
      ...{ name: 'Toko Budi', daily_cap: null, quiet_hours: null, country_code: null, second_road: null },
      pacing: { min_seconds: 0, max_seconds: 0 },
    },
  })
  await store.senders.change(id, () => ({ phone: '6281234567890' }))
  const facts = {
    ...{ store, clock, settings: () => settings.parse({}), logger: createLogger('silent') },
    run: {
      ...{ version: '', host: '127.0.0.1', onServer: false, uptime: () => 0 },
      ...{ freeBytes: () => null, awakeSince: () => 0, updateReady: () => null },
    },
    official: {
      concernFacts: async (senders: readonly unknown[]) => {
        expect(senders, 'official senders').toEqual([])
        return new Map()
      },
      ...{ versionEndsAt: () => null, ignoredFields: () => [] },
    },
    linking: () => null,
    concernsOfOthers: async () => [],
  }
  const concerns = async () => findConcerns(await readFacts(facts))
  const change = () => new Promise((resolve) => bus.on('sender', resolve))

  const offline = change()
  states.report(id, { state: 'offline', reason: 'connection_lost' })
  await offline
  await clock.advance(59_999)
  expect(await concerns()).toEqual([])
  const heard = change()
  await clock.advance(1)
  await heard
  expect(await concerns()).toMatchObject([{ code: 'offline', sender_code: code, sender_name: 'Toko Budi' }])
  states.report(id, { state: 'connected', reason: null })
  await states.close()
  expect(await concerns()).toEqual([])
})

const [out, disk, note] = findConcerns(
  concernFacts({ freeBytes: 1, keptForEver: true, senders: [linkedFacts({ state: 'logged_out' })] }),
) as [Concern, Concern, Concern]

async function watch(concerns: () => Concern[], language: () => Language = () => 'en') {
  const sent: Attention[] = []
  const bus = createBus()
  const clock = createTestClock()
  const view = { concerns: async () => concerns(), language, paused: () => false }
  const stop = watchAttention(view, bus, clock, createLogger('silent'), (attention) => sent.push(attention))
  await eventually(() => sent.length > 0)
  return { sent, bus, clock, stop }
}

test('a burst of changes is one picture, the same picture is not sent twice, a full disk is seen without a hint, a note is no alarm', async () => {
  let concerns: Concern[] = []
  const { sent, bus, clock, stop } = await watch(() => concerns)
  expect(sent).toHaveLength(1)

  concerns = [out]
  for (let i = 0; i < 50; i += 1) bus.emit('sender', { code: 'SND-A' })
  await clock.advance(500)
  expect(sent.map(({ items }) => items.length)).toEqual([0, 1])
  bus.emit('sender', { code: 'SND-A' })
  await clock.advance(500)
  expect(sent).toHaveLength(2)

  concerns = [out, disk, note]
  await clock.advance(60_000)
  expect(sent.at(-1)?.items.map(({ id }) => id)).toEqual([out.id, disk.id])
  stop()
  concerns = []
  await clock.advance(60_000)
  expect(sent.at(-1)?.items.map(({ id }) => id)).toEqual([out.id, disk.id])
})
