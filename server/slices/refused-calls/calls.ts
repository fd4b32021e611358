import { ApiError, errorAnswer } from '../../contract/errors.ts'
import type { CallHead, KnownCall } from '../../http/context.ts'
import { type Caller, keyOf } from '../../http/keys.ts'
import { type Gateway, outlineOf, shownPath } from '../../http/outline.ts'
import type { Reply } from '../../http/route.ts'
import { createBoundedMap } from '../../lib/bounded-map.ts'
import { type Clock, DAY, HOUR, SECOND } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { StorageError } from '../../lib/storage-error.ts'
import { callerOf, groupOf, hasOurForm, hintOf, isBrowser, isProgramHere, programOf, recognise } from './about.ts'
import type { RefusedCode } from './contract.ts'
import type { NewRefusedCall, RefusedCaller, RefusedCallStore } from './store.ts'

export const MOST = 1_000
// Separate limit, because anybody can call without a key and must not push out calls of the
// shop's own programs.
const MOST_WITHOUT_KEY = 100
// Calls are collected for a second, so that a program that repeats a mistake in a loop costs one
// write a second and does not push out all others at once.
const FLUSH_AFTER = SECOND
const MOST_A_FLUSH = 20
// Wait after a failed write.
const TRY_AGAIN_AFTER = 5 * SECOND
const MOST_CALLERS = 1_000
const LONGEST_FIELD = 128
const NUMBER = /^\+?\d[\d\s().-]{4,30}$/
// Most unknown paths of one caller in an hour. A caller with more is a scanner, not a program with
// wrong addresses.
const MOST_PATHS = 16
/** Stands for all further paths that a caller tries. */
export const OTHER_PATHS = '/…'

export type RefusedCalls = ReturnType<typeof createRefusedCalls>

type Detail = { field: string; code?: string } | undefined
/** Codes that mean the same whichever route was called. */
const OF_THE_KEY: readonly RefusedCode[] = ['missing_api_key', 'invalid_api_key', 'owner_only', 'rate_limited']
const MEANT_FOR_OTHERS: readonly RefusedCode[] = [
  ...(['not_found', 'method_not_allowed', 'unsupported_media_type'] as const),
  ...(['missing_api_key', 'invalid_api_key', 'owner_only', 'invalid_request', 'invalid_json'] as const),
]

/**
 * Records the last refused calls of programs, so that "my till says it sent" can be explained.
 * Keeps no bodies and no texts.
 * @param mouths gateways that Kurir can answer as
 */
