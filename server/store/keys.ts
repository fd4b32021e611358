import { blob, type Columns, flag, integer, integerOrNull, text } from './columns.ts'
export interface KeyRow {
  id: string
  /** Short name inside the database. */
  number: number
  kind: 'global' | 'device'
  /** `read`: it sends and changes nothing. */
  scopes: 'all' | 'read'
  name: string
  /** The one sender of a device key. */
  senderId: number | null
  /** SHA-256 of the key. */
  hash: Buffer
  /** The last characters of the key. */
  hint: string
  refuseDuplicateReference: boolean
  /** Null: the same content may be sent again at once. */
  refuseDuplicateContentSeconds: number | null
  /** Calls a minute. */
  rateLimit: number | null
  createdAt: number
  lastUsedAt: number | null
  expiresAt: number | null
  revokedAt: number | null
}

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface KeyStore {
  list(): KeyRow[]
  byHash(hash: Buffer): KeyRow | undefined

  add(key: Omit<KeyRow, 'number' | 'lastUsedAt' | 'revokedAt'>): Promise<KeyRow>
  /** False: unknown, or revoked before. */
  revoke(id: string, at: number): Promise<boolean>
  /** Times of last use by the number of a key. */
  markUsed(times: ReadonlyMap<number, number>): Promise<void>
}

export const KEY: Columns<KeyRow> = {
  id: text('id'),
  number: integer('number'),
  kind: text('kind'),
  scopes: text('scopes'),
  name: text('name'),
  senderId: integerOrNull('sender_id'),
  hash: blob('hash'),
  hint: text('hint'),
  refuseDuplicateReference: flag('refuse_duplicate_reference'),
  refuseDuplicateContentSeconds: integerOrNull('refuse_duplicate_content_seconds'),
  rateLimit: integerOrNull('rate_limit'),
  createdAt: integer('created_at'),
  lastUsedAt: integerOrNull('last_used_at'),
  expiresAt: integerOrNull('expires_at'),
  revokedAt: integerOrNull('revoked_at'),
}
