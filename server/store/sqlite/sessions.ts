import type { SessionStore } from '../sessions.ts'
import { createSessionRows } from '../statements/session-rows.ts'
import type { Db } from './database.ts'

/** In a file of their own, with transactions of their own: see migrations/sessions.ts. */
export function createSessions(db: Db): SessionStore {
  const rows = createSessionRows(db)
  const setKeys = db.transaction(rows.writeKeys)

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
    getKey: async (senderId, type, id) => rows.getKey(senderId, type, id),
    keysOf: async (senderId, type) => rows.keysOf(senderId, type),
    setKeys: async (senderId, changes, { durably: isDurable = false } = {}) => {
      if (isDurable) durably(() => rows.writeKeys(senderId, changes))
      else setKeys(senderId, changes)
    },
    credentials: async (senderId, generation) => rows.credentials(senderId, generation),
    saveCredentials: async (senderId, generation, value, at) =>
      durably(() => rows.saveCredentials(senderId, generation, value, at)),
    beginWith: async (senderId, value, at, { keep = [], also = [] } = {}) =>
      durably(() => {
        rows.wipe(senderId, keep)
        rows.saveCredentials(senderId, 'current', value, at)
        rows.writeKeys(senderId, also)
      }),
    wipe: async (senderId, keep = []) => durably(() => rows.wipe(senderId, keep)),
  }
}
