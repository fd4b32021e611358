import {
  type IdempotencyKey,
  type IdempotencyRecord,
  type IdempotencyStore,
  KEPT_CALL,
  keptCall,
  type StoredAnswer,
} from '../idempotency.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface IdempotencyStatements extends IdempotencyStore {
  /** True if a call that counts used this key. */
  isUsed(tx: Tx, record: IdempotencyRecord): boolean
  /** Writes the call down; false: another one was quicker. */
  take(tx: Tx, record: IdempotencyRecord, messageId: string, at: number): boolean
  conclude(tx: Tx, key: IdempotencyKey, answer: StoredAnswer | null): void
}

export function createIdempotency(db: Db, write: Write): IdempotencyStatements {
  const select = selecting(
    db,
    KEPT_CALL,
  )<[IdempotencyKey & { since: number }]>(
    'FROM idempotency WHERE scope = @scope AND key = @key AND created_at >= @since',
  )
  const put = db.prepare(
    `INSERT INTO idempotency (scope, key, body_hash, message_id, status, answer, created_at)
     VALUES (@scope, @key, @hash, @messageId, @status, @answer, @at)
     ON CONFLICT DO UPDATE SET body_hash = excluded.body_hash, message_id = excluded.message_id, status = excluded.status,
       answer = excluded.answer, created_at = excluded.created_at WHERE idempotency.created_at < @since`,
  )
  const settle = db.prepare('UPDATE idempotency SET status = ?, answer = ? WHERE scope = ? AND key = ?')
  const forget = db.prepare('DELETE FROM idempotency WHERE scope = ? AND key = ?')
  const expire = db.prepare('DELETE FROM idempotency WHERE created_at < ?')
  return {
    find: async ({ scope, key }, since) => keptCall(select.get({ scope, key, since })),
    isUsed: (_tx, { scope, key, since }) => select.get({ scope, key, since }) !== undefined,
    take(_tx, { scope, key, hash, answer, since }, messageId, at) {
      const [status, body] = [answer?.status ?? null, answer?.body ?? null]
      return put.run({ scope, key, hash, messageId, status, answer: body, at, since }).changes > 0
    },
    conclude(_tx, { scope, key }, answer) {
      if (answer === null) forget.run(scope, key)
      else settle.run(answer.status, answer.body, scope, key)
    },
    expire: (before) => write(() => expire.run(before).changes),
  }
}
