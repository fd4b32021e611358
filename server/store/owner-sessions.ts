import { blob, type Columns, integer, text, textOrNull, writing } from './columns.ts'
import type { Statements } from './statements.ts'

/** A browser that is logged in as the owner. */
export interface OwnerSessionRow {
  id: string
  /** SHA-256 of what is in its cookie. */
  cookieHash: Buffer
  /** SHA-256 of what its pages send with every call. */
  pageHash: Buffer
  address: string
  browser: string | null
  createdAt: number
  lastUsedAt: number
}

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface OwnerSessionStore {
  list(): OwnerSessionRow[]
  byCookie(hash: Buffer): OwnerSessionRow | undefined

  add(session: OwnerSessionRow): Promise<void>
  /** False: unknown. */
  remove(id: string): Promise<boolean>
  markUsed(id: string, at: number): Promise<void>
}

export const OWNER_SESSION: Columns<OwnerSessionRow> = {
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
export function createOwnerSessions({ rows, bind, insert, keep }: Statements): OwnerSessionStore {
  let byCookie = new Map<string, OwnerSessionRow>()
  const read = rows(OWNER_SESSION, 'FROM owner_sessions ORDER BY created_at, id')
  const { change } = keep('owner_sessions', async () => {
    byCookie = new Map((await read()).map((session) => [session.cookieHash.toString('hex'), session]))
  })
  const put = insert('owner_sessions', writing(OWNER_SESSION))
  const remove = bind('DELETE FROM owner_sessions WHERE id = $1')
  const used = bind('UPDATE owner_sessions SET last_used_at = $2 WHERE id = $1')
  return {
    list: () => [...byCookie.values()],
    byCookie: (hash) => byCookie.get(hash.toString('hex')),
    async add(session) {
      await change(...put([session]))
    },
    remove: async (id) => (await change(remove(id))) > 0,
    async markUsed(id, at) {
      await change(used(id, at))
    },
  }
}
