import { blob, text } from '../columns.ts'
import type { Generation, SessionStore, SignalValue } from '../linked.ts'
import type { Db } from './database.ts'
import type { GroupCommit } from './group-commit.ts'
import { selecting } from './sql.ts'

/**
 * Creates the store of sessions, which has a file of its own (schema.ts). Writes to all sessions
 * that one stanza needs share a commit, and so do stanzas that are written at the same time.
 */
export function createSessions(db: Db, { write, drain }: GroupCommit): SessionStore {
  const values = selecting(db, { value: blob('value') })
  const key = values<[number, string, string]>('FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?')
  const keysOfType = selecting(db, { id: text('id'), value: blob('value') })<[number, string]>(
    'FROM signal_keys WHERE sender_id = ? AND type = ? ORDER BY id',
  )
  const putKey = db.prepare('INSERT OR REPLACE INTO signal_keys (sender_id, type, id, value) VALUES (?, ?, ?, ?)')
  const deleteKey = db.prepare('DELETE FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?')
  const credentialsOf = values<[number, Generation]>('FROM credentials WHERE sender_id = ? AND generation = ?')
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

  return {
    // Commit first, so that a read finds everything that was written before it.
    async getKey(senderId, type, id) {
      drain()
      return key.get(senderId, type, id)?.value
    },
    async keysOf(senderId, type) {
      drain()
      return keysOfType.all(senderId, type)
    },
    setKeys: (senderId, changes) => write(() => writeKeys(senderId, changes)),
    credentials: async (senderId, generation) => credentialsOf.get(senderId, generation)?.value,
    async change(senderId, { keep, credentials, keys = [] }) {
      const written = write(() => {
        if (keep !== undefined) {
          wipeKeys.run(senderId, JSON.stringify(keep))
          wipeCredentials.run(senderId)
        }
        if (credentials !== undefined)
          putCredentials.run(senderId, credentials.generation, credentials.value, credentials.at)
        writeKeys(senderId, keys)
      })
      drain()
      await written
    },
  }
}
