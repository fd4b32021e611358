import { KEY, type KeyRow, type KeyStore } from '../keys.ts'
import type { Context } from './sql.ts'

/**
 * Found by their hash with every request, so they are kept in memory; the database is written
 * first.
 */
export function createKeys({ db, write, remember }: Context): KeyStore {
  let byHash = new Map<string, KeyRow>()
  const reload = remember(['api_keys'], async () => {
    const rows = await db.rows(KEY, 'FROM api_keys ORDER BY number')
    byHash = new Map(rows.map((key) => [key.hash.toString('hex'), key]))
  })

  return {
    list: () => [...byHash.values()],
    byHash: (hash) => byHash.get(hash.toString('hex')),
    async add(key) {
      // Two may get the same number: one is written again.
      const [row] = await write(async (tx) => {
        tx.changed('api_keys')
        return tx.query<{ number: number }>(
          `INSERT INTO api_keys (number, id, kind, name, sender_id, hash, hint, refuse_duplicate_reference,
             refuse_duplicate_content_seconds, rate_limit, created_at, expires_at, scopes)
           SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4::bigint, $5::bytea, $6, $7::bigint, $8::bigint, $9::bigint,
             $10::bigint, $11::bigint, $12 FROM api_keys RETURNING number`,
          [
            ...[key.id, key.kind, key.name, key.senderId, key.hash, key.hint, Number(key.refuseDuplicateReference)],
            ...[key.refuseDuplicateContentSeconds, key.rateLimit, key.createdAt, key.expiresAt, key.scopes],
          ],
        )
      })
      await reload()
      return { ...key, number: row?.number ?? 0, lastUsedAt: null, revokedAt: null }
    },
    async revoke(id, at) {
      const revoked = await write(async (tx) => {
        tx.changed('api_keys')
        return tx.run('UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL', [id, at])
      })
      await reload()
      return revoked > 0
    },
    async markUsed(times) {
      // Each by itself: one that another node holds, as to revoke it, is waited for alone.
      await Promise.all(
        [...times].map(([number, at]) =>
          write((tx) => {
            tx.changed('api_keys')
            return tx.run('UPDATE api_keys SET last_used_at = $2 WHERE number = $1', [number, at])
          }),
        ),
      )
      for (const key of byHash.values()) key.lastUsedAt = times.get(key.number) ?? key.lastUsedAt
    },
  }
}
