import type { Generation, SessionStore, SignalValue } from '../sessions.ts'
import type { Db } from './database.ts'
import { blob, selecting, text } from './sql.ts'

/** In a file of their own, with transactions of their own: see migrations/sessions.ts. */
export function createSessions(db: Db): SessionStore {
  const values = selecting<{ value: Buffer }>(db, { value: blob('value') })
  const getKey = values<[number, string, string]>('FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?')
  const allOfType = selecting<{ id: string; value: Buffer }>(db, { id: text('id'), value: blob('value') })<
    [number, string]
  >('FROM signal_keys WHERE sender_id = ? AND type = ? ORDER BY id')
  const putKey = db.prepare('INSERT OR REPLACE INTO signal_keys (sender_id, type, id, value) VALUES (?, ?, ?, ?)')
  const deleteKey = db.prepare('DELETE FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?')
  const getCredentials = values<[number, Generation]>('FROM credentials WHERE sender_id = ? AND generation = ?')
  const putCredentials = db.prepare(
    'INSERT OR REPLACE INTO credentials (sender_id, generation, value, saved_at) VALUES (?, ?, ?, ?)',
  )
  const wipeKeys = db.prepare(
    'DELETE FROM signal_keys WHERE sender_id = ? AND type NOT IN (SELECT value FROM json_each(?))',
  )
  const wipeCredentials = db.prepare('DELETE FROM credentials WHERE sender_id = ?')

  function writeKeys(senderId: number, changes: readonly SignalValue[]): void {
    for (const { type, id, value } of changes) {
      if (value === null) deleteKey.run(senderId, type, id)
      else putKey.run(senderId, type, id, value)
    }
  }
  const setKeys = db.transaction(writeKeys)

  /** Credentials are the one thing here that a power cut must not take back: losing them means scanning again. */
  function durably(work: () => void): void {
    db.pragma('synchronous = FULL')
    try {
      db.transaction(work).immediate()
    } finally {
      db.pragma('synchronous = NORMAL')
    }
  }

  // Each call does its work before it returns, so that they take effect in their order.
  return {
    getKey: async (senderId, type, id) => getKey.get(senderId, type, id)?.value,
    keysOf: async (senderId, type) => allOfType.all(senderId, type),
    setKeys: async (senderId, changes, { durably: isDurable = false } = {}) => {
      if (isDurable) durably(() => writeKeys(senderId, changes))
      else setKeys(senderId, changes)
    },
    credentials: async (senderId, generation) => getCredentials.get(senderId, generation)?.value,
    saveCredentials: async (senderId, generation, value, at) =>
      durably(() => void putCredentials.run(senderId, generation, value, at)),
    beginWith: async (senderId, value, at, { keep = [], also = [] } = {}) =>
      durably(() => {
        wipeKeys.run(senderId, JSON.stringify(keep))
        wipeCredentials.run(senderId)
        putCredentials.run(senderId, 'current', value, at)
        writeKeys(senderId, also)
      }),
    wipe: async (senderId, keep = []) =>
      durably(() => {
        wipeKeys.run(senderId, JSON.stringify(keep))
        wipeCredentials.run(senderId)
      }),
  }
}
