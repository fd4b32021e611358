import type { Generation, SessionStore, SignalValue } from '../sessions.ts'
import { blob, selecting } from '../statements/sql.ts'
import type { Db } from './database.ts'

/** In a file of their own, with transactions of their own: see migrations/sessions.ts. */
export function createSessions(db: Db): SessionStore {
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

  const setKeys = db.transaction((senderId: number, changes: readonly SignalValue[]) => {
    for (const { type, id, value } of changes) {
      if (value === null) deleteKey.run(senderId, type, id)
      else putKey.run(senderId, type, id, value)
    }
  })

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
    setKeys: async (senderId, changes) => setKeys(senderId, changes),
    credentials: async (senderId, generation) => getCredentials.get(senderId, generation)?.value,
    saveCredentials: async (senderId, generation, value, at) =>
      durably(() => void putCredentials.run(senderId, generation, value, at)),
    beginWith: async (senderId, value, at) =>
      durably(() => {
        wipeKeys.run(senderId)
        wipeCredentials.run(senderId)
        putCredentials.run(senderId, 'current', value, at)
      }),
    wipe: async (senderId) =>
      durably(() => {
        wipeKeys.run(senderId)
        wipeCredentials.run(senderId)
      }),
  }
}
