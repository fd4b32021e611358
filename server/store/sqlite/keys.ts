import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

export interface KeyRow {
  id: string
  /** Short name inside the database. */
  number: number
  kind: 'global' | 'device'
  name: string
  senderId: number | null
  /** SHA-256 of the key. */
  hash: Buffer
  hint: string
  refuseDuplicateReference: boolean
  rateLimit: number | null
  createdAt: number
  lastUsedAt: number | null
  expiresAt: number | null
  revokedAt: number | null
}

type Raw = Omit<KeyRow, 'refuseDuplicateReference'> & { refuseDuplicateReference: number }

export type Keys = ReturnType<typeof createKeyStore>

/** API keys, found by their hash in memory on every request. */
export function createKeyStore(db: Db, write: Write) {
  const select = db.prepare<[], Raw>(
    `SELECT id, number, kind, name, sender_id AS senderId, hash, hint, refuse_duplicate_reference AS refuseDuplicateReference,
       rate_limit AS rateLimit, created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt,
       revoked_at AS revokedAt FROM api_keys ORDER BY number`,
  )
  const insert = db.prepare(
    `INSERT INTO api_keys (id, number, kind, name, sender_id, hash, hint, refuse_duplicate_reference, rate_limit, created_at,
       expires_at) SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM api_keys`,
  )
  const revoke = db.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const used = db.prepare('UPDATE api_keys SET last_used_at = ? WHERE number = ?')
  let byHash = new Map<string, KeyRow>()
  const reload = () => {
    const rows = select.all().map((raw) => ({ ...raw, refuseDuplicateReference: raw.refuseDuplicateReference === 1 }))
    byHash = new Map(rows.map((row) => [row.hash.toString('hex'), row]))
  }
  reload()

  return {
    list: (): KeyRow[] => [...byHash.values()],
    byHash: (hash: Buffer): KeyRow | undefined => byHash.get(hash.toString('hex')),
    async add(key: Omit<KeyRow, 'number' | 'lastUsedAt' | 'revokedAt'>): Promise<KeyRow> {
      await write(() =>
        insert.run(
          ...[key.id, key.kind, key.name, key.senderId, key.hash, key.hint, Number(key.refuseDuplicateReference)],
          ...[key.rateLimit, key.createdAt, key.expiresAt],
        ),
      )
      reload()
      return byHash.get(key.hash.toString('hex')) as KeyRow
    },
    async revoke(id: string, at: number): Promise<boolean> {
      const revoked = await write(() => revoke.run(at, id).changes > 0)
      reload()
      return revoked
    },
    /** Written now and then, not with each request. */
    async markUsed(times: ReadonlyMap<number, number>): Promise<void> {
      await write(() => {
        for (const [number, at] of times) used.run(at, number)
      })
      for (const key of byHash.values()) key.lastUsedAt = times.get(key.number) ?? key.lastUsedAt
    },
  }
}
