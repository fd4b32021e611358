import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import { ApiError } from '../contract/errors.ts'
import { isOwnHost } from '../lib/addresses.ts'
import { SECOND } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { createPaces } from '../lib/paces.ts'
import { createFewAtOnce } from '../lib/places.ts'
import { announcedBytes, answerBeforeBody, dropBody } from '../lib/read-body.ts'
import { createTurns } from '../lib/turns.ts'
import { type Authentication, addressOf, createStrangers, type Strangers } from './auth.ts'
import { BODY_PACE, type CallerName, NOTHING } from './body.ts'
import type { HttpContext, KnownCall } from './context.ts'
import type { Caller } from './keys.ts'
import { mount, type SharedLoop, toExpress } from './mount.ts'
import { HEAD_BYTES, shownPath } from './outline.ts'
import { asksForPage } from './pages.ts'
import { asApiError, PROTECTION, protect, replyTo, sendJson, writeJsonHead } from './response.ts'
import type { Route } from './route.ts'

/** Most `inTurn` calls of one API key that may wait. The owner's calls have no limit. */
const WAITING_IN_TURN = 16
const waitingOf = (caller: CallerName) => (caller === 'owner' ? Number.POSITIVE_INFINITY : WAITING_IN_TURN)

/** Creates the app. Order of its middleware: host, cross-origin, routes, pages, errors. */
export function createApi(context: HttpContext): Express {
  const strangers = createStrangers()
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')

  app.use((req, res, next) => {
    context.prover.check(req)
    if (!isOwnHost(req.headers.host, context.allowedHosts())) {
      throw new ApiError(
        'host_not_allowed',
        'This name is not known to Kurir. Use 127.0.0.1, or add the name in Settings.',
      )
    }
    if (context.stopping())
      throw new ApiError('shutting_down', 'Kurir is closing. Nothing was accepted.', { retry_after: 10 })
    if (req.headers.origin !== undefined && allowCors(req, res, context.corsOrigins())) return
    // Some programs put a base address that ends with a slash before a path: `//send`.
    req.url = req.url.replace(/^\/[^?]*/, (path) => path.replace(/\/{2,}/g, '/'))
    next()
  })
  const forOwner =
    (page: RequestHandler): RequestHandler =>
    async (req, res, next) => {
      if (!context.authentication.mayBeOwner(req)) return next()
      if (req.method === 'GET') await strangers.beforeServing(req, 'window')
      protect(res)
      return page(req, res, next)
    }
  const document = forOwner(context.pages.document)
  // Lists for programs, pages for people (docs/decisions/0021-http.md).
  app.get(['/messages{/*rest}', '/senders{/*rest}'], (req, res, next) =>
    asksForPage(req) ? document(req, res, next) : next(),
  )
  app.use(routed(context, strangers))
  app.use(forOwner(context.pages.router))
  for (const { failsBelow, failure, isOn } of context.routes) {
    if (failsBelow === undefined) continue
    app.use(failsBelow, ({ baseUrl, path }, res, next) => {
      if (isOn?.() === false) return next()
      res.locals.failure = failure
      throw notFound(baseUrl + path)
    })
  }
  app.use((req) => {
    throw notFound(req.path, LETTING_IN)
  })
  app.use(createErrorHandler(context.logger, strangers, telling(context)))
  return app
}

/**
 * Called with each error before it is answered.
 * @param head first bytes of a body that no handler has read
 */
type HearError = (error: unknown, req: Request, res: Response, head: Buffer) => void

/** Tells the watchers of failed calls. */
const telling =
  ({ watchers, authentication }: HttpContext): HearError =>
  (error, req, res, head) => {
    const known: KnownCall | undefined = res.locals.call
    const call = known ?? unknownCall(error, req, res, authentication)
    if (call === undefined) return
    if (call.head.length === 0) call.head = head
    for (const watcher of watchers) watcher.failed(call, error)
  }

/** Describes a call whose path or method no route has. Undefined: another error. */
function unknownCall(
  error: unknown,
  req: Request,
  res: Response,
  { recognise }: Authentication,
): KnownCall | undefined {
  if (!(error instanceof ApiError && (error.code === 'not_found' || error.code === 'method_not_allowed'))) return
  const route = res.locals.route as KnownCall['route']
  return { route, req, caller: callerOf(), body: undefined, head: NOTHING, assumedCharset: null }

  function callerOf(): Caller | undefined {
    try {
      const caller = recognise(req, 'key_or_owner')
      return caller instanceof ApiError ? undefined : caller
    } catch {
      // The key has called too often.
      return undefined
    }
  }
}

const LETTING_IN = " Programs written for other gateways are let in by the owner, in Kurir's window under Settings."

const notFound = (path: string, advice = '') =>
  new ApiError('not_found', `There is nothing at ${path}. The interface is described at /docs.${advice}`)

/** Headers of answers that callers read. A browser hides them from a page of another origin. */
const TOLD_IN_HEADERS = 'idempotent-replayed, retry-after, x-charset-assumed, x-unknown-members'

