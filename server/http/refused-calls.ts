import type { IncomingMessage } from 'node:http'
import { type Caller, keyOf } from '../access/caller.ts'
import { ApiError, type ErrorCode, errorAnswer } from '../contract/errors.ts'
import type { RefusedCall } from '../contract/refused-calls.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { StorageError } from '../lib/storage-error.ts'
import { SECOND } from '../lib/time.ts'
import type { KeyStore, RefusedCallRow, RefusedCallStore } from '../store/index.ts'
import { addressOf } from './auth.ts'
import type { Reply, Route } from './route.ts'

/** So many are kept. */
const MOST = 1_000
// A program that repeats its mistake in a loop costs a write a second, and does not push out everything else at once.
const FLUSH_AFTER = SECOND
const MOST_A_FLUSH = 20
const LONGEST_FIELD = 128
const NUMBER = /^\+?\d[\d\s().-]{4,30}$/

/** A call of a route, with as much as was known when it was refused. */
export interface Refused {
  route: Pick<Route, 'method' | 'path' | 'auth'>
  req: Pick<IncomingMessage, 'socket'>
  caller: Caller | undefined
  body: unknown
}

export interface RefusedCallDeps {
  store: RefusedCallStore
  keys: Pick<KeyStore, 'list'>
  clock: Clock
  logger: Logger
}

export type RefusedCalls = ReturnType<typeof createRefusedCalls>

/** The last calls of programs that were refused: "my till says it sent" ends here. No bodies, no texts. */
export function createRefusedCalls({ store, keys, clock, logger }: RefusedCallDeps) {
  let waiting: Omit<RefusedCallRow, 'seq'>[] = []
  let cancelFlush: (() => void) | undefined
  let isClosed = false

  async function flush(): Promise<void> {
    cancelFlush?.()
    cancelFlush = undefined
    const calls = waiting
    waiting = []
    if (calls.length === 0) return
    await store
      .add(calls, MOST)
      .catch((error: unknown) => logger.warn({ err: error }, 'refused calls could not be kept'))
  }

  function note({ route, req, caller, body }: Refused, status: number, code: ErrorCode, detail: Detail): void {
    // A call that ends after the program, such as an upload whose sender went away: there is no database for it.
    if (isClosed) return
    // The owner's window shows its own errors; routes for everybody have no program behind them.
    if (caller?.kind === 'owner' || route.auth === 'owner' || route.auth === 'none') return
    if (waiting.length >= MOST_A_FLUSH) waiting.shift()
    waiting.push({
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
    cancelFlush ??= clock.after(FLUSH_AFTER, () => void flush())
  }

  return {
    /** Notes a call that ended with an error. */
    failed(call: Refused, error: unknown): void {
      if (error instanceof ApiError) note(call, error.status, error.code, error.extras.details?.[0])
      else if (error instanceof StorageError) note(call, 503, 'storage_unavailable', undefined)
      else note(call, 500, 'internal_error', undefined)
    },
    /** Notes an answer that is an error without having been thrown. */
    answered(call: Refused, { status, body }: Reply): void {
      if (status < 400) return
      const parsed = errorAnswer.safeParse(typeof body === 'string' ? JSON.parse(body) : body)
      if (parsed.success) note(call, status, parsed.data.error.code, parsed.data.error.details?.[0])
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
        code: code as ErrorCode,
        ...call,
      }))
    },
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
