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
