import type { IdempotencyKey, IdempotencyRecord, IdempotencyStore, StoredAnswer } from '../idempotency.ts'
import type { Db, Tx, Write } from './engine.ts'
import { blob, integerOrNull, selecting, textOrNull } from './sql.ts'

interface Stored {
  hash: Buffer
  messageId: string | null
  status: number | null
  answer: string | null
}

export interface IdempotencyStatements extends IdempotencyStore {
  /** True if a call used this key at or after `since`. */
  isUsed(tx: Tx, key: IdempotencyKey, since: number): boolean
  /** Writes the call down; false: another one was quicker, at or after `since`. */
  take(tx: Tx, record: IdempotencyRecord, messageId: string, at: number, since: number): boolean
  conclude(tx: Tx, key: IdempotencyKey, answer: StoredAnswer | null): void
}

export function createIdempotency(db: Db, write: Write): IdempotencyStatements {
  const select = selecting<Stored>(db, {
    hash: blob('body_hash'),
    messageId: textOrNull('message_id'),
    status: integerOrNull('status'),
    answer: textOrNull('answer'),
  })<[IdempotencyKey & { since: number }]>(
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
    async find({ scope, key }, since) {
      const row = select.get({ scope, key, since })
      if (row === undefined) return undefined
      const { hash, messageId, status, answer } = row
      return { hash, messageId, answer: status === null || answer === null ? null : { status, body: answer } }
    },
    isUsed: (_tx, { scope, key }, since) => select.get({ scope, key, since }) !== undefined,
    take(_tx, { scope, key, hash, answer }, messageId, at, since) {
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
