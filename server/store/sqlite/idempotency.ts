import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

export interface RememberedAnswer {
  bodyHash: Buffer
  messageId: string | null
  /** Null while nobody knows the outcome: the process ended in the middle. */
  status: number | null
  answer: string | null
  createdAt: number
}

const KEPT = new Set([200, 422, 504])

export type Idempotency = ReturnType<typeof createIdempotency>

/** Answers kept for callers who ask again. `scope` is the API key and the route. */
export function createIdempotency(db: Db, write: Write) {
  const select = db.prepare<[string, string], RememberedAnswer>(
    `SELECT body_hash AS bodyHash, message_id AS messageId, status, answer, created_at AS createdAt
     FROM idempotency WHERE scope = ? AND key = ?`,
  )
  const settle = db.prepare('UPDATE idempotency SET status = ?, answer = ? WHERE scope = ? AND key = ?')
  const forget = db.prepare('DELETE FROM idempotency WHERE scope = ? AND key = ?')
  const expire = db.prepare('DELETE FROM idempotency WHERE created_at < ?')
  return {
    find: (scope: string, key: string): RememberedAnswer | undefined => select.get(scope, key),
    /**
     * Ends a call that began with an open record. Answers after which something may have happened are kept; after the
     * others nothing did, so the caller may try again. For use inside the transaction of the outcome.
     */
    conclude(scope: string, key: string, status: number, answer: string): void {
      if (KEPT.has(status)) settle.run(status, answer, scope, key)
      else forget.run(scope, key)
    },
    expire: (before: number) => write(() => expire.run(before).changes),
  }
}
