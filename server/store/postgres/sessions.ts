import type { SessionStore } from '../sessions.ts'
import type { Db, Tx, Write } from '../statements/engine.ts'
import { createSessionRows } from '../statements/session-rows.ts'

export interface SessionsDeps {
  db: Db
  read: <T>(work: () => T) => Promise<T>
  write: Write
  fence: (tx: Tx, senderId: number) => void
}

/**
 * Written only by the node that holds the sender: two that use one identity would make WhatsApp end
 * it.
 */
export function createSessions({ db, read, write, fence }: SessionsDeps): SessionStore {
  const rows = createSessionRows(db)
  /** The newest write of each sender: the next one begins when it has ended. */
  const newest = new Map<number, Promise<unknown>>()

  /** A read finds everything that was written before it. */
  async function afterWrites<T>(senderId: number, work: () => T): Promise<T> {
    await newest.get(senderId)
    return read(work)
  }

  function inOrder(senderId: number, work: () => void): Promise<void> {
    const before = newest.get(senderId) ?? Promise.resolve()
    const mine = before.then(() =>
      write((tx) => {
        fence(tx, senderId)
        work()
      }),
    )
    const ended = mine
      .catch(() => undefined)
      .then(() => {
        if (newest.get(senderId) === ended) newest.delete(senderId)
      })
    newest.set(senderId, ended)
    return mine
  }

  return {
    getKey: (senderId, type, id) => afterWrites(senderId, () => rows.getKey(senderId, type, id)),
    keysOf: (senderId, type) => afterWrites(senderId, () => rows.keysOf(senderId, type)),
    setKeys: (senderId, changes) => inOrder(senderId, () => rows.writeKeys(senderId, changes)),
    credentials: (senderId, generation) => afterWrites(senderId, () => rows.credentials(senderId, generation)),
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