/** Allows a configured origin, and answers its preflight. Returns true if it has answered. */
function allowCors(req: Request, res: Response, origins: readonly string[]): boolean {
  const origin = req.headers.origin ?? ''
  if (!origins.includes(origin)) return false
  res
    .setHeader('access-control-allow-origin', origin)
    .setHeader('access-control-expose-headers', TOLD_IN_HEADERS)
    .setHeader('vary', 'Origin')
  if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return false
  res.writeHead(204, {
    ...PROTECTION,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, prefer, x-api-key, x-filename',
    'access-control-max-age': '600',
  })
  res.end()
  return true
}

/** Refuses other methods of a known path with 405, and names the allowed methods. */
function refuseOtherMethods(router: Router, path: string, ofPath: readonly Route[]): void {
  const allowed = ofPath.map(({ method }) => method)
  // One layer for all methods: `router.all` adds one for each of 35 methods.
  router.route(toExpress(path)).all((req, res, next) => {
    if (ofPath.every(({ isOn }) => isOn?.() === false)) return next()
    const { failure } = ofPath[0] ?? {}
    if (failure !== undefined) res.locals.failure = failure
    res.locals.allow = allowed.join(', ')
    res.locals.route = { method: req.method, path, auth: ofPath[0]?.auth }
    throw new ApiError('method_not_allowed', `${req.method} is not possible here, only ${allowed.join(', ')}.`)
  })
}

/** Returns a path as Express compares it: without regard to capitals and a trailing slash. */
const asCompared = (path: string): string => path.toLowerCase().replace(/\/$/, '')

/**
 * Returns the handler of all routes. Looks up a route without parameters by its path, because
 * Express compares an address with each route in turn, which for the last of 250 takes as long as
 * validating the call.
 */
function routed(context: HttpContext, strangers: Strangers): RequestHandler {
  const shared: SharedLoop = { turns: createTurns(waitingOf), fewAtOnce: createFewAtOnce(), strangers }
  const byPath = new Map<string, Router>()
  const withParameters = Router()
  for (const [path, ofPath] of Map.groupBy(context.routes, (route) => route.path)) {
    const router = path.includes('{') ? withParameters : Router()
    if (router !== withParameters) byPath.set(asCompared(path), router)
    for (const route of ofPath) mount(router, context, route, shared)
    refuseOtherMethods(router, path, ofPath)
  }
  return (req, res, next) => (byPath.get(asCompared(req.path)) ?? withParameters)(req, res, next)
}

// Limits for the rest of a refused request's body, which is read and dropped. Bytes; milliseconds.
const DROPPED = { most: 4 * 1024 * 1024, within: 2 * SECOND }
// Limits for a body that is read and dropped after the answer: many programs write all of the body
// before they look for an answer.
const DROPPED_AFTERWARDS = { most: 128 * 1024 * 1024, within: 30 * SECOND, idle: 2 * SECOND }

/** Answers any error that a handler threw. Throws nothing, because Express would show the stack. */
export function createErrorHandler(
  logger: Logger,
  strangers: Strangers,
  hear: HearError = () => undefined,
): ErrorRequestHandler {
  // Paces by address, because the caller may be unknown.
  const dropping = createPaces<string>(BODY_PACE)

  async function answer(error: ApiError, tell: (head: Buffer) => void, req: Request, res: Response): Promise<void> {
    logger.debug({ method: req.method, path: shownPath(req.path), code: error.code }, 'refused')
    const from = addressOf(req)
    const pace = (bytes: number) => dropping.after(from, bytes)
    const failure = res.locals.failure as Route['failure']
    const { status, body, headers } = failure?.(error) ?? replyTo(error, allowHeader(res))
    if (isOfStranger(res) && error.code !== 'shutting_down') await strangers.beforeRefusing(req)
    if (isTooMuchToDropFirst(error, req)) {
      tell(NOTHING)
      const write = () => res.write(writeJsonHead(res, status, body, headers))
      return answerBeforeBody(req, res, write, { ...DROPPED_AFTERWARDS, pace })
    }
    tell(await dropBody(req, res, { ...DROPPED, pace, head: HEAD_BYTES }))
    sendJson(res, status, body, headers)
  }

  return async (error, req, res, _next) => {
    const known = asApiError(error, logger)
    const tell = (head: Buffer) => hear(error, req, res, head)
    try {
      if (!res.headersSent) return await answer(known, tell, req, res)
      tell(NOTHING)
    } catch (cause) {
      const { status, body, headers } = replyTo(asApiError(cause, logger))
      if (!res.headersSent) return sendJson(res, status, body, headers)
    }
    res.destroy()
  }
}

const isOfStranger = (res: Response): boolean => (res.locals.call as KnownCall | undefined)?.caller === undefined

const isTooMuchToDropFirst = (error: ApiError, req: Request): boolean =>
  !req.readableDidRead && (error.code === 'payload_too_large' || announcedBytes(req) > DROPPED.most)

const allowHeader = (res: Response): Record<string, string> => {
  const allow: unknown = res.locals.allow
  return typeof allow === 'string' ? { allow } : {}
}
