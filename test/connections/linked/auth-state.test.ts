import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAuthState } from '../../../server/connections/linked/keys/auth-state.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createVault } from '../../../server/lib/vault.ts'
import type { SessionStore } from '../../../server/store/index.ts'
import { eventually } from '../../support/eventually.ts'
import { createWorld } from './world.ts'

/** The keys of one sender on a store that is far away: its answers arrive when the test lets them. */
async function onSlowStore() {
  const { store, senderId } = await createWorld()
  const slow = { read: Promise.resolve(), write: Promise.resolve() }
  /** The places that each write had, and those that were read. */
  const seen = { writes: [] as string[][], reads: [] as string[] }
  const disk = { full: false }
  const vault = createVault(randomBytes(32))

  /** With nothing in memory yet. */
  async function open() {
    const sessions: SessionStore = {
      ...store.sessions,
      async getKey(...args) {
        const arrives = slow.read
        seen.reads.push(`${args[1]}/${args[2]}`)
        const value = await store.sessions.getKey(...args)
        await arrives
        return value
      },
      async setKeys(...args) {
        if (disk.full) throw new Error('disk full')
        const arrives = slow.write
        seen.writes.push(args[1].map(({ type, id }) => `${type}/${id}`))
        const written = store.sessions.setKeys(...args)
        await arrives
        await written
      },
    }
    const auth = createAuthState(senderId, sessions, vault, systemClock, createLogger('silent'))
    const creds = (await auth.load()) ?? auth.fresh()
    if (creds.account === undefined) {
      creds.account = {}
      await auth.begin(creds, { sameAccount: true, former: undefined })
    }
    const keys = auth.keysOf(creds)
    return {
      auth,
      keys,
      read: async () => (await keys.get('session', ['a'])).a?.[0],
      write: async (step: number) => keys.set({ session: { a: new Uint8Array([step]) } }),
    }
  }
  return { slow, disk, seen, open }
}

test('a step of a session that was read late does not take the place of a newer one', async () => {
  const { slow, open } = await onSlowStore()
  await (await open()).write(1)
  const { read, write } = await open()
  const late = Promise.withResolvers<void>()
  slow.read = late.promise
  const reading = read()
  slow.read = Promise.resolve()
  await write(2)
  late.resolve()
  await reading
  expect(await read()).toBe(2)
})

test('of two steps the later one counts, also while the first one is being written', async () => {
  const { slow, open, seen } = await onSlowStore()
  const { read, write } = await open()
  const first = Promise.withResolvers<void>()
  slow.write = first.promise
  const writing = [write(1)]
  await eventually(() => seen.writes.length === 1)
  slow.write = Promise.resolve()
  writing.push(write(2))
  expect(await read()).toBe(2)
  first.resolve()
  await Promise.all(writing)
  expect(await read()).toBe(2)
  expect(await (await open()).read()).toBe(2)
})

test('steps that are made while a write is under way share the next one, which has the newest of each', async () => {
  const { slow, open, seen } = await onSlowStore()
  const { keys, write } = await open()
  const first = Promise.withResolvers<void>()
  slow.write = first.promise
  const writing = [write(1)]
  await eventually(() => seen.writes.length === 1)
  slow.write = Promise.resolve()
  writing.push(write(2), write(3), Promise.resolve(keys.set({ session: { b: new Uint8Array([1]) } })))
  first.resolve()
  await Promise.all(writing)
  expect(seen.writes).toEqual([['session/a'], ['session/a', 'session/b']])
  expect(await (await open()).read()).toBe(3)
})

test('that there is no key is read once, and forgotten when there is one', async () => {
  const { open, seen } = await onSlowStore()
  const { read, write } = await open()
  expect([await read(), await read()]).toEqual([undefined, undefined])
  expect(seen.reads).toEqual(['session/a'])
  await write(1)
  expect(await read()).toBe(1)
})

test('a step of an identity that is given up is not found by the next one', async () => {
  const { open } = await onSlowStore()
  const { auth, write } = await open()
  const late = write(1)
  const next = auth.fresh()
  next.account = {}
  await Promise.all([late, auth.begin(next, { sameAccount: true, former: undefined })])
  expect(await auth.keysOf(next).get('session', ['a'])).toEqual({})
  expect(await (await open()).read()).toBeUndefined()
})

test('a step that could not be written is not remembered as if it were', async () => {
  const { disk, open } = await onSlowStore()
  const { read, write } = await open()
  await write(1)
  disk.full = true
  await expect(write(2)).rejects.toThrow('disk full')
  expect(await read()).toBe(1)
})

test('nothing is written any more once the connection has ended', async () => {
  const { slow, open, seen } = await onSlowStore()
  const { auth, write } = await open()
  const first = Promise.withResolvers<void>()
  slow.write = first.promise
  const order: string[] = []
  const writing = [write(1).then(() => order.push('first'))]
  await eventually(() => seen.writes.length === 1)
  const ending = auth.end().then(() => order.push('end'))
  writing.push(write(2).then(() => order.push('second')))
  first.resolve()
  await Promise.all([...writing, ending])
  expect(order).toEqual(['first', 'second', 'end'])
  await expect(write(3)).rejects.toThrow('the connection has ended')
})

test('notes are read beside writes that never end', async () => {
  const { slow, open, seen } = await onSlowStore()
  const { auth, write } = await open()
  await auth.note('salt', 'salt', 'value')
  seen.writes.length = 0
  let isRead = false
  const writer = async () => {
    while (!isRead && seen.writes.length < 1_000) await write(1)
  }
  const first = Promise.withResolvers<void>()
  slow.write = first.promise
  const writers = [writer()]
  await eventually(() => seen.writes.length === 1)
  // From here on one writes while the other waits, in turn.
  writers.push(writer())
  slow.write = Promise.resolve()
  first.resolve()
  expect(await auth.notes('salt')).toEqual([{ id: 'salt', value: 'value' }])
  isRead = true
  await Promise.all(writers)
  expect(seen.writes.length).toBeLessThan(100)
})
