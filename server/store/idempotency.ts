import { blob, type Columns, integerOrNull, textOrNull } from './columns.ts'
import { type Bound, bound, type Statements } from './statements.ts'

/** `scope` is the API key and the route. */
export interface IdempotencyKey {
  scope: string
  key: string
}

/** The answer of a route as it is given again: `body` is JSON text. */
export interface StoredAnswer {
  status: number
  body: string
}

/** Place of a call's kept answer. */
export interface IdempotencySlot extends IdempotencyKey {
  /** Hash of the request's body. */
  hash: Uint8Array
  /** Calls from before it are forgotten. Milliseconds since 1970. */
  since: number
}

/** Written together with the message of a call that named an idempotency key. */
export interface IdempotencyRecord extends IdempotencySlot {
  /** Null: open until the outcome is known. */
  answer: StoredAnswer | null
}

export interface KeptCall {
  hash: Uint8Array
  messageId: string | null
  /**
   * Null while the outcome is not known: the call still runs, or the program ended in the middle of
   * it.
   */
  answer: StoredAnswer | null
}

export interface IdempotencyStore {
  /** The call that used this key at or after `since` (milliseconds). */
  find(key: IdempotencyKey, since: number): Promise<KeptCall | undefined>
  /** Removes those from before; resolves with their number. */
  expire(before: number): Promise<number>
}

interface Stored {
  hash: Buffer
  messageId: string | null
  status: number | null
  answer: string | null
}

const KEPT_CALL: Columns<Stored> = {
  hash: blob('body_hash'),
  messageId: textOrNull('message_id'),
  status: integerOrNull('status'),
  answer: textOrNull('answer'),
}

export function createIdempotency({ one, bind, write }: Statements): IdempotencyStore {
  const find = one(KEPT_CALL, 'FROM idempotency WHERE scope = $1 AND key = $2 AND created_at >= $3')
  const expire = bind('DELETE FROM idempotency WHERE created_at < $1')
  return {
    async find({ scope, key }, since) {
      const row = await find(scope, key, since)
      if (row === undefined) return undefined
      const { hash, messageId, status, answer } = row
      return { hash, messageId, answer: status === null || answer === null ? null : { status, body: answer } }
    },
    expire: (before) => write(expire(before)),
  }
}

/** Ends a call; null forgets it. */
export const concludeCall = ({ scope, key }: IdempotencyKey, answer: StoredAnswer | null): Bound =>
  answer === null
    ? bound('DELETE FROM idempotency WHERE scope = $1 AND key = $2', scope, key)
    : bound(
        'UPDATE idempotency SET status = $3, answer = $4 WHERE scope = $1 AND key = $2',
        ...[scope, key, answer.status, answer.body],
      )
