import { hash, randomBytes } from 'node:crypto'
import type { CreateKeyRequest, KeyView } from '../contract/access.ts'
import { ApiError } from '../contract/errors.ts'
import { type Clock, isoTime, isoTimeOrNull, SECOND } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { createRateWindows } from '../lib/paces.ts'
import type { KeyRow, Message, Store } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'

/** The caller of a request: a program with its API key, the owner, or anybody (public routes). */
export type Caller = KnownCaller | { kind: 'anonymous' }

export type KnownCaller =
  | { kind: 'key'; key: KeyRow }
  | {
      kind: 'owner'
      /** Id of a browser's login; null for the holder of the owner's token. */
      session: string | null
    }

/** The API key of a program; null for the owner. */
export const keyOf = (caller: KnownCaller): KeyRow | null => (caller.kind === 'key' ? caller.key : null)

/** @throws ApiError if a key that may only read calls a route that is not `forReaders` */
export function admitReader(caller: Caller, { forReaders }: { forReaders?: true }): void {
  if (caller.kind !== 'key' || caller.key.scopes === 'all' || forReaders === true) return
  throw new ApiError('key_reads_only', 'This key may only read messages, senders and metrics. Use a key that may send.')
}

/** True if a caller may see a sender's data: a device key reaches only its own. */
export const reaches = (caller: KnownCaller, senderId: number): boolean =>
  caller.kind === 'owner' || caller.key.kind === 'global' || caller.key.senderId === senderId

/** True if a caller may see a message, by its sender or the sender that it was moved from. */
export const reachesMessage = (caller: KnownCaller, { senderId, movedFrom }: Message): boolean =>
  reaches(caller, senderId) || (movedFrom !== null && reaches(caller, movedFrom))

export const wrongKey = (): ApiError =>
  new ApiError('invalid_api_key', 'This API key is not valid. Create one in the window under API keys.')

// The time of the last use is written now and then, not with each request.
const USED_EVERY = 30 * SECOND

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

export type ApiKeys = ReturnType<typeof createApiKeys>

/** Manages API keys, which are shown once and recognised by their hash. */
export function createApiKeys(
  { keys, senders }: Store,
  senderIdOf: (code: string) => number,
  newId: () => string,
  clock: Clock,
  logger: Logger,
) {
  /** Times of last use that are not on disk yet, by the number of the key. */
  const used = new Map<number, number>()
  const calls = createRateWindows<number>(clock.elapsed)
  let cancelFlush: (() => void) | undefined

  async function flush(): Promise<void> {
    cancelFlush = undefined
    const times = new Map(used)
    used.clear()
    await keys.markUsed(times)
  }

  function noteUse(key: KeyRow, now: number): void {
    used.set(key.number, now)
    cancelFlush ??= clock.after(USED_EVERY, () => {
      flush().catch((error: unknown) => logger.warn({ err: error }, 'the last use of keys could not be noted'))
    })
  }

  function countCall({ number, rateLimit }: KeyRow): void {
    const seconds = rateLimit === null ? null : calls.count(number, rateLimit)
    if (seconds === null) return
    throw new ApiError('rate_limited', `This key may call ${rateLimit} times a minute. Try again in ${seconds} s.`, {
      retry_after: seconds,
    })
  }

  const view = (key: KeyRow): KeyView => ({
    id: key.id,
    kind: key.kind,
    name: key.name,
    scopes: key.scopes,
    sender_code: key.senderId === null ? null : senders.codeOf(key.senderId),
    hint: key.hint,
    refuse_duplicate_reference: key.refuseDuplicateReference,
    refuse_duplicate_content_seconds: key.refuseDuplicateContentSeconds,
    rate_limit_per_minute: key.rateLimit,
    created_at: isoTime(key.createdAt),
    last_used_at: isoTimeOrNull(used.get(key.number) ?? key.lastUsedAt),
    expires_at: isoTimeOrNull(key.expiresAt),
    revoked_at: isoTimeOrNull(key.revokedAt),
  })

  return {
    /**
     * Returns the key of a secret, and counts the call. Undefined: unknown, revoked or expired.
     * @throws ApiError `rate_limited`
     */
    authenticate(secret: string): KeyRow | undefined {
      const key = keys.byHash(sha256(secret))
      const now = clock.now()
      if (key === undefined || key.revokedAt !== null) return undefined
      if (key.expiresAt !== null && key.expiresAt <= now) return undefined
      countCall(key)
      noteUse(key, now)
      return key
    },
    /** Checks a key again. @throws ApiError if it was revoked since, or its sender deleted */
    admit({ hash, senderId }: KeyRow): void {
      if (keys.byHash(hash)?.revokedAt !== null) throw wrongKey()
      if (senderId !== null && senders.get(senderId) === undefined)
        throw new ApiError('sender_not_found', 'The sender of this key was deleted.')
    },
    async create(request: CreateKeyRequest): Promise<KeyView & { key: string }> {
      if (request.kind === 'device' && request.sender_code === undefined) {
        throw new ApiError('sender_code_required', 'A device key belongs to one sender: give its sender_code.')
      }
      if (request.kind === 'global' && request.sender_code !== undefined) {
        // If this were ignored, the key would reach more senders than was asked for.
        throw invalidRequest([fieldProblem('sender_code', 'not_together', { other: 'kind: global' })])
      }
      const secret = `kurir_${request.kind === 'global' ? 'g' : 'd'}_${randomBytes(32).toString('base64url')}`
      const row = await keys.add({
        id: newId(),
        kind: request.kind,
        name: request.name,
        scopes: request.scopes,
        senderId: request.kind === 'device' ? senderIdOf(request.sender_code ?? '') : null,
        hash: sha256(secret),
        hint: secret.slice(-4),
        refuseDuplicateReference: request.refuse_duplicate_reference,
        refuseDuplicateContentSeconds: request.refuse_duplicate_content_seconds ?? null,
        rateLimit: request.rate_limit_per_minute ?? null,
        createdAt: clock.now(),
        expiresAt: request.expires_at == null ? null : Date.parse(request.expires_at),
      })
      return { ...view(row), key: secret }
    },
    list: (): KeyView[] => keys.list().map(view),
    async revoke(id: string): Promise<void> {
      const known = keys.list().some((key) => key.id === id)
      if (!known) throw new ApiError('not_found', 'There is no such key.')
      await keys.revoke(id, clock.now())
    },
    async close(): Promise<void> {
      cancelFlush?.()
      if (used.size > 0) await flush()
    },
  }
}
