import { type IdempotencyKey, type IdempotencyStore, KEPT_CALL, keptCall, type StoredAnswer } from '../idempotency.ts'
import type { Context, Tx } from './sql.ts'

/** Ends a call; null forgets it. */
export const concludeCall = (tx: Tx, { scope, key }: IdempotencyKey, answer: StoredAnswer | null): Promise<number> =>
  answer === null
    ? tx.run('DELETE FROM idempotency WHERE scope = $1 AND key = $2', [scope, key])
    : tx.run('UPDATE idempotency SET status = $3, answer = $4 WHERE scope = $1 AND key = $2', [
        ...[scope, key, answer.status, answer.body],
      ])

export function createIdempotency({ db, write }: Context): IdempotencyStore {
  return {
    async find({ scope, key }, since) {
      const from = 'FROM idempotency WHERE scope = $1 AND key = $2 AND created_at >= $3'
      return keptCall(await db.one(KEPT_CALL, from, [scope, key, since]))
    },
    expire: (before) => write((tx) => tx.run('DELETE FROM idempotency WHERE created_at < $1', [before])),
  }
}
