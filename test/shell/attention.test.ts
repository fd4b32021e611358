import { expect, test } from 'vitest'
import type { Attention, Language } from '../../server/contract/process-messages.ts'
import { type Concern, findConcerns } from '../../server/health/concerns.ts'
import { createBus } from '../../server/lib/bus.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { watchAttention } from '../../server/process/attention.ts'
import { createSenderStates } from '../../server/senders/states.ts'
import { startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'

const ROOMY = 10 * 1024 ** 3
const name = 'Toko Budi'

/** A linked number and the two things that concerns are read from. */
async function createNumber() {
  const { app } = await startApp({ clock: createTestClock() })
  const clock = createTestClock()
  const bus = createBus()
  const states = createSenderStates({ senders: app.store.senders, bus, clock, logger: createLogger('silent') })
  const { id, code } = await app.store.senders.add({
    code: 'SND-AAAAAA',
    kind: 'linked',
    state: 'connected',
    official: null,
    createdAt: 0,
    settings: {
      name,
      daily_cap: null,
      quiet_hours: null,
      country_code: null,
      second_road: null,
      pacing: { min_seconds: 0, max_seconds: 0 },
    },
  })
  await app.store.senders.change(id, () => ({ phone: '6281234567890' }))
  const concerns = (freeBytes: number | null = ROOMY) =>
    findConcerns({ store: app.store, states, freeBytes: () => freeBytes })
  return { id, code, bus, clock, states, concerns }
}

test("a number that is off for a moment is nobody's business, one that is off for a minute is", async () => {
  const { id, code, bus, clock, states, concerns } = await createNumber()
  const change = () => new Promise((resolve) => bus.on('sender', resolve))
  const offline = change()
  states.report(id, { state: 'offline', reason: 'connection_lost' })
  await offline
  await clock.advance(59_999)
  expect(await concerns()).toEqual([])
  const told = change()
  await clock.advance(1)
  await told
  expect(await concerns()).toEqual([{ kind: 'sender', problem: 'disconnected', code, name }])
  states.report(id, { state: 'connected', reason: null })
  await states.close()
  expect(await concerns()).toEqual([])
})

test.each(['logged_out', 'replaced', 'restricted'] as const)('a number that is %s is told at once', async (state) => {
  const { id, code, states, concerns } = await createNumber()
  states.report(id, { state, reason: null })
  await states.close()
  expect(await concerns()).toEqual([{ kind: 'sender', problem: state, code, name }])
})

test('a disk that is nearly full comes first; one that does not tell is believed to have room', async () => {
  const { id, states, concerns } = await createNumber()
  states.report(id, { state: 'logged_out', reason: null })
  await states.close()
  expect((await concerns(499 * 1024 ** 2)).map(({ kind }) => kind)).toEqual(['disk', 'sender'])
  expect((await concerns(null)).map(({ kind }) => kind)).toEqual(['sender'])
})

const ALL: Concern[] = [
  { kind: 'disk', problem: 'unwritable' },
  { kind: 'disk', problem: 'nearly_full' },
  { kind: 'sender', problem: 'logged_out', code: 'SND-A', name },
  { kind: 'sender', problem: 'replaced', code: 'SND-A', name },
  { kind: 'sender', problem: 'restricted', code: 'SND-A', name },
  { kind: 'sender', problem: 'disconnected', code: 'SND-A', name },
  { kind: 'webhook', problem: 'disabled', id: 7, host: 'pos.local', count: 0 },
  { kind: 'webhook', problem: 'dead', id: 7, host: 'pos.local', count: 3 },
]

async function watch(concerns: () => Concern[], language: () => Language = () => 'en') {
  const told: Attention[] = []
  const bus = createBus()
  const clock = createTestClock()
  const stop = watchAttention({
    concerns: async () => concerns(),
    language,
    paused: () => false,
    bus,
    clock,
    logger: createLogger('silent'),
    send: (attention) => told.push(attention),
  })
  await eventually(() => told.length > 0)
  return { told, bus, clock, stop }
}

test('every concern has an id, a page and words of its own in both languages', async () => {
  const itemsIn = async (language: Language) => {
    const { told, stop } = await watch(
      () => ALL,
      () => language,
    )
    stop()
    return told[0]?.items ?? []
  }
  const [en, id] = [await itemsIn('en'), await itemsIn('id')]
  expect(en).toHaveLength(ALL.length)
  expect(new Set(en?.map((item) => item.id)).size).toBe(ALL.length)
  expect(id?.map((item) => item.id)).toEqual(en?.map((item) => item.id))
  expect(new Set([...(en ?? []), ...(id ?? [])].map((item) => item.title)).size).toBe(2 * ALL.length)
  expect(en?.find((item) => item.id === 'sender/SND-A/logged_out')).toMatchObject({
    title: 'Toko Budi is no longer linked',
    page: '/senders?open=SND-A',
  })
  expect(en?.find((item) => item.id === 'webhook/7/dead')).toMatchObject({ page: '/webhooks?state=dead' })
})

test('a burst of changes is one picture, the same picture is not told twice, and a full disk is seen without a hint', async () => {
  let concerns: Concern[] = []
  const { told, bus, clock, stop } = await watch(() => concerns)
  expect(told).toHaveLength(1)

  concerns = ALL.slice(2, 3)
  for (let i = 0; i < 50; i += 1) bus.emit('sender', { code: 'SND-A' })
  await clock.advance(500)
  expect(told.map(({ items }) => items.length)).toEqual([0, 1])
  bus.emit('sender', { code: 'SND-A' })
  await clock.advance(500)
  expect(told).toHaveLength(2)

  concerns = ALL.slice(0, 3)
  await clock.advance(60_000)
  expect(told.at(-1)?.items).toHaveLength(3)
  stop()
  concerns = []
  await clock.advance(60_000)
  expect(told.at(-1)?.items).toHaveLength(3)
})
