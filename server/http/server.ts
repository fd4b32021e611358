import type { IncomingMessage } from 'node:http'
import express, { type Express, type Request, type RequestHandler, type Response, Router } from 'express'
import { admitReader, type Caller } from '../access/keys.ts'
import { ApiError } from '../contract/errors.ts'
import { charsetOf } from '../lib/charset.ts'
import type { Logger } from '../lib/logger.ts'
import type { Prover } from '../lib/proof.ts'
import { createTurns, TooManyWaiting, type Turns } from '../lib/turns.ts'
import type { Authentication } from './auth.ts'
import { BODY_LIMIT, type BodyReader, type ParsedBody, parseJson, refuseLongBody, tooLongBody } from './body.ts'
import { MOST_WITH_FILE } from './data-file.ts'
import { createErrorHandler } from './error-handler.ts'
import type { FormBody } from './form.ts'
import { isOwnHost } from './hosts.ts'
import { lookAgain } from './look-again.ts'
import { HEAD_BYTES } from './outline.ts'
import type { Pages } from './pages.ts'
import { createCallReader } from './read-call.ts'
import { PROTECTION, protect, sendJson } from './response.ts'
import { ANSWERED, type MixedCall, Reply, type Route } from './route.ts'

/** Has another program answer. Resolves with true when it has. @throws ApiError `conflict` */
export type Forward = (req: Request, res: Response, session: string | null) => Promise<boolean>

/** A call, with as much as is known of it so far. */
export interface KnownCall {
  /** Undefined: nothing is at its address. */
  route: Pick<Route, 'method' | 'path' | 'auth'> | undefined
  req: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>
  caller: Caller | undefined
  body: unknown
  /** The first bytes of a body that is not read as it should be. */
  head: Buffer
  /** Charset that its text was read as, where none was named and it is not UTF-8. */
  assumedCharset: string | null
}

/** Hears of calls whose programmers should change something. */
export interface Watcher {
  answered(call: KnownCall, reply: Reply): void
  failed(call: KnownCall, error: unknown): void
  /** It names no charset and is not UTF-8. */
  guessed(call: KnownCall): void
}

export interface HttpDeps {
  routes: readonly Route[]
  /** Has the program answer that owns a sender; undefined: this is the only one. */
  forward: Forward | undefined
  /** Reads what other programs have changed. */
  refresh: (() => Promise<void>) | undefined
  prover: Pick<Prover, 'check'>
  readBytes: BodyReader['readBytes']
  worked: BodyReader['worked']
  authentication: Pick<Authentication, 'authenticate' | 'recognise' | 'admit' | 'mayBeOwner'>
  watchers: readonly Watcher[]
  /** Hears how long each answer took, in seconds. */
  answered: (route: Route, status: number, seconds: number) => void
  /** The window's pages. */
  pages: Pages
  allowedHosts: () => readonly string[]
  corsOrigins: () => readonly string[]
  stopping: () => boolean
  logger: Logger
}

/**
 * Calls of one API key that may wait for an earlier one of a route that reads much. The owner's all
 * wait.
 */
const WAITING_IN_TURN = 16
const waitingOf = (caller: number | 'owner') => (caller === 'owner' ? Number.POSITIVE_INFINITY : WAITING_IN_TURN)

const NOTHING = Buffer.alloc(0)
const NO_BODY: ParsedBody = { body: undefined, raw: NOTHING, assumedCharset: null }
const OF_ONE_SENDER = '/api/senders/{code}'

const toExpress = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** The middleware in its order: host, cross-origin, routes, pages, errors. */
export function createApi(deps: HttpDeps): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')

  app.use((req, res, next) => {
    deps.prover.check(req)
    if (!isOwnHost(req.headers.host, deps.allowedHosts())) {
      throw new ApiError(
        'host_not_allowed',
        'This name is not known to Kurir. Use 127.0.0.1, or add the name in Settings.',
      )
    }
    if (deps.stopping())
      throw new ApiError('shutting_down', 'Kurir is closing. Nothing was accepted.', { retry_after: 10 })
    if (req.headers.origin !== undefined && allowCors(req, res, deps.corsOrigins())) return
    next()
  })
  const forOwner =
    (page: RequestHandler): RequestHandler =>
    (req, res, next) => {
      if (!deps.authentication.mayBeOwner(req)) return next()
      protect(res)
      return page(req, res, next)
    }
  // Lists for programs, pages for people: only a browser asks for text/html
  // (docs/decisions/0021-http.md).
  app.get(['/messages{/*rest}', '/senders{/*rest}'], forOwner(deps.pages.document))
  const limits: Limits = { readBytes: deps.readBytes, worked: deps.worked, turns: createTurns(waitingOf) }
  app.use(routed(deps, limits))
  app.use(forOwner(deps.pages.router))
  for (const { failsBelow, failure, isOn } of deps.routes) {
    if (failsBelow === undefined) continue
    app.use(failsBelow, (_req, res, next) => {
      if (isOn?.() !== false) res.locals.failure = failure
      next()
    })
  }
  app.use((req) => {
    throw offGateway(req.path, deps.routes) ?? notFound(req.path)
  })
  app.use(createErrorHandler(deps.logger, (error, req, res, head) => tellWatchers(deps, error, req, res, head)))
  return app
}

