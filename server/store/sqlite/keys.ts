import { integer } from '../columns.ts'
import { KEY, type KeyRow, type KeyStore } from '../keys.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

/**
 * Found by their hash with every request, so they are kept in memory; the database is written
 * first.
 */
export function createKeys(db: Db, write: Write): KeyStore {
  const keys = selecting(db, KEY)('FROM api_keys ORDER BY number')
  const nextNumber = selecting<{ number: number }>(db, { number: integer('coalesce(max(number), 0) + 1') })(
    'FROM api_keys',
  )
  const insert = db.prepare(
    `INSERT INTO api_keys (id, number, kind, name, sender_id, hash, hint, refuse_duplicate_reference,
       refuse_duplicate_content_seconds, rate_limit, created_at, expires_at, scopes)
     VALUES (@id, @number, @kind, @name, @senderId, @hash, @hint, @refuseDuplicateReference,
       @refuseDuplicateContentSeconds, @rateLimit, @createdAt, @expiresAt, @scopes)`,
  )
  const revoke = db.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const used = db.prepare('UPDATE api_keys SET last_used_at = ? WHERE number = ?')
  let byHash = new Map<string, KeyRow>()
  const load = () => {
    byHash = new Map(keys.all().map((key) => [key.hash.toString('hex'), key]))
  }
  load()

  return {
    list: () => [...byHash.values()],
    byHash: (hash) => byHash.get(hash.toString('hex')),
    async add(key) {
      const added = await write(() => {
        const number = nextNumber.get()?.number ?? 1
        insert.run({ ...key, number, refuseDuplicateReference: Number(key.refuseDuplicateReference) })
        return { ...key, number, lastUsedAt: null, revokedAt: null }
      })
      load()
      return added
    },
    async revoke(id, at) {
      const revoked = await write(() => revoke.run(at, id).changes > 0)
      load()
      return revoked
    },
    async markUsed(times) {
      await write(() => {
        for (const [number, at] of times) used.run(at, number)
      })
      for (const key of byHash.values()) key.lastUsedAt = times.get(key.number) ?? key.lastUsedAt
    },
  }
}
