import {
  blob,
  type Columns,
  flag,
  integer,
  integerOrNull,
  placesOf,
  text,
  textOrNull,
  valuesOf,
  writing,
} from './columns.ts'
import { type Bound, bound, type Statements } from './statements.ts'

export interface NewKey {
  id: string
  kind: 'global' | 'device'
  /** `read`: the key may not send or change anything. */
  scopes: 'all' | 'read'
  name: string
  /** The only sender of a device key; null for other keys. */
  senderId: number | null
  /** SHA-256 of the key. */
  hash: Buffer
  /** The last characters of the key. */
  hint: string
  refuseDuplicateReference: boolean
  /** Null: the same content may be sent again at once. */
  refuseDuplicateContentSeconds: number | null
  /** Calls per minute; null: no limit. */
  rateLimit: number | null
  createdAt: number
  expiresAt: number | null
}

export interface KeyRow extends NewKey {
  /** Names the key in other tables. */
  number: number
  lastUsedAt: number | null
  revokedAt: number | null
}

/** Reads come from memory, and may be up to a second old in a shared database. */
export interface KeyStore {
  list(): KeyRow[]
  byHash(hash: Buffer): KeyRow | undefined

  add(key: NewKey): Promise<KeyRow>
  /** Resolves with false if there is no such key, or it was revoked before. */
  revoke(id: string, at: number): Promise<boolean>
  /** Stores times of last use, by the number of the key. */
  markUsed(times: ReadonlyMap<number, number>): Promise<void>
}

const NEW_KEY: Columns<NewKey> = {
  id: text('id'),
  kind: text('kind'),
  scopes: text('scopes'),
  name: text('name'),
  senderId: integerOrNull('sender_id'),
  hash: blob('hash'),
  hint: text('hint'),
  refuseDuplicateReference: flag('refuse_duplicate_reference'),
  refuseDuplicateContentSeconds: integerOrNull('refuse_duplicate_content_seconds'),
  rateLimit: integerOrNull('rate_limit'),
  createdAt: integer('created_at'),
  expiresAt: integerOrNull('expires_at'),
}
const WRITTEN_KEY = writing(NEW_KEY)

const KEY: Columns<KeyRow> = {
  ...NEW_KEY,
  number: integer('number'),
  lastUsedAt: integerOrNull('last_used_at'),
  revokedAt: integerOrNull('revoked_at'),
}

/**
 * Keeps API keys in memory, because every request looks one up by its hash. Changes write the
 * database first.
 */
export function createKeys({ rows, bind, keep }: Statements): KeyStore {
  let byHash = new Map<string, KeyRow>()
  const read = rows(KEY, 'FROM api_keys ORDER BY number')
  const { change } = keep('api_keys', async () => {
    byHash = new Map((await read()).map((key) => [key.hash.toString('hex'), key]))
  })
  // Two nodes may choose the same number; one of them then repeats the write.
  const put = bind(
    `INSERT INTO api_keys (number, ${Object.keys(WRITTEN_KEY)})
     VALUES ((SELECT coalesce(max(number), 0) + 1 FROM api_keys), ${placesOf(WRITTEN_KEY)})`,
  )
  const revoke = bind('UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL')
  const used = bind('UPDATE api_keys SET last_used_at = $2 WHERE number = $1')
  return {
    list: () => [...byHash.values()],
    byHash: (hash) => byHash.get(hash.toString('hex')),
    async add(key) {
      await change(put(...valuesOf(WRITTEN_KEY, key)))
      const added = [...byHash.values()].find(({ id }) => id === key.id)
      if (added === undefined) throw new Error(`key ${key.id} is not there after it was written`)
      return added
    },
    revoke: async (id, at) => (await change(revoke(id, at))) > 0,
    async markUsed(times) {
      // One transaction for each key, so that a row that another node holds, for example to revoke
      // the key, delays no other row.
      await Promise.all([...times].map(([number, at]) => change(used(number, at))))
    },
  }
}

/** A browser that is logged in as the owner. */
export interface OwnerSessionRow {
  id: string
  /** SHA-256 of the browser's cookie. */
  cookieHash: Buffer
  /** SHA-256 of the token that its pages send with every call. */
  pageHash: Buffer
  address: string
  browser: string | null
  createdAt: number
  lastUsedAt: number
}

