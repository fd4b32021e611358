import type { SessionStore } from '../sessions.ts'
import { createSessionRows } from '../statements/session-rows.ts'
import type { Db } from './database.ts'
import type { GroupCommit } from './group-commit.ts'

/**
 * In a file of their own: see schema.ts. The steps of all sessions that one stanza needs, and of
 * stanzas that are written at once, share a commit.
 */
export function createSessions(db: Db, { write, drain }: Pick<GroupCommit, 'write' | 'drain'>): SessionStore {
  const rows = createSessionRows(db)

  /** At once; what was written before goes first. */
  function now(work: () => void): void {
    drain()
    db.transaction(work).immediate()
  }

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
    saveCredentials: async (senderId, generation, value, at) =>
      now(() => rows.saveCredentials(senderId, generation, value, at)),
    beginWith: async (senderId, value, at, { keep = [], also = [] } = {}) =>
      now(() => {
        rows.wipe(senderId, keep)
        rows.saveCredentials(senderId, 'current', value, at)
        rows.writeKeys(senderId, also)
      }),
    wipe: async (senderId, keep = []) => now(() => rows.wipe(senderId, keep)),
  }
}
