import type { NextFunction, Request, Response, Router } from 'express'
import { ApiError, type ErrorCode } from '../contract/errors.ts'
import { charsetOf } from '../lib/charset.ts'
import type { FewAtOnce } from '../lib/places.ts'
import { TooManyWaiting, type Turns } from '../lib/turns.ts'
import type { Strangers } from './auth.ts'
import {
  BODY_LIMIT,
  type CallerName,
  NOTHING,
  nameOf,
  type ParsedBody,
  parseJson,
  refuseLongBody,
  tooLongBody,
} from './body.ts'
import type { HttpContext, KnownCall } from './context.ts'
import { MOST_WITH_FILE } from './data-file.ts'
import type { FormBody } from './form.ts'
import { admitReader, type Caller } from './keys.ts'
import { HEAD_BYTES } from './outline.ts'
import { createCallReader } from './read-call.ts'
import { protect, sendJson } from './response.ts'
import { ANSWERED, type MixedCall, Reply, type Route } from './route.ts'

/** Limits by which the calls of all routes share the event loop. */
export interface SharedLoop {
  /** Runs the `inTurn` calls of one caller one after the other. */
  turns: Turns<CallerName>
  fewAtOnce: FewAtOnce<CallerName>
  strangers: Strangers
}

interface Mounted extends HttpContext, SharedLoop {
  route: Route
  calls: ReturnType<typeof createCallReader>
}

const NO_BODY: ParsedBody = { body: undefined, raw: NOTHING, assumedCharset: null }
const OF_ONE_SENDER = '/api/senders/{code}'

export const toExpress = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

export function mount(router: Router, context: HttpContext, route: Route, shared: SharedLoop): void {
  const mounted: Mounted = { ...context, ...shared, route, calls: createCallReader(route) }
  const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete'
  router[method](toExpress(route.path), (req, res, next) => take(mounted, req, res, next))
}

/** A call that is being answered. */
interface Taken {
  req: Request
  res: Response
  known: KnownCall
  mixed: MixedCall | undefined
  /** Discarded if the call fails, because no caller knows the id of its file. */
  form: FormBody | undefined
}

/** Authenticates, reads and answers a call. @throws ApiError, and whatever the handler throws */
async function take(mounted: Mounted, req: Request, res: Response, next: NextFunction): Promise<void> {
  const { route, authentication, refresh, fewAtOnce, strangers } = mounted
  if (route.isOn?.() === false) return next()
  const known: KnownCall = { route, req, caller: undefined, body: undefined, head: NOTHING, assumedCharset: null }
  res.locals.call = known
  if (route.failure !== undefined) res.locals.failure = route.failure
  const began = performance.now()
  res.on('finish', () => mounted.answered(route, res.statusCode, (performance.now() - began) / 1000))
  // The caller is known before a byte of the body is read, unless the body contains the key.
  const mixed = await route.readMixed?.(req)
  const taken: Taken = { req, res, known, mixed, form: mixed?.form }
  try {
    const caller = await callerOf(mounted, req, mixed?.secrets)
    known.caller = caller
    admitReader(caller, route)
    await lookAgain(refresh, () => authentication.admit(caller))
    if (route.body === undefined && route.upload === undefined) refuseLongBody(req)
    if (await passOn(mounted, req, res, caller)) return
    if (caller.kind === 'anonymous') await strangers.beforeServing(req, route.path)
    else {
      route.admit?.(caller)
      if (route.form?.takes(req)) taken.form ??= await route.form.read(req, caller)
    }
    const work = (leave?: () => void) => answer(mounted, taken, caller, leave)
    await (route.inTurn || caller.kind === 'anonymous'
      ? work()
      : refusingTooMany('calls come', fewAtOnce.run(nameOf(caller), work)))
  } catch (error) {
    await taken.form?.discard()
    throw error
  }
}

/** Reads the body, runs the handler and sends the answer. @param leave see `FewAtOnce` */
async function answer(mounted: Mounted, taken: Taken, caller: Caller, leave?: () => void): Promise<void> {
  const { route, bodies, watchers } = mounted
  const { req, res, known } = taken
  const isRead = taken.form !== undefined || route.body === undefined
  const raw = isRead ? NOTHING : await bodies.readBytes(req, caller, mostBytesOf(route))
  known.head = raw.subarray(0, HEAD_BYTES)
  taken.form ??= await dataFileOf(route, req, raw, caller)
  const handled = counted(mounted, caller, () => handleBody(mounted, taken, caller, raw))
  if (route.waitsOutside) leave?.()
  const result = await handled
  if (result === ANSWERED) return
  if (!(result instanceof Reply)) return sendJson(res, route.status ?? 200, result)
  // A repeated call brings its file again. A file that a message has stays.
  await taken.form?.discard()
  for (const watcher of watchers) watcher.answered(known, result)
  sendJson(res, result.status, result.body, result.headers)
}

