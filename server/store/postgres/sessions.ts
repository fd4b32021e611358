import type { Generation, SessionStore, SignalValue } from '../sessions.ts'
import type { Db, Tx, Write } from '../statements/engine.ts'
import { blob, selecting } from '../statements/sql.ts'

/** Written only by the node that holds the sender: two that use one identity would make WhatsApp end it. */
export function createSessions(db: Db, write: Write, fence: (tx: Tx, senderId: number) => void): SessionStore {
  const values = selecting<{ value: Buffer }>(db, { value: blob('value') })
  const getKey = values<[number, string, string]>('FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?')
  const putKey = db.prepare('INSERT OR REPLACE INTO signal_keys (sender_id, type, id, value) VALUES (?, ?, ?, ?)')
  const deleteKey = db.prepare('DELETE FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?')
  const getCredentials = values<[number, Generation]>('FROM credentials WHERE sender_id = ? AND generation = ?')
  const putCredentials = db.prepare(
    'INSERT OR REPLACE INTO credentials (sender_id, generation, value, saved_at) VALUES (?, ?, ?, ?)',
  )
  const wipeKeys = db.prepare('DELETE FROM signal_keys WHERE sender_id = ?')
  const wipeCredentials = db.prepare('DELETE FROM credentials WHERE sender_id = ?')

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

  function writeKeys(senderId: number, changes: readonly SignalValue[]): void {
    for (const { type, id, value } of changes) {
      if (value === null) deleteKey.run(senderId, type, id)
      else putKey.run(senderId, type, id, value)
    }
  }

  return {
    getKey: async (senderId, type, id) => getKey.get(senderId, type, id)?.value,
    setKeys: (senderId, changes) => inOrder(senderId, () => writeKeys(senderId, changes)),
    credentials: async (senderId, generation) => getCredentials.get(senderId, generation)?.value,
    saveCredentials: (senderId, generation, value, at) =>
      inOrder(senderId, () => void putCredentials.run(senderId, generation, value, at)),
    beginWith: (senderId, value, at) =>
      inOrder(senderId, () => {
        wipeKeys.run(senderId)
        wipeCredentials.run(senderId)
        putCredentials.run(senderId, 'current', value, at)
      }),
    wipe: (senderId) =>
      inOrder(senderId, () => {
        wipeKeys.run(senderId)
        wipeCredentials.run(senderId)
      }),
  }
}