export function createRefusedCalls(store: RefusedCallStore, mouths: readonly Gateway[], clock: Clock, logger: Logger) {
  /** Calls since the last flush. */
  let fresh: NewRefusedCall[] = []
  /** Calls that could not be written yet, oldest first. */
  let waiting: NewRefusedCall[] = []
  let notKept = 0
  let notCounted = 0
  /** Time of the last note about a guessed charset, by caller. */
  const guessedAt = createBoundedMap<string, number>(MOST_CALLERS)
  /** Unknown paths that each caller tried within the hour. */
  const tried = createBoundedMap<string, { since: number; paths: Set<string> }>(MOST_CALLERS)
  let cancelFlush: (() => void) | undefined
  let writing = Promise.resolve()
  let isClosed = false

  function flush(): Promise<void> {
    cancelFlush?.()
    cancelFlush = undefined
    // One write at a time, so that a call whose write is still uncertain is not written twice.
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    const all = [...waiting, ...fresh]
    fresh = []
    notKept += Math.max(0, all.length - MOST)
    notCounted += Math.max(0, all.length - MOST)
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

  /**
   * Returns the path to show for a call without a route. All paths beyond a caller's first
   * MOST_PATHS become OTHER_PATHS.
   */
  function triedPath(url: string, caller: string): string {
    const path = shownPath(url)
    const known = tried.get(caller)
    const isOld = known === undefined || clock.now() - known.since > HOUR
    const its = isOld ? { since: clock.now(), paths: new Set<string>() } : known
    if (isOld) tried.set(caller, its)
    if (its.paths.size < MOST_PATHS) its.paths.add(path)
    return its.paths.has(path) ? path : OTHER_PATHS
  }

  function rowOf(
    call: KnownCall,
    caller: RefusedCaller,
    status: number,
    code: RefusedCode,
    detail: Detail,
  ): NewRefusedCall {
    const { route, req, body } = call
    const looksLike = meantFor(mouths, call, code)
    const url = req.url ?? ''
    const path =
      route?.path ?? (looksLike === null ? triedPath(url, `${caller.address} ${caller.program}`) : shownPath(url))
    const method = route?.method ?? req.method ?? ''
    const field = detail?.field.slice(0, LONGEST_FIELD) ?? null
    const problem = detail?.code ?? null
    const cause = looksLike ?? (OF_THE_KEY.includes(code) ? code : [code, method, path, field, problem].join(' '))
    const { keyNumber, hint, address, program } = caller
    return {
      ...{ at: clock.now(), groupId: groupOf([cause, keyNumber, hint, address, program]), count: 1 },
      ...{ ...caller, method, path, status, code, field, problem, recipient: phoneOf(body), looksLike },
      told:
        isMistake(status, code) &&
        path !== OTHER_PATHS &&
        (keyNumber !== null || isProgramHere(req) || (route !== undefined && hasOurForm(req))),
    }
  }

  function note(call: KnownCall, status: number, code: RefusedCode, detail: Detail): void {
    // A call may end after close(), for example an upload whose sender disconnected; there is no
    // database then.
    if (isClosed) return
    const { route, caller, req } = call
    // The owner's window shows its own errors, and public routes have no program behind them.
    if (caller?.kind === 'owner' || route?.auth === 'none') return
    if (isBrowser(req) && caller?.kind !== 'key') return
    const row = rowOf(call, whoCalled(caller, req), status, code, detail)
    if (route?.auth === 'owner' && !isMouth(row.looksLike)) return
    fresh.push(row)
    if (fresh.length > MOST_A_FLUSH) dropOne()
    cancelFlush ??= clock.after(FLUSH_AFTER, () => void flush())
  }

  const isMouth = (name: string | null) => mouths.some((mouth) => mouth.name === name)

  /** Drops one call, preferably one without a key. Its count goes to another call of its group. */
  function dropOne(): void {
    const stranger = fresh.findIndex(({ keyNumber }) => keyNumber === null)
    const [dropped] = fresh.splice(Math.max(0, stranger), 1)
    const like = fresh.find(({ groupId }) => groupId === dropped?.groupId)
    const count = dropped?.count ?? 0
    if (like === undefined) notCounted += count
    else like.count += count
    notKept += 1
  }

  return {
    /** Records a call that ended with an exception. */
    failed(call: KnownCall, error: unknown): void {
      if (error instanceof ApiError) note(call, error.status, causeOf(error).code, causeOf(error).extras.details?.[0])
      else if (error instanceof StorageError) note(call, 503, 'storage_unavailable', undefined)
      else note(call, 500, 'internal_error', undefined)
    },
    /** Records a call whose handler returned an error answer. */
    answered(call: KnownCall, { status, body }: Reply): void {
      if (status < 400) return
      const parsed = errorAnswer.safeParse(typeof body === 'string' ? JSON.parse(body) : body)
      if (parsed.success) note(call, status, parsed.data.error.code, parsed.data.error.details?.[0])
    },
    /** Records, once a day for each caller, that its charset had to be guessed. */
    guessed(call: KnownCall): void {
      const key = call.caller?.kind === 'key' ? keyOf(call.caller)?.number : undefined
      const caller = `${key} ${callerOf(call.req)}`
      if (clock.now() - (guessedAt.get(caller) ?? Number.NEGATIVE_INFINITY) < DAY) return
      guessedAt.set(caller, clock.now())
      note(call, 200, 'charset_assumed', undefined)
    },
    flush,
    /** Number of calls since the start that were too many to be listed. */
    notKept: () => notKept,
    /** Number of these that no group counts either. */
    notCounted: () => notCounted,
    async close(): Promise<void> {
      isClosed = true
      await flush()
    },
  }
}

/**
 * Returns the error behind a 429 that follows too many wrong keys: the wrong key is still the
 * cause.
 */
const causeOf = (error: ApiError): ApiError => (error.cause instanceof ApiError ? error.cause : error)

function whoCalled(caller: Caller | undefined, req: CallHead): RefusedCaller {
  const keyNumber = caller?.kind === 'key' ? (keyOf(caller)?.number ?? null) : null
  return { keyNumber, hint: keyNumber === null ? hintOf(req) : null, address: callerOf(req), program: programOf(req) }
}

/**
 * Returns the gateway that a call was meant for; null if it was meant for Kurir or resembles none.
 */
function meantFor(mouths: readonly Gateway[], { route, req, body, head }: KnownCall, code: RefusedCode): string | null {
  if (!MEANT_FOR_OTHERS.includes(code)) return null
  // Other gateways share with Kurir only the path of /send and some paths of the window.
  const isOurs = route !== undefined && route.path !== '/send' && route.auth !== 'owner'
  if (isOurs && code !== 'method_not_allowed') return null
  return recognise(mouths, outlineOf(req, body, head))
}

/**
 * Returns true if the program has to be corrected: the refusal is neither routine nor an error of
 * Kurir.
 */
const isMistake = (status: number, code: RefusedCode): boolean =>
  code === 'queue_full' || (status >= 400 && status < 500 && status !== 409 && code !== 'message_not_found')

/** Returns the recipient's number in a body if it looks like a number. */
function phoneOf(body: unknown): string | null {
  const phone = typeof body === 'object' && body !== null && 'phone' in body ? body.phone : null
  // Reject other types first, because an object may have a member called `toString`.
  if (typeof phone !== 'string' && typeof phone !== 'number') return null
  return NUMBER.test(String(phone)) ? String(phone) : null
}