function handleBody(mounted: Mounted, taken: Taken, caller: Caller, raw: Buffer): Promise<unknown> {
  const { route, authentication, watchers, refresh } = mounted
  const { req, res, known, mixed, form } = taken
  const own = form ?? (route.body && parseJson(raw, typeOf(route, req), route.bodyOptional ?? false)) ?? NO_BODY
  const read = mixed === undefined || route.body === undefined ? own : withQuery(own, mixed)
  known.body = read.body
  known.assumedCharset = read.assumedCharset
  if (known.assumedCharset !== null) {
    res.setHeader('x-charset-assumed', known.assumedCharset)
    for (const watcher of watchers) watcher.guessed(known)
  }
  // The file of an upload cannot be read twice.
  const afterwards = route.upload === undefined ? refresh : undefined
  return lookAgain(afterwards, () => {
    // The caller's key may have been revoked while the call waited.
    authentication.admit(caller)
    return handle(mounted, req, res, caller, read, mixed?.query)
  })
}

const callerOf = (
  { route, authentication, refresh }: Mounted,
  req: Request,
  others: readonly string[] | undefined,
): Promise<Caller> =>
  lookAgain(
    refresh,
    () => authentication.authenticate(req, route.auth, others),
    (refusal) => {
      const caller = authentication.recognise(req, route.auth, others)
      if (caller instanceof ApiError) throw refusal
      return caller
    },
  )

/** Forwards an owner's call to the node that holds its sender. Resolves with true if it did. */
async function passOn({ route, forward }: Mounted, req: Request, res: Response, caller: Caller): Promise<boolean> {
  if (forward === undefined || route.auth !== 'owner' || !route.path.startsWith(OF_ONE_SENDER)) return false
  return forward(req, res, caller.kind === 'owner' ? caller.session : null)
}

const bodyLimitOf = (route: Route): number => route.bodyLimit ?? BODY_LIMIT
const mostBytesOf = (route: Route): number => (route.form === undefined ? bodyLimitOf(route) : MOST_WITH_FILE)

/** Stores a file that the body contains. @throws ApiError if the body is too long without one */
async function dataFileOf(route: Route, req: Request, raw: Buffer, caller: Caller): Promise<FormBody | undefined> {
  if (route.form === undefined || caller.kind === 'anonymous') return undefined
  const found = await route.form.readDataFile(raw, req.headers['content-type'], caller)
  if (found === undefined && raw.length > bodyLimitOf(route)) throw tooLongBody(bodyLimitOf(route))
  return found
}

/** Returns the content type. The window writes UTF-8; only programs may mean another charset. */
function typeOf({ auth }: Route, { headers }: Request): string | undefined {
  const type = headers['content-type']
  return type === undefined || auth !== 'owner' || charsetOf(type) !== undefined ? type : `${type}; charset=utf-8`
}

/** Adds the members of the address to the body. Members of the body take precedence. */
function withQuery<T extends { body: unknown }>(read: T, { query }: MixedCall): T {
  if (read.body === undefined) return { ...read, body: query }
  return typeof read.body === 'object' ? { ...read, body: { ...query, ...read.body } } : read
}

/** Runs `work`, and counts the event loop time that a body took until the first wait. */
function counted<T>({ route, bodies }: Mounted, caller: Caller, work: () => T): T {
  const began = performance.now()
  try {
    return work()
  } finally {
    if (route.body !== undefined) bodies.worked(caller, performance.now() - began)
  }
}

function handle(
  { route, calls, turns }: Mounted,
  req: Request,
  res: Response,
  caller: Caller,
  { raw, body: given }: { raw: Buffer; body: unknown },
  mixedQuery: unknown,
): unknown {
  // NUL is removed here as it is removed from bodies.
  req.url = req.url.replaceAll('%00', '')
  // Express parses the query string again each time that `req.query` is read.
  const asked = route.query === undefined ? undefined : (mixedQuery ?? req.query)
  const unknownMembers = calls.unknownMembers(asked, given)
  if (unknownMembers.length > 0) {
    const names = unknownMembers.map((name) => encodeURIComponent(name.toWellFormed()))
    res.setHeader('x-unknown-members', names.join(', '))
  }
  const { params, query, body } = calls.read({ params: req.params, query: asked, body: given })
  const call = { params, query, body, raw, unknownMembers, caller, req, res } as never
  if (typeof route.answer === 'string') protect(res)
  return !route.inTurn || caller.kind === 'anonymous'
    ? route.handler(call)
    : refusingTooMany(
        'lists are asked for',
        turns.run(nameOf(caller), () => route.handler(call)),
      )
}

/** @throws ApiError `rate_limited` if too many calls of the caller wait */
async function refusingTooMany<T>(what: string, done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    if (!(error instanceof TooManyWaiting)) throw error
    const words = `Too many ${what} with this key at once. Wait for some answers first.`
    throw new ApiError('rate_limited', words, { retry_after: 1 })
  }
}

/** Refusals that follow from what a node keeps in memory: keys, owner logins, senders, webhooks. */
const UNKNOWN: readonly ErrorCode[] = ['invalid_api_key', 'owner_only', 'sender_not_found', 'not_found']

/**
 * Runs `first`. If it is refused because something is unknown here, refreshes and runs `again`,
 * because another node may have created it a moment ago.
 * @param refresh reads what other nodes have changed; undefined: there are no other nodes
 * @param again gets the refusal
 */
async function lookAgain<T>(
  refresh: (() => Promise<void>) | undefined,
  first: () => T | Promise<T>,
  again: (refusal: ApiError) => T | Promise<T> = first,
): Promise<T> {
  try {
    return await first()
  } catch (error) {
    if (refresh === undefined || !(error instanceof ApiError) || !UNKNOWN.includes(error.code)) throw error
    await refresh()
    return again(error)
  }
}
