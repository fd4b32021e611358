import { expect, test } from 'vitest'
import type { Status } from '../../server/contract/messages.ts'
import { type Settings, settings } from '../../server/contract/settings.ts'
import { findConcerns } from '../../server/health/concerns/index.ts'
import type { HealthContext, RunFacts } from '../../server/health/context.ts'
import { readFacts } from '../../server/health/read-facts.ts'
import { HOUR, MINUTE } from '../../server/lib/clock.ts'
import type { StorageProblem } from '../../server/lib/storage-error.ts'
import { startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { isShared } from '../support/engine.ts'
import { newRow } from '../support/new-message.ts'
import { addNumber, changeNumber } from '../support/numbers.ts'

type Other = Partial<HealthContext> & Partial<RunFacts>

/** Facts of a running program's store, read at another moment than its own. */
async function createFacts() {
  const app = await startApp()
  const { store } = app.app
  const clock = createTestClock()
  const read = (more: Other = {}, set: Partial<Settings> = {}) =>
    readFacts({
      ...{ store, clock, logger: app.app.logger, settings: () => settings.parse(set) },
      run: {
        ...{ version: '', host: '127.0.0.1', onServer: isShared, uptime: () => 0 },
        ...{ freeBytes: () => null, awakeSince: () => clock.now() - HOUR, updateReady: () => null },
        ...more,
      },
      official: { concernFacts: async () => new Map(), versionEndsAt: () => null, ignoredFields: () => [] },
      linking: () => null,
      concernsOfOthers: async () => [],
      ...more,
    })
  return { app, store, clock, read }
}

test('a number is stuck when messages are due for long, nothing holds them and it could have sent them', async () => {
  const { app, store, clock, read } = await createFacts()
  const now = clock.now()
  const code = await addNumber(app, 'Toko Budi', { since: now - HOUR })
  const senderId = store.senders.byCode(code)?.id ?? 0
  // Not due by the clock of the running program, whose lane would look at it.
  const due = Date.now() + 365 * 24 * HOUR
  const at = (minutesLater: number) => {
    const later = due + minutesLater * MINUTE
    return { clock: { ...clock, now: () => later }, awakeSince: () => later - HOUR }
  }
  const isStuck = async (more: Other) => (await read(more)).senders[0]?.isStuck
  await store.messages.accept(newRow({ senderId, nextAt: due }), { unique: false })

  expect(await isStuck(at(14))).toBe(false)
  expect(await isStuck(at(16))).toBe(true)
  await store.meta.save('all_paused', 'true')
  expect(await isStuck(at(16)), 'paused').toBe(false)
  await store.meta.save('all_paused', 'false')
  expect(await isStuck({ ...at(16), awakeSince: () => due + 15 * MINUTE }), 'the PC just woke up').toBe(false)
  await changeNumber(app, code, { since: due + 5 * MINUTE })
  expect(await isStuck(at(16)), 'connected only now').toBe(false)
  await changeNumber(app, code, { since: now - HOUR, state: 'offline' })
  expect(await isStuck(at(16)), 'not connected').toBe(false)
})

test('a number is found stuck too where the clock was set back since it was connected', async () => {
  const { app, store, clock, read } = await createFacts()
  const due = Date.now() + 365 * 24 * HOUR
  const code = await addNumber(app, 'Toko Budi', { since: due + 365 * 24 * HOUR })
  const senderId = store.senders.byCode(code)?.id ?? 0
  await store.messages.accept(newRow({ senderId, nextAt: due }), { unique: false })
  const isStuck = async (minutesLater: number) => {
    const later = due + minutesLater * MINUTE
    const time = { ...store.time, lastSet: () => ({ at: due, by: -365 * 24 * HOUR }) }
    const facts = await read({
      clock: { ...clock, now: () => later },
      store: { ...store, time },
      awakeSince: () => due + 365 * 24 * HOUR,
    })
    return facts.senders[0]?.isStuck
  }
  expect([await isStuck(14), await isStuck(17)]).toEqual([false, true])
})

test.each(['standard', 'template'] as const)(
  'a %s message that is sending for a quarter of an hour is told until it ends',
  async (channel) => {
    const { app, store, read } = await createFacts()
    const senderId = store.senders.byCode(await addNumber(app, 'Toko Budi'))?.id ?? 0
    const accepted = await store.messages.accept(newRow({ senderId, channel, nextAt: null }), { unique: false })
    const seq = accepted.kind === 'accepted' ? accepted.seq : 0
    const began = Date.now()
    const reaches = (status: Status, at: number) => store.messages.change({ seq }, () => ({ status, at }))
    const told = async (minutesLater: number) => {
      const facts = await read({ clock: { ...createTestClock(), now: () => began + minutesLater * MINUTE } })
      return findConcerns(facts).find(({ code }) => code === 'sending_long')
    }
    await reaches('sending', began)
    expect(await told(14)).toBeUndefined()
    expect(await told(16)).toMatchObject({ count: 1, since: new Date(began).toISOString(), sender_name: 'Toko Budi' })
    // Another attempt does not begin it anew.
    await reaches('sending', began + 10 * MINUTE)
    expect(await told(16)).toMatchObject({ since: new Date(began).toISOString() })
    await reaches('sent', began + 17 * MINUTE)
    expect(await told(18)).toBeUndefined()
  },
)

test('what is asked of the store does not grow with the numbers', async () => {
  const { app, store, read } = await createFacts()
  const asked: string[] = []
  const watched = <Noun extends object>(noun: Noun, name: string): Noun =>
    new Proxy(noun, {
      get(target, member) {
        const found: unknown = Reflect.get(target, member)
        if (typeof found !== 'function') return found
        return (...args: unknown[]) => {
          const answer: unknown = Reflect.apply(found, target, args)
          if (answer instanceof Promise) asked.push(`${name}.${String(member)}`)
          return answer
        }
      },
    })
  const { sendingState, queues, deliveries } = store
  const nouns = { sendingState, queues, deliveries }
  const watchedNouns = Object.fromEntries(
    Object.entries(nouns).map(([name, noun]) => [name, watched(noun, name)]),
  ) as typeof nouns
  for (const name of ['Toko Budi', 'Toko Melati', 'Toko Sari']) await addNumber(app, name, { since: 0 })
  expect((await read({ store: { ...store, ...watchedNouns } })).senders).toHaveLength(3)
  expect(asked.toSorted()).toEqual(['deliveries.counts', 'queues.sendingSince', 'queues.withDue', 'sendingState.all'])
})

test('the sandbox is not looked at', async () => {
  const { app, read } = await createFacts()
  expect((await read()).senders).toEqual([])
  await addNumber(app, 'Toko Budi')
  expect((await read()).senders.map(({ name }) => name)).toEqual(['Toko Budi'])
})

test('what the owner set holds a lane', async () => {
  const { app, clock, read } = await createFacts()
  const code = await addNumber(app, 'Toko Budi')
  const hour = new Date(clock.now()).getHours()
  const clockTime = (hours: number) => `${String((hour + hours + 24) % 24).padStart(2, '0')}:00`
  const body = { quiet_hours: { from: clockTime(-1), to: clockTime(2) } }
  await app.owner(`/api/senders/${code}`, { method: 'PATCH', body })
  const [sender] = (await read()).senders
  expect(sender?.heldBy).toBe('quiet_hours')
  expect((sender?.heldUntil ?? 0) - clock.now()).toBeGreaterThan(HOUR)
})

test('why nothing can be stored; writes that fail on a disk without room fail because it is full', async () => {
  const { store, read } = await createFacts()
  const storageAt = async (problem: StorageProblem) =>
    (await read({ store: { ...store, problem: () => problem } })).storage
  expect(await storageAt('full')).toBe(isShared ? 'storage_server_full' : 'storage_full')
  for (const problem of ['no_server', 'in_doubt'] as const) expect(await storageAt(problem)).toBe('storage_server_away')
  for (const problem of ['standby', 'refused'] as const) expect(await storageAt(problem)).toBe('storage_server_refuses')
  expect(await storageAt('newer')).toBe('storage_server_newer')
  expect(await storageAt('gone')).toBe('storage_gone')
  expect(await storageAt('read_only')).toBe('storage_read_only')
  const broken = { store: { ...store, problem: () => 'locked' as const } }
  expect((await read(broken)).storage).toBe('storage_unavailable')
  expect((await read({ ...broken, freeBytes: () => 1024 ** 3 })).storage).toBe('storage_unavailable')
  expect((await read({ ...broken, freeBytes: () => 1024 ** 2 })).storage).toBe('storage_full')
  expect((await read({ freeBytes: () => 1024 ** 2 })).storage).toBeNull()
})

test('the LAN is open by the address of this run, the pages of the owner only with it', async () => {
  const { read } = await createFacts()
  const open = async (host: string, remote_administration: boolean) => {
    const { lanOpen, ownerPagesOpen } = await read({ host }, { remote_administration })
    return [lanOpen, ownerPagesOpen]
  }
  expect(await open('127.0.0.1', true)).toEqual([false, false])
  expect(await open('::1', true)).toEqual([false, false])
  expect(await open('0.0.0.0', false)).toEqual([true, false])
  expect(await open('0.0.0.0', true)).toEqual([true, true])
})

test('what WhatsApp says of a number, and what its owner has to decide, is among the facts', async () => {
  const { app, store, clock, read } = await createFacts()
  const now = clock.now()
  const code = await addNumber(app, 'Toko Budi', { since: now - HOUR })
  const senderId = store.senders.byCode(code)?.id ?? 0
  const until = now + HOUR
  const newChats = { used: 45, total: 50, resetsAt: until, warning: 'second' as const }
  await store.senders.change(senderId, () => ({
    ...{ reasonDetail: '101', until, previousPhone: '6281100000009' },
    firstContacts: { until, heldBy: 'wrong_numbers', newChats },
  }))
  const linking = { method: 'code' as const, qr: null, pairing_code: null, expires_at: null }
  const refused = () => ({
    ...linking,
    reason: 'pairing_code_refused' as const,
    passkey: null,
    passkey_code: null,
    version_unread: false,
    reason_detail: '429',
  })
  const [sender] = (await read({ linking: refused })).senders
  expect(sender).toMatchObject({
    ...{ detail: '101', until, otherPhone: store.senders.get(senderId)?.phone },
    firstContacts: { until, why: 'wrong_numbers' },
    newChatsNearlyUsed: { detail: '45 / 50', until },
    linkingTrouble: { code: 'pairing_code_refused', detail: '429' },
  })
})
