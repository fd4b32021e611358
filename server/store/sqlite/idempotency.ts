import type { IdempotencyKey, IdempotencyRecord, IdempotencyStore, StoredAnswer } from '../idempotency.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { blob, integerOrNull, selecting, textOrNull } from './sql.ts'

interface Stored {
  hash: Buffer
  messageId: string | null
  status: number | null
  answer: string | null
}

export interface SqliteIdempotency extends IdempotencyStore {
  /** Whether a call used this key at or after `since`. */
  isUsed(tx: Tx, key: IdempotencyKey, since: number): boolean
  put(tx: Tx, record: IdempotencyRecord, messageId: string, at: number): void
  conclude(tx: Tx, key: IdempotencyKey, answer: StoredAnswer | null): void
}

export function createIdempotency(db: Db, write: Write): SqliteIdempotency {
  const select = selecting<Stored>(db, {
    hash: blob('body_hash'),
    messageId: textOrNull('message_id'),
    status: integerOrNull('status'),
    answer: textOrNull('answer'),
  })<[IdempotencyKey & { since: number }]>(
    'FROM idempotency WHERE scope = @scope AND key = @key AND created_at >= @since',
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO idempotency (scope, key, body_hash, message_id, status, answer, created_at)
     VALUES (@scope, @key, @hash, @messageId, @status, @answer, @at)`,
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
    put: (_tx, { scope, key, hash, answer }, messageId, at) =>
      void put.run({ scope, key, hash, messageId, status: answer?.status ?? null, answer: answer?.body ?? null, at }),
    conclude(_tx, { scope, key }, answer) {
      if (answer === null) forget.run(scope, key)
      else settle.run(answer.status, answer.body, scope, key)
    },
    expire: (before) => write(() => expire.run(before).changes),
  }
}
