import { onTestFinished } from 'vitest'
import { openTestStore } from './engine.ts'
import { temporaryFolder } from './folder.ts'
import { FAST } from './lane.ts'

export const NOW = Date.UTC(2026, 10, 21, 8)

/** Opens a store for one test, with a linked sender. */
export async function openOwnStore() {
  const store = await openTestStore({ home: temporaryFolder(), now: () => NOW, soon: 0 })
  onTestFinished(store.close)
  const { id } = await store.senders.add({
    ...{ kind: 'linked', code: 'SND-1', settings: FAST, state: 'connected', official: null, createdAt: NOW },
  })
  return { store, senderId: id }
}
