import type { OwnerSessionRow, OwnerSessionStore } from '../owner-sessions.ts'
import type { Db, Remember, Write } from './engine.ts'
import { blob, type Columns, integer, selecting, text, textOrNull } from './sql.ts'

const SESSION: Columns<OwnerSessionRow> = {
  id: text('id'),
  cookieHash: blob('cookie_hash'),
  pageHash: blob('page_hash'),
  address: text('address'),
  browser: textOrNull('browser'),
  createdAt: integer('created_at'),
  lastUsedAt: integer('last_used_at'),
}

/**
 * Looked up with every call of the window, so they are kept in memory; the database is written
 * first.
 */
export function createOwnerSessions(db: Db, write: Write, remember: Remember): OwnerSessionStore {
  const sessions = selecting(db, SESSION)('FROM owner_sessions ORDER BY created_at, id')
  const insert = db.prepare(
    `INSERT INTO owner_sessions (id, cookie_hash, page_hash, address, browser, created_at, last_used_at)
     VALUES (@id, @cookieHash, @pageHash, @address, @browser, @createdAt, @lastUsedAt)`,
  )
  const remove = db.prepare('DELETE FROM owner_sessions WHERE id = ?')
  const used = db.prepare('UPDATE owner_sessions SET last_used_at = ? WHERE id = ?')
  let byCookie = new Map<string, OwnerSessionRow>()
  const reload = remember(['owner_sessions'], () => {
    byCookie = new Map(sessions.all().map((session) => [session.cookieHash.toString('hex'), session]))
  })

  return {
    list: () => [...byCookie.values()],
    byCookie: (hash) => byCookie.get(hash.toString('hex')),
    async add(session) {
      await write(() => insert.run(session))
      await reload()
    },
    async remove(id) {
      const removed = await write(() => remove.run(id).changes > 0)
      await reload()
      return removed
    },
    async markUsed(id, at) {
      await write(() => used.run(at, id))
      await reload()
    },
  }
}