/** Reads come from memory, and may be up to a second old in a shared database. */
export interface OwnerSessionStore {
  list(): OwnerSessionRow[]
  add(session: OwnerSessionRow): Promise<void>
  /** Resolves with false if there is no such session. */
  remove(id: string): Promise<boolean>
  markUsed(id: string, at: number): Promise<void>
}

const OWNER_SESSION: Columns<OwnerSessionRow> = {
  id: text('id'),
  cookieHash: blob('cookie_hash'),
  pageHash: blob('page_hash'),
  address: text('address'),
  browser: textOrNull('browser'),
  createdAt: integer('created_at'),
  lastUsedAt: integer('last_used_at'),
}

/**
 * Keeps sessions in memory, because every call of the window looks one up. Changes write the
 * database first.
 */
export function createOwnerSessions({ rows, bind, insert, keep }: Statements): OwnerSessionStore {
  let known: OwnerSessionRow[] = []
  const read = rows(OWNER_SESSION, 'FROM owner_sessions ORDER BY created_at, id')
  const { change } = keep('owner_sessions', async () => {
    known = await read()
  })
  const put = insert('owner_sessions', writing(OWNER_SESSION))
  const remove = bind('DELETE FROM owner_sessions WHERE id = $1')
  const used = bind('UPDATE owner_sessions SET last_used_at = $2 WHERE id = $1')
  return {
    list: () => known,
    async add(session) {
      await change(...put([session]))
    },
    remove: async (id) => (await change(remove(id))) > 0,
    async markUsed(id, at) {
      await change(used(id, at))
    },
  }
}

/** Names a call. `scope` is the API key and the route. */
export interface IdempotencyKey {
  scope: string
  key: string
}

/** An answer that Kurir gives again to a repeated call. `body` is JSON text. */
export interface StoredAnswer {
  status: number
  body: string
}

/** Place of a call's stored answer. */
export interface IdempotencySlot extends IdempotencyKey {
  /** Hash of the request's body. */
  hash: Uint8Array
  /** Older calls are ignored. Milliseconds since 1970. */
  since: number
}

/** Record of a call with an idempotency key, written together with its message. */
export interface IdempotencyRecord extends IdempotencySlot {
  /** Null until the outcome is known. */
  answer: StoredAnswer | null
}

interface KeptCall {
  hash: Uint8Array
  messageId: string | null
  /**
   * Null until the outcome is known: the call still runs, or the program ended in the middle of it.
   */
  answer: StoredAnswer | null
}

export interface IdempotencyStore {
  /**
   * Finds the call that used this key at or after `since` (milliseconds). Further messages of one
   * call have a line break and more behind its key; without a record of the key itself, the first
   * of them is found.
   */
  find(key: IdempotencyKey, since: number): Promise<KeptCall | undefined>
}

interface StoredCall {
  hash: Buffer
  messageId: string | null
  status: number | null
  answer: string | null
}

const KEPT_CALL: Columns<StoredCall> = {
  hash: blob('body_hash'),
  messageId: textOrNull('message_id'),
  status: integerOrNull('status'),
  answer: textOrNull('answer'),
}

export function createIdempotency({ one }: Statements): IdempotencyStore {
  const find = one(
    KEPT_CALL,
    'FROM idempotency WHERE scope = $1 AND key >= $2 AND key < $3 AND created_at >= $4 ORDER BY key LIMIT 1',
  )
  return {
    async find({ scope, key }, since) {
      // A program's key is printable, so only keys of further messages lie in this range.
      const row = await find(scope, key, `${key}\v`, since)
      if (row === undefined) return undefined
      const { hash, messageId, status, answer } = row
      return { hash, messageId, answer: status === null || answer === null ? null : { status, body: answer } }
    },
  }
}

/** Stores the answer of a call; null removes the call. */
export const concludeCall = ({ scope, key }: IdempotencyKey, answer: StoredAnswer | null): Bound =>
  answer === null
    ? bound('DELETE FROM idempotency WHERE scope = $1 AND key = $2', scope, key)
    : bound(
        'UPDATE idempotency SET status = $3, answer = $4 WHERE scope = $1 AND key = $2',
        ...[scope, key, answer.status, answer.body],
      )
