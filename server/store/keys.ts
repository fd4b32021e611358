import { blob, type Columns, flag, integer, integerOrNull, placesOf, text, valuesOf, writing } from './columns.ts'
import type { Statements } from './statements.ts'

export interface NewKey {
  id: string
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
  expiresAt: number | null
}

export interface KeyRow extends NewKey {
  /** Short name inside the database. */
  number: number
  lastUsedAt: number | null
  revokedAt: number | null
}

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface KeyStore {
  list(): KeyRow[]
  byHash(hash: Buffer): KeyRow | undefined

  add(key: NewKey): Promise<KeyRow>
  /** False: unknown, or revoked before. */
  revoke(id: string, at: number): Promise<boolean>
  /** Times of last use by the number of a key. */
  markUsed(times: ReadonlyMap<number, number>): Promise<void>
}

const NEW_KEY: Columns<NewKey> = {
  id: text('id'),
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
  expiresAt: integerOrNull('expires_at'),
}
const WRITTEN = writing(NEW_KEY)

const KEY: Columns<KeyRow> = {
  ...NEW_KEY,
  number: integer('number'),
  lastUsedAt: integerOrNull('last_used_at'),
  revokedAt: integerOrNull('revoked_at'),
}

/**
 * Found by their hash with every request, so they are kept in memory; the database is written
 * first.
 */
export function createKeys({ rows, bind, keep }: Statements): KeyStore {
  let byHash = new Map<string, KeyRow>()
  const read = rows(KEY, 'FROM api_keys ORDER BY number')
  const { change } = keep('api_keys', async () => {
    byHash = new Map((await read()).map((key) => [key.hash.toString('hex'), key]))
  })
  // Two nodes may give the same number: one of them writes again.
  const put = bind(
    `INSERT INTO api_keys (number, ${Object.keys(WRITTEN)})
     VALUES ((SELECT coalesce(max(number), 0) + 1 FROM api_keys), ${placesOf(WRITTEN)})`,
  )
  const revoke = bind('UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL')
  const used = bind('UPDATE api_keys SET last_used_at = $2 WHERE number = $1')
  return {
    list: () => [...byHash.values()],
    byHash: (hash) => byHash.get(hash.toString('hex')),
    async add(key) {
      await change(put(...valuesOf(WRITTEN, key)))
      const added = [...byHash.values()].find(({ id }) => id === key.id)
      if (added === undefined) throw new Error(`key ${key.id} is not there after it was written`)
      return added
    },
    revoke: async (id, at) => (await change(revoke(id, at))) > 0,
    async markUsed(times) {
      // Each by itself: one that another node holds, as to revoke it, is waited for alone.
      await Promise.all([...times].map(([number, at]) => change(used(number, at))))
    },
  }
}
