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
  /** `read`: it sends and changes nothing. */
  scopes: 'all' | 'read'
  name: string
  /** The one sender of a device key. */
  senderId: number | null
  /** SHA-256 of the key. */
  hash: Buffer
  /** The last characters of the key. */
  hint: string
  refuseDuplicateReference: boolean
  /** Null: the same content may be sent again at once. */
  refuseDuplicateContentSeconds: number | null
  /** Calls a minute. */
  rateLimit: number | null
  createdAt: number
  expiresAt: number | null
}

export interface KeyRow extends NewKey {
  /** Short name inside the database. */
  number: number
  lastUsedAt: number | null
  revokedAt: number | null
}

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface KeyStore {
  list(): KeyRow[]
  byHash(hash: Buffer): KeyRow | undefined

  add(key: NewKey): Promise<KeyRow>
  /** False: unknown, or revoked before. */
  revoke(id: string, at: number): Promise<boolean>
  /** Times of last use by the number of a key. */
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
 * Found by their hash with every request, so they are kept in memory; the database is written
 * first.
 */
export function createKeys({ rows, bind, keep }: Statements): KeyStore {
  let byHash = new Map<string, KeyRow>()
  const read = rows(KEY, 'FROM api_keys ORDER BY number')
  const { change } = keep('api_keys', async () => {
    byHash = new Map((await read()).map((key) => [key.hash.toString('hex'), key]))
  })
  // Two nodes may give the same number: one of them writes again.
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
      // Each by itself: one that another node holds, as to revoke it, is waited for alone.
      await Promise.all([...times].map(([number, at]) => change(used(number, at))))
    },
  }
}

/** A browser that is logged in as the owner. */
export interface OwnerSessionRow {
  id: string
  /** SHA-256 of what is in its cookie. */
  cookieHash: Buffer
  /** SHA-256 of what its pages send with every call. */
  pageHash: Buffer
  address: string
  browser: string | null
  createdAt: number
  lastUsedAt: number
}

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface OwnerSessionStore {
  list(): OwnerSessionRow[]
  byCookie(hash: Buffer): OwnerSessionRow | undefined

  add(session: OwnerSessionRow): Promise<void>
  /** False: unknown. */
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
 * Looked up with every call of the window, so they are kept in memory; the database is written
 * first.
 */
export function createOwnerSessions({ rows, bind, insert, keep }: Statements): OwnerSessionStore {
  let byCookie = new Map<string, OwnerSessionRow>()
  const read = rows(OWNER_SESSION, 'FROM owner_sessions ORDER BY created_at, id')
  const { change } = keep('owner_sessions', async () => {
    byCookie = new Map((await read()).map((session) => [session.cookieHash.toString('hex'), session]))
  })
  const put = insert('owner_sessions', writing(OWNER_SESSION))
  const remove = bind('DELETE FROM owner_sessions WHERE id = $1')
  const used = bind('UPDATE owner_sessions SET last_used_at = $2 WHERE id = $1')
  return {
    list: () => [...byCookie.values()],
    byCookie: (hash) => byCookie.get(hash.toString('hex')),
    async add(session) {
      await change(...put([session]))
    },
    remove: async (id) => (await change(remove(id))) > 0,
    async markUsed(id, at) {
      await change(used(id, at))
    },
  }
}

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

interface KeptCall {
  hash: Uint8Array
  messageId: string | null
  /**
   * Null while the outcome is not known: the call still runs, or the program ended in the middle of
   * it.
   */
  answer: StoredAnswer | null
}

export interface IdempotencyStore {
  /**
   * The call that used this key at or after `since` (milliseconds), or the first of those whose key
   * goes on behind it with a line break: further messages of one call.
   */
  find(key: IdempotencyKey, since: number): Promise<KeptCall | undefined>
  /** Removes those from before; resolves with their number. */
  expire(before: number): Promise<number>
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

export function createIdempotency({ one, bind, write }: Statements): IdempotencyStore {
  const find = one(
    KEPT_CALL,
    'FROM idempotency WHERE scope = $1 AND key >= $2 AND key < $3 AND created_at >= $4 ORDER BY key LIMIT 1',
  )
  const expire = bind('DELETE FROM idempotency WHERE created_at < $1')
  return {
    async find({ scope, key }, since) {
      // Keys of programs are printable: only those of further messages are in between.
      const row = await find(scope, key, `${key}\v`, since)
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