/**
 * Tells of a call that ended with an error.
 * @param head first bytes of a body that nobody has read
 */
function tellWatchers(
  { watchers, authentication }: Pick<HttpDeps, 'watchers' | 'authentication'>,
  error: unknown,
  req: Request,
  res: Response,
  head: Buffer,
): void {
  const known: KnownCall | undefined = res.locals.call
  const call = known ?? unknownCall(error, req, res, authentication)
  if (call === undefined) return
  if (call.head.length === 0) call.head = head
  for (const watcher of watchers) watcher.failed(call, error)
}

/**
 * A call of an address or with a method that no route has; undefined: something else was refused.
 */
function unknownCall(
  error: unknown,
  req: Request,
  res: Response,
  { recognise }: Pick<Authentication, 'recognise'>,
): KnownCall | undefined {
  if (!(error instanceof ApiError && (error.code === 'not_found' || error.code === 'method_not_allowed'))) return
  const route = res.locals.route as KnownCall['route']
  return { route, req, caller: callerOf(), body: undefined, head: NOTHING, assumedCharset: null }

  function callerOf(): Caller | undefined {
    try {
      const caller = recognise(req, 'key_or_owner')
      return caller instanceof ApiError ? undefined : caller
    } catch {
      // Its key has called too often.
      return undefined
    }
  }
}

/** Refuses a call of a gateway whose programs the owner does not let in. */
function offGateway(path: string, routes: readonly Route[]): ApiError | undefined {
  const gateway = /^\/compat\/[^/]+/.exec(path)?.[0]
  if (!routes.some(({ path, isOn }) => isOn?.() === false && path.startsWith(`${gateway}/`))) return
  const where = "in Kurir's window, Settings, Programs written for other gateways"
  return new ApiError('not_found', `${gateway} is switched off. The owner switches it on ${where}.`)
}

const notFound = (path: string) =>
  new ApiError('not_found', `There is nothing at ${path}. The interface is described at /docs.`)

/** Answers a preflight; returns whether it did. */
function allowCors(req: Request, res: Response, origins: readonly string[]): boolean {
  const origin = req.headers.origin ?? ''
  if (!origins.includes(origin)) return false
  res.setHeader('access-control-allow-origin', origin).setHeader('vary', 'Origin')
  if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return false
  res.writeHead(204, {
    ...PROTECTION,
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-api-key',
    'access-control-max-age': '600',
  })
  res.end()
  return true
}

type MountDeps = Pick<HttpDeps, 'authentication' | 'watchers' | 'answered' | 'forward' | 'refresh'>

/** Limits of one caller over all routes. */
interface Limits {
  readBytes: BodyReader['readBytes']
  worked: BodyReader['worked']
  /** By the number of the API key. */
  turns: Turns<number | 'owner'>
}

