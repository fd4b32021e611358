import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionState } from '../../server/contract/senders.ts'
import { createBus } from '../../server/lib/bus.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createSenderStates } from '../../server/senders/states.ts'
import { closeAfter } from './cleanup.ts'
import { createTestClock } from './clock.ts'
import { createDisk } from './disk.ts'
import { nodesOf, openTestStore, turn as turnOf } from './engine.ts'
import { FAST } from './lane.ts'

/** Creates a sender whose connection states the test reports itself. */
export async function startSender(kind: 'linked' | 'sandbox' = 'linked') {
  const home = mkdtempSync(join(tmpdir(), 'kurir-states-'))
  const clock = createTestClock()
  const disk = createDisk(home)
  const store = await openTestStore({ home, now: clock.now, opened: disk.opened })
  const bus = createBus()
  const logger = createLogger('silent')
  const state = kind === 'linked' ? 'unlinked' : 'connected'
  const { id } = await store.senders.add({
    code: 'SND-1',
    kind,
    settings: FAST,
    state,
    official: null,
    createdAt: clock.now(),
  })
  // The states of connections are written only by the node that holds the sender.
  await nodesOf(store)?.renew({ url: null, version: 'test', startedAt: 0 })
  /** Resolves when reported states are stored: reports are queued, and a write takes some turns. */
  const written = async () => {
    for (let turn = 0; turn < 20; turn += 1) await turnOf()
  }
  const begin = () => createSenderStates(store.senders, bus, clock, logger)
  let states = begin()
  /** Returns every stored event, in order. */
  async function reported() {
    const all = []
    for (let seq = 1; seq <= (await store.events.newest()); seq += 1) all.push(await store.events.get(seq))
    return all.flatMap((event) => (event === undefined ? [] : [{ type: event.type, data: event.data }]))
  }
  closeAfter('test', async () => {
    await states.close()
    await store.close()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    file: join(home, 'kurir.db'),
    clock,
    store,
    /** Switches a full disk on or off. */
    full: disk.full,
    async report(next: ConnectionState, reason: string | null = null, phone?: string) {
      states.report(id, { state: next, reason, ...(phone === undefined ? {} : { phone }) })
      await written()
    },
    async note(change: Parameters<typeof states.note>[1]) {
      states.note(id, change)
      await written()
    },
    written,
    async restart() {
      await states.close()
      states = begin()
    },
    reported,
    types: async () => (await reported()).map(({ type }) => type),
  }
}

/** Creates a sender that has just been linked. */
export async function startLinked() {
  const sender = await startSender()
  await sender.report('linking')
  await sender.report('connecting')
  await sender.report('connected', null, '6281230000001')
  return sender
}
