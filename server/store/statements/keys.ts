import type { KeyRow, KeyStore } from '../keys.ts'
import type { Db, Remember, Write } from './engine.ts'
import { blob, type Columns, flag, integer, integerOrNull, selecting, text } from './sql.ts'

const KEY: Columns<KeyRow> = {
  id: text('id'),
  number: integer('number'),
  kind: text('kind'),
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

/**
 * Found by their hash with every request, so they are kept in memory; the database is written
 * first.
 */
export function createKeys(db: Db, write: Write, remember: Remember): KeyStore {
  const keys = selecting(db, KEY)('FROM api_keys ORDER BY number')
  const nextNumber = selecting<{ number: number }>(db, { number: integer('coalesce(max(number), 0) + 1') })(
    'FROM api_keys',
  )
  const insert = db.prepare(
    `INSERT INTO api_keys (id, number, kind, name, sender_id, hash, hint, refuse_duplicate_reference,
       refuse_duplicate_content_seconds, rate_limit, created_at, expires_at)
     VALUES (@id, @number, @kind, @name, @senderId, @hash, @hint, @refuseDuplicateReference,
       @refuseDuplicateContentSeconds, @rateLimit, @createdAt, @expiresAt)`,
  )
  const revoke = db.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const used = db.prepare('UPDATE api_keys SET last_used_at = ? WHERE number = ?')
  let byHash = new Map<string, KeyRow>()
  const reload = remember(['api_keys'], () => {
    byHash = new Map(keys.all().map((key) => [key.hash.toString('hex'), key]))
  })

  return {
    list: () => [...byHash.values()],
    byHash: (hash) => byHash.get(hash.toString('hex')),
    async add(key) {
      const added = await write(() => {
        const number = nextNumber.get()?.number ?? 1
        insert.run({ ...key, number, refuseDuplicateReference: Number(key.refuseDuplicateReference) })
        return { ...key, number, lastUsedAt: null, revokedAt: null }
      })
      await reload()
      return added
    },
    async revoke(id, at) {
      const revoked = await write(() => revoke.run(at, id).changes > 0)
      await reload()
      return revoked
    },
    async markUsed(times) {
      // Each by itself: one that another node holds, as to revoke it, is waited for alone.
      await Promise.all([...times].map(([number, at]) => write(() => void used.run(at, number))))
      for (const key of byHash.values()) key.lastUsedAt = times.get(key.number) ?? key.lastUsedAt
    },
  }
}
