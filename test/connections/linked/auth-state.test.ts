import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAuthState } from '../../../server/connections/linked/auth-state.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createVault } from '../../../server/lib/vault.ts'
import { createWorld } from './world.ts'

/** The keys of one sender on a store that is far away: its answers arrive when the test lets them. */
async function onSlowStore() {
  const { store, senderId } = await createWorld()
  const slow = { read: Promise.resolve(), write: Promise.resolve() }
  const disk = { full: false }
  const vault = createVault(randomBytes(32))

  /** With nothing in memory yet. */
  async function open() {
    const auth = createAuthState({
      senderId,
      sessions: {
        ...store.sessions,
        async getKey(...args) {
          const arrives = slow.read
          const value = await store.sessions.getKey(...args)
          await arrives
          return value
        },
        async setKeys(...args) {
          if (disk.full) throw new Error('disk full')
          const arrives = slow.write
          const written = store.sessions.setKeys(...args)
          await arrives
          await written
        },
      },
      vault,
      clock: systemClock,
      logger: createLogger('silent'),
    })
    const creds = (await auth.load()) ?? auth.fresh()
    if (creds.account === undefined) {
      creds.account = {}
      await auth.begin(creds, { sameAccount: true, former: undefined })
    }
    const keys = auth.keysOf(creds)
    return {
      read: async () => (await keys.get('session', ['a'])).a?.[0],
      write: async (step: number) => keys.set({ session: { a: new Uint8Array([step]) } }),
    }
  }
  return { slow, disk, open }
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

test('of two steps that are written at once the later one counts, whichever is done first', async () => {
  const { slow, open } = await onSlowStore()
  const { read, write } = await open()
  const first = Promise.withResolvers<void>()
  slow.write = first.promise
  const writing = write(1)
  slow.write = Promise.resolve()
  await write(2)
  first.resolve()
  await writing
  expect(await read()).toBe(2)
})

test('a step that could not be written is not remembered as if it were', async () => {
  const { disk, open } = await onSlowStore()
  const { read, write } = await open()
  await write(1)
  disk.full = true
  await expect(write(2)).rejects.toThrow('disk full')
  expect(await read()).toBe(1)
})
