import { OWNER_SESSION, type OwnerSessionRow, type OwnerSessionStore } from '../owner-sessions.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

/**
 * Looked up with every call of the window, so they are kept in memory; the database is written
 * first.
 */
export function createOwnerSessions(db: Db, write: Write): OwnerSessionStore {
  const sessions = selecting(db, OWNER_SESSION)('FROM owner_sessions ORDER BY created_at, id')
  const insert = db.prepare(
    `INSERT INTO owner_sessions (id, cookie_hash, page_hash, address, browser, created_at, last_used_at)
     VALUES (@id, @cookieHash, @pageHash, @address, @browser, @createdAt, @lastUsedAt)`,
  )
  const remove = db.prepare('DELETE FROM owner_sessions WHERE id = ?')
  const used = db.prepare('UPDATE owner_sessions SET last_used_at = ? WHERE id = ?')
  let byCookie = new Map<string, OwnerSessionRow>()
  const load = () => {
    byCookie = new Map(sessions.all().map((session) => [session.cookieHash.toString('hex'), session]))
  }
  load()

  return {
    list: () => [...byCookie.values()],
    byCookie: (hash) => byCookie.get(hash.toString('hex')),
    async add(session) {
      await write(() => insert.run(session))
      load()
    },
    async remove(id) {
      const removed = await write(() => remove.run(id).changes > 0)
      load()
      return removed
    },
    async markUsed(id, at) {
      await write(() => used.run(at, id))
      load()
    },
  }
}
