import type { Generation, SessionStore, SignalValue } from '../sessions.ts'
import type { Db } from './database.ts'
import type { GroupCommit } from './group-commit.ts'
import { blob, selecting, text } from './sql.ts'

/**
 * In a file of their own: see migrations/sessions.ts. The steps of all sessions that one stanza needs, and of stanzas that
 * are written at once, share a commit.
 */
export function createSessions(db: Db, { write, drain }: Pick<GroupCommit, 'write' | 'drain'>): SessionStore {
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

  /**
   * Credentials are the one thing here that a power cut must not take back: losing them means scanning again. What was
   * written before goes first.
   */
  function durably(work: () => void): void {
    drain()
    db.pragma('synchronous = FULL')
    try {
      db.transaction(work).immediate()
    } finally {
      db.pragma('synchronous = NORMAL')
    }
  }

  return {
    // A read finds everything that was written before it.
    async getKey(senderId, type, id) {
      drain()
      return getKey.get(senderId, type, id)?.value
    },
    async keysOf(senderId, type) {
      drain()
      return allOfType.all(senderId, type)
    },
    async setKeys(senderId, changes, { durably: isDurable = false } = {}) {
      if (isDurable) durably(() => writeKeys(senderId, changes))
      else await write(() => writeKeys(senderId, changes))
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