function mount(router: Router, route: Route, deps: MountDeps, { readBytes, worked, turns }: Limits): void {
  const { authentication, watchers, refresh } = deps
  const isOfOneSender = route.auth === 'owner' && route.path.startsWith(OF_ONE_SENDER)
  const forward = isOfOneSender ? deps.forward : undefined
  // A file that was read cannot be read again.
  const afterwards = route.upload === undefined ? refresh : undefined
  const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'
  const calls = createCallReader(route)

  const writesItself = typeof route.answer === 'string'

  const callerOf = (req: Request, others: readonly string[] | undefined): Promise<Caller> =>
    lookAgain(
      refresh,
      () => authentication.authenticate(req, route.auth, others),
      (refusal) => {
        const caller = authentication.recognise(req, route.auth, others)
        if (caller instanceof ApiError) throw refusal
        return caller
      },
    )

  const bodyLimit = route.bodyLimit ?? BODY_LIMIT
  const mostBytes = route.form === undefined ? bodyLimit : MOST_WITH_FILE

  /** The file in the body itself. @throws ApiError where the body is long without one */
  async function dataFileOf(req: Request, raw: Buffer, caller: Caller): Promise<FormBody | undefined> {
    if (route.form === undefined || caller.kind === 'anonymous') return undefined
    const found = await route.form.readDataFile(raw, req.headers['content-type'], caller)
    if (found === undefined && raw.length > bodyLimit) throw tooLongBody(bodyLimit)
    return found
  }

  /** The window writes UTF-8; only of a program another charset is assumed. */
  function typeOf({ headers }: Request): string | undefined {
    const type = headers['content-type']
    return type === undefined || route.auth !== 'owner' || charsetOf(type) !== undefined
      ? type
      : `${type}; charset=utf-8`
  }

  /** Checks what a call brings and runs the handler. */
  function handle(
    req: Request,
    res: Response,
    caller: Caller,
    { raw, body: given }: Pick<ParsedBody, 'raw' | 'body'>,
    mixedQuery: unknown,
  ): unknown {
    // As NUL is taken out of bodies.
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
    if (writesItself) protect(res)
    if (!route.inTurn || caller.kind === 'anonymous') return route.handler(call)
    return inTurn(turns, caller.kind === 'key' ? caller.key.number : 'owner', () => route.handler(call))
  }

  /** Counts the event loop's time for a body until the first wait. */
  function counted<T>(caller: Caller, work: () => T): T {
    const began = performance.now()
    try {
      return work()
    } finally {
      if (route.body !== undefined) worked(caller, performance.now() - began)
    }
  }

  router[method](toExpress(route.path), async (req, res, next) => {
    if (route.isOn?.() === false) return next()
    const known: KnownCall = { route, req, caller: undefined, body: undefined, head: NOTHING, assumedCharset: null }
    res.locals.call = known
    if (route.failure !== undefined) res.locals.failure = route.failure
    const began = performance.now()
    res.on('finish', () => deps.answered(route, res.statusCode, (performance.now() - began) / 1000))
    let form: FormBody | undefined
    try {
      // The caller is known before a byte of the body is read, unless its key is in there.
      const mixed = await route.readMixed?.(req)
      form = mixed?.form
      const caller = await callerOf(req, mixed?.secrets)
      known.caller = caller
      admitReader(caller, route)
      await lookAgain(refresh, () => authentication.admit(caller))
      if (route.body === undefined && route.upload === undefined) refuseLongBody(req)
      if ((await forward?.(req, res, caller.kind === 'owner' ? caller.session : null)) === true) return
      if (caller.kind !== 'anonymous') {
        route.admit?.(caller)
        if (route.form?.takes(req)) form ??= await route.form.read(req, caller)
      }
      const raw = form !== undefined || route.body === undefined ? NOTHING : await readBytes(req, caller, mostBytes)
      known.head = raw.subarray(0, HEAD_BYTES)
      form ??= await dataFileOf(req, raw, caller)
      const result = await counted(caller, () => {
        const own = form ?? (route.body && parseJson(raw, typeOf(req), route.bodyOptional ?? false)) ?? NO_BODY
        const read = mixed === undefined || route.body === undefined ? own : withQuery(own, mixed)
        known.body = read.body
        known.assumedCharset = read.assumedCharset
        if (known.assumedCharset !== null) {
          res.setHeader('x-charset-assumed', known.assumedCharset)
          for (const watcher of watchers) watcher.guessed(known)
        }
        return lookAgain(afterwards, () => handle(req, res, caller, read, mixed?.query))
      })
      if (result === ANSWERED) return
      if (!(result instanceof Reply)) return sendJson(res, route.status ?? 200, result)
      // The first of repeated calls has brought the file already.
      await form?.discard()
      for (const watcher of watchers) watcher.answered(known, result)
      sendJson(res, result.status, result.body, result.headers)
    } catch (error) {
      // The file of a call that came to nothing is of no use to anybody.
      await form?.discard()
      throw error
    }
  })
}

/** The members of the address and of the body as one; the body's win. */
function withQuery<T extends { body: unknown }>(read: T, { query }: MixedCall): T {
  if (read.body === undefined) return { ...read, body: query }
  return typeof read.body === 'object' ? { ...read, body: { ...query, ...read.body } } : read
}

async function inTurn(turns: Limits['turns'], caller: number | 'owner', handle: () => unknown): Promise<unknown> {
  try {
    return await turns.run(caller, handle)
  } catch (error) {
    if (!(error instanceof TooManyWaiting)) throw error
    throw new ApiError(
      'rate_limited',
      'Too many lists are asked for with this key at once. Wait for some answers first.',
      {
        retry_after: 1,
      },
    )
  }
}

/** A known path with another method is 405 and says which ones there are. */
function refuseOtherMethods(router: Router, path: string, ofPath: readonly Route[]): void {
  const allowed = ofPath.map(({ method }) => method)
  // One layer for all methods: `router.all` makes one for each of 35.
  router.route(toExpress(path)).all((req, res, next) => {
    if (ofPath.every(({ isOn }) => isOn?.() === false)) return next()
    const { failure } = ofPath[0] ?? {}
    if (failure !== undefined) res.locals.failure = failure
    res.locals.allow = allowed.join(', ')
    res.locals.route = { method: req.method, path, auth: ofPath[0]?.auth }
    throw new ApiError('method_not_allowed', `${req.method} is not possible here, only ${allowed.join(', ')}.`)
  })
}

/** As Express compares addresses: without regard to capitals and a slash at the end. */
const asCompared = (path: string): string => path.toLowerCase().replace(/\/$/, '')

/**
 * The routes. One without parameters is looked up by its path: Express compares an address with
 * each route in turn, which for the last of 250 takes as long as validating the call.
 */
function routed(deps: HttpDeps, limits: Limits): RequestHandler {
  const byPath = new Map<string, Router>()
  const withParameters = Router()
  for (const [path, ofPath] of Map.groupBy(deps.routes, (route) => route.path)) {
    const router = path.includes('{') ? withParameters : Router()
    if (router !== withParameters) byPath.set(asCompared(path), router)
    for (const route of ofPath) mount(router, route, deps, limits)
    refuseOtherMethods(router, path, ofPath)
  }
  return (req, res, next) => (byPath.get(asCompared(req.path)) ?? withParameters)(req, res, next)
}
