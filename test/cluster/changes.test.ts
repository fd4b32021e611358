import { expect, onTestFinished, test, vi } from 'vitest'
import { openStore, type Store } from '../../server/store/index.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'

/** Two nodes, neither of which looks by itself for what the other one has changed. */
async function twoNodes(): Promise<[Store, Store]> {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const databaseUrl = await databaseOf(temporaryFolder())
  const open = async (node: string) => {
    const store = await openStore({ home: temporaryFolder(), databaseUrl, node, now: Date.now })
    onTestFinished(store.close)
    return store
  }
  return [await open('a'), await open('b')]
}

test('a key, its end and a setting are known to the other node with the commit, not with its next look', async () => {
  const [one, other] = await twoNodes()
  const hash = Buffer.alloc(32, 7)
  const key = { id: 'k1', kind: 'global' as const, name: 'till', senderId: null, hash, hint: 'abcd' }
  const limits = {
    scopes: 'all' as const,
    refuseDuplicateReference: false,
    refuseDuplicateContentSeconds: null,
    rateLimit: null,
  }
  await one.keys.add({ ...key, ...limits, createdAt: 1, expiresAt: null })
  await eventually(() => other.keys.byHash(hash) !== undefined)
  await one.keys.revoke('k1', 5)
  await eventually(() => other.keys.byHash(hash)?.revokedAt === 5)
  await one.settings.save({ retention_days: 9 })
  await eventually(() => other.settings.all().retention_days === 9)
  expect(one.settings.all()).toMatchObject({ retention_days: 9 })
})

test('a message whose words another node has split is found once', async () => {
  const [one, other] = await twoNodes()
  const sender = { code: 'SND-1', kind: 'linked', settings: FAST, state: 'connected', official: null } as const
  const { id: senderId } = await one.senders.add({ ...sender, createdAt: 1 })
  await one.messages.accept(newRow({ id: 'm', senderId, body: 'tagihan lunas' }), { unique: false })
  const found = async (store: Store) => (await store.messages.list({ text: 'tagihan', limit: 10 })).map(({ id }) => id)
  await one.search.step()
  expect(await found(other)).toEqual(['m'])
  expect(await found(one)).toEqual(['m'])
})
