import type { SessionStore } from '../sessions.ts'
import type { Db, Tx, Write } from '../statements/engine.ts'
import { createSessionRows } from '../statements/session-rows.ts'

/** Written only by the node that holds the sender: two that use one identity would make WhatsApp end it. */
export function createSessions(db: Db, write: Write, fence: (tx: Tx, senderId: number) => void): SessionStore {
  const rows = createSessionRows(db)
  /** The newest call of each sender: the next one begins when it has ended. */
  const newest = new Map<number, Promise<unknown>>()

  function inOrder(senderId: number, work: () => void): Promise<void> {
    const before = newest.get(senderId) ?? Promise.resolve()
    const mine = before.then(() =>
      write((tx) => {
        fence(tx, senderId)
        work()
      }),
    )
    newest.set(
      senderId,
      mine.catch(() => undefined),
    )
    return mine
  }

  return {
    getKey: async (senderId, type, id) => rows.getKey(senderId, type, id),
    keysOf: async (senderId, type) => rows.keysOf(senderId, type),
    setKeys: (senderId, changes) => inOrder(senderId, () => rows.writeKeys(senderId, changes)),
    credentials: async (senderId, generation) => rows.credentials(senderId, generation),
    saveCredentials: (senderId, generation, value, at) =>
      inOrder(senderId, () => rows.saveCredentials(senderId, generation, value, at)),
    beginWith: (senderId, value, at, { keep = [], also = [] } = {}) =>
      inOrder(senderId, () => {
        rows.wipe(senderId, keep)
        rows.saveCredentials(senderId, 'current', value, at)
        rows.writeKeys(senderId, also)
      }),
    wipe: (senderId, keep = []) => inOrder(senderId, () => rows.wipe(senderId, keep)),
  }
}
