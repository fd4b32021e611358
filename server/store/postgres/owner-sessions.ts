import { OWNER_SESSION, type OwnerSessionRow, type OwnerSessionStore } from '../owner-sessions.ts'
import type { Context, Value } from './sql.ts'

/**
 * Looked up with every call of the window, so they are kept in memory; the database is written
 * first.
 */
export function createOwnerSessions({ db, write, remember }: Context): OwnerSessionStore {
  let byCookie = new Map<string, OwnerSessionRow>()
  const reload = remember(['owner_sessions'], async () => {
    const rows = await db.rows(OWNER_SESSION, 'FROM owner_sessions ORDER BY created_at, id')
    byCookie = new Map(rows.map((session) => [session.cookieHash.toString('hex'), session]))
  })

  async function change(statement: string, values: readonly Value[]): Promise<boolean> {
    const changes = await write((tx) => {
      tx.changed('owner_sessions')
      return tx.run(statement, values)
    })
    await reload()
    return changes > 0
  }

  return {
    list: () => [...byCookie.values()],
    byCookie: (hash) => byCookie.get(hash.toString('hex')),
    async add({ id, cookieHash, pageHash, address, browser, createdAt, lastUsedAt }) {
      await change(
        `INSERT INTO owner_sessions (id, cookie_hash, page_hash, address, browser, created_at, last_used_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, cookieHash, pageHash, address, browser, createdAt, lastUsedAt],
      )
    },
    remove: (id) => change('DELETE FROM owner_sessions WHERE id = $1', [id]),
    async markUsed(id, at) {
      await change('UPDATE owner_sessions SET last_used_at = $2 WHERE id = $1', [id, at])
    },
  }
}
