import { blob, type Columns, integer, text, textOrNull } from './columns.ts'
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
