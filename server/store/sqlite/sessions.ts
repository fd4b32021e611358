import { blob, text } from '../columns.ts'
import type { Credentials, Generation, SessionStore, SignalValue } from '../sessions.ts'
import type { Db } from './database.ts'
import type { GroupCommit } from './group-commit.ts'
import { selecting } from './sql.ts'

/**
 * In a file of their own: see schema.ts. The steps of all sessions that one stanza needs, and of
 * stanzas that are written at once, share a commit.
 */
export function createSessions(db: Db, { write, drain }: GroupCommit): SessionStore {
  const rows = createSessionRows(db)

  return {
    // A read finds everything that was written before it.
    async getKey(senderId, type, id) {
      drain()
      return rows.getKey(senderId, type, id)
    },
    async keysOf(senderId, type) {
      drain()
      return rows.keysOf(senderId, type)
    },
    setKeys: (senderId, changes) => write(() => rows.writeKeys(senderId, changes)),
    credentials: async (senderId, generation) => rows.credentials(senderId, generation),
    async change(senderId, { keep, credentials, keys = [] }) {
      // At once; what was written before goes first.
      drain()
      db.transaction(() => {
        if (keep !== undefined) rows.wipe(senderId, keep)
        if (credentials !== undefined) rows.saveCredentials(senderId, credentials)
        rows.writeKeys(senderId, keys)
      }).immediate()
    },
  }
}

function createSessionRows(db: Db) {
  const values = selecting(db, { value: blob('value') })
  const getKey = values<[number, string, string]>('FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?')
  const allOfType = selecting(db, { id: text('id'), value: blob('value') })<[number, string]>(
    'FROM signal_keys WHERE sender_id = ? AND type = ? ORDER BY id',
  )
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

  return {
    getKey: (senderId: number, type: string, id: string) => getKey.get(senderId, type, id)?.value,
    keysOf: (senderId: number, type: string) => allOfType.all(senderId, type),
    credentials: (senderId: number, generation: Generation) => getCredentials.get(senderId, generation)?.value,
    writeKeys(senderId: number, changes: readonly SignalValue[]): void {
      for (const { type, id, value } of changes) {
        if (value === null) deleteKey.run(senderId, type, id)
        else putKey.run(senderId, type, id, value)
      }
    },
    saveCredentials(senderId: number, { generation, value, at }: Credentials): void {
      putCredentials.run(senderId, generation, value, at)
    },
    wipe(senderId: number, keep: readonly string[]): void {
      wipeKeys.run(senderId, JSON.stringify(keep))
      wipeCredentials.run(senderId)
    },
  }
}
