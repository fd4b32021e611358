import { keyOf } from '../access/caller.ts'
import { ApiError, errorAnswer } from '../contract/errors.ts'
import { addressOf } from '../http/auth.ts'
import type { Reply } from '../http/route.ts'
import type { KnownCall } from '../http/server.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { StorageError } from '../lib/storage-error.ts'
import { DAY, SECOND } from '../lib/time.ts'
import type { KeyStore, RefusedCallRow, RefusedCallStore } from '../store/index.ts'
import type { RefusedCall, RefusedCode } from './contract.ts'

/** Most calls that are kept. */
const MOST = 1_000
// Anybody can call without a key, and must not push out what the shop's own programs did.
const MOST_WITHOUT_KEY = 100
// A program that repeats its mistake in a loop costs a write a second, and does not push out
// everything else at once.
const FLUSH_AFTER = SECOND
const MOST_A_FLUSH = 20
// While the disk or the database takes nothing.
const TRY_AGAIN_AFTER = 5 * SECOND
const MOST_GUESSED = 1_000
const LONGEST_FIELD = 128
const NUMBER = /^\+?\d[\d\s().-]{4,30}$/

export interface RefusedCallDeps {
  store: RefusedCallStore
  keys: KeyStore
  clock: Clock
  logger: Logger
}

type NewRow = Omit<RefusedCallRow, 'seq'>

export type RefusedCalls = ReturnType<typeof createRefusedCalls>

/**
 * The last calls of programs that were refused: "my till says it sent" ends here. No bodies, no
 * texts.
 */
export function createRefusedCalls({ store, keys, clock, logger }: RefusedCallDeps) {
  /** Since the last flush. */
  let fresh: NewRow[] = []
  /** Calls that could not be written yet, oldest first. */
  let waiting: NewRow[] = []
  let notKept = 0
  /** When it was noted last, by caller. */
  const guessedAt = new Map<string, number>()
  let cancelFlush: (() => void) | undefined
  let writing = Promise.resolve()
  let isClosed = false

  function flush(): Promise<void> {
    cancelFlush?.()
    cancelFlush = undefined
    // One after the other: what a write in doubt holds must not be written by the next one as well.
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    const all = [...waiting, ...fresh]
    fresh = []
    notKept += Math.max(0, all.length - MOST)
    waiting = all.slice(-MOST)
    if (waiting.length === 0) return
    try {
      await store.add(waiting, MOST, MOST_WITHOUT_KEY)
      waiting = []
    } catch (error) {
      logger.warn({ err: error, calls: waiting.length }, 'refused calls could not be kept yet')
      if (!isClosed) cancelFlush ??= clock.after(TRY_AGAIN_AFTER, () => void flush())
    }
  }

  function note({ route, req, caller, body }: KnownCall, status: number, code: RefusedCode, detail: Detail): void {
    // A call that ends after the program, such as an upload whose sender went away: there is no
    // database for it.
    if (isClosed) return
    // The owner's window shows its own errors; routes for everybody have no program behind them.
    if (caller?.kind === 'owner' || route.auth === 'owner' || route.auth === 'none') return
    fresh.push({
      at: clock.now(),
      keyNumber: caller?.kind === 'key' ? (keyOf(caller)?.number ?? null) : null,
      address: addressOf(req),
      method: route.method,
      path: route.path,
      status,
      code,
      field: detail?.field.slice(0, LONGEST_FIELD) ?? null,
      problem: detail?.code ?? null,
      recipient: phoneOf(body),
    })
    if (fresh.length > MOST_A_FLUSH) {
      const stranger = fresh.findIndex(({ keyNumber }) => keyNumber === null)
      fresh.splice(Math.max(0, stranger), 1)
      notKept += 1
    }
    cancelFlush ??= clock.after(FLUSH_AFTER, () => void flush())
  }

  return {
    /** Notes a call that ended with an error. */
    failed(call: KnownCall, error: unknown): void {
      if (error instanceof ApiError) note(call, error.status, error.code, error.extras.details?.[0])
      else if (error instanceof StorageError) note(call, 503, 'storage_unavailable', undefined)
      else note(call, 500, 'internal_error', undefined)
    },
    /** Notes an answer that is an error without having been thrown. */
    answered(call: KnownCall, { status, body }: Reply): void {
      if (status < 400) return
      const parsed = errorAnswer.safeParse(typeof body === 'string' ? JSON.parse(body) : body)
      if (parsed.success) note(call, status, parsed.data.error.code, parsed.data.error.details?.[0])
    },
    /** Notes, once a day for each caller, that its charset had to be guessed. */
    guessed(call: KnownCall): void {
      const key = call.caller?.kind === 'key' ? keyOf(call.caller)?.number : undefined
      const caller = `${key} ${addressOf(call.req)}`
      if (clock.now() - (guessedAt.get(caller) ?? Number.NEGATIVE_INFINITY) < DAY) return
      if (guessedAt.size === MOST_GUESSED) guessedAt.clear()
      guessedAt.set(caller, clock.now())
      note(call, 200, 'charset_assumed', undefined)
    },
    async list(filter: { before: number | undefined; limit: number }): Promise<RefusedCall[]> {
      await flush()
      const names = new Map(keys.list().map(({ number, name }) => [number, name]))
      const rows = await store.list(filter)
      return rows.map(({ seq, at, keyNumber, code, ...call }) => ({
        id: String(seq),
        at: isoTime(at),
        key: keyNumber === null ? null : (names.get(keyNumber) ?? null),
        // As it was written by `note`.
        code: code as RefusedCode,
        ...call,
      }))
    },
    /** How many, since the start, were too many to be listed. */
    notKept: () => notKept,
    async close(): Promise<void> {
      isClosed = true
      await flush()
    },
  }
}

type Detail = { field: string; code?: string } | undefined

/** The number that a call was for, if it looks like one. */
function phoneOf(body: unknown): string | null {
  const phone = typeof body === 'object' && body !== null && 'phone' in body ? body.phone : null
  // Nothing else: an object may have a member called `toString`.
  if (typeof phone !== 'string' && typeof phone !== 'number') return null
  return NUMBER.test(String(phone)) ? String(phone) : null
}
