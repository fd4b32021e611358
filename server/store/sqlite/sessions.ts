import type { Db } from './database.ts'

export type Generation = 'current' | 'last_good'

export interface SignalValue {
  type: string
  id: string
  /** Null deletes. */
  value: Buffer | null
}

export type Sessions = ReturnType<typeof createSessions>

/** Credentials and Signal keys of linked numbers; every value is sealed by the caller. */
export function createSessions(db: Db) {
  const getKey = db.prepare<[number, string, string], { value: Buffer }>(
    'SELECT value FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?',
  )
  const putKey = db.prepare('INSERT OR REPLACE INTO signal_keys (sender_id, type, id, value) VALUES (?, ?, ?, ?)')
  const deleteKey = db.prepare('DELETE FROM signal_keys WHERE sender_id = ? AND type = ? AND id = ?')
  const getCredentials = db.prepare<[number, Generation], { value: Buffer }>(
    'SELECT value FROM credentials WHERE sender_id = ? AND generation = ?',
  )
  const putCredentials = db.prepare(
    'INSERT OR REPLACE INTO credentials (sender_id, generation, value, saved_at) VALUES (?, ?, ?, ?)',
  )
  const wipeKeys = db.prepare('DELETE FROM signal_keys WHERE sender_id = ?')
  const wipeCredentials = db.prepare('DELETE FROM credentials WHERE sender_id = ?')

  /** Credentials are the one thing here that a power cut must not take back: losing them means scanning again. */
  function durably(work: () => void): void {
    db.pragma('synchronous = FULL')
    try {
      db.transaction(work).immediate()
    } finally {
      db.pragma('synchronous = NORMAL')
    }
  }

  return {
    getKey: (senderId: number, type: string, id: string): Buffer | undefined => getKey.get(senderId, type, id)?.value,
    setKeys: db.transaction((senderId: number, values: SignalValue[]) => {
      for (const { type, id, value } of values) {
        if (value === null) deleteKey.run(senderId, type, id)
        else putKey.run(senderId, type, id, value)
      }
    }),
    credentials: (senderId: number, generation: Generation): Buffer | undefined =>
      getCredentials.get(senderId, generation)?.value,
    saveCredentials: (senderId: number, generation: Generation, value: Buffer, at: number): void =>
      durably(() => void putCredentials.run(senderId, generation, value, at)),
    /** A new identity takes the place of whatever was there. */
    beginWith: (senderId: number, value: Buffer, at: number): void =>
      durably(() => {
        wipeKeys.run(senderId)
        wipeCredentials.run(senderId)
        putCredentials.run(senderId, 'current', value, at)
      }),
    wipe: (senderId: number): void =>
      durably(() => {
        wipeKeys.run(senderId)
        wipeCredentials.run(senderId)
      }),
  }
}
