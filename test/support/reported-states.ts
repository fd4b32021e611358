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

/** A sender whose connection the test makes up, as its channel would report it. */
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
  // What connections report is written by the node that holds the sender.
  await nodesOf(store)?.renew({ url: null, version: 'test', startedAt: 0 })
  /** Reports wait for each other, and a write some turns for its commit. */
  const written = async () => {
    for (let turn = 0; turn < 20; turn += 1) await turnOf()
  }
  const begin = () => createSenderStates(store.senders, bus, clock, logger)
  let states = begin()
  /** Every event that was written, in order. */
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
    /** While it is on, the disk takes nothing. */
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

/** One that has just been linked. */
export async function startLinked() {
  const sender = await startSender()
  await sender.report('linking')
  await sender.report('connecting')
  await sender.report('connected', null, '6281230000001')
  return sender
}
