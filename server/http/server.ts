import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { ApiError, invalidRequest } from '../contract/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { type Authenticate, isLocal } from './auth.ts'
import { asBodyError, BODY_LIMIT, parseJson, readBytes } from './body.ts'
import type { FormBody } from './form.ts'
import { isOwnHost } from './hosts.ts'
import type { Pages } from './pages.ts'
import { asApiError, detailsOf, sendError, sendJson } from './response.ts'
import { ANSWERED, type Call, Reply, type Route } from './route.ts'

export interface HttpDeps {
  routes: readonly Route[]
  authenticate: Authenticate
  /** The window's pages. */
  pages: Pages
  allowedHosts: () => readonly string[]
  corsOrigins: () => readonly string[]
  remoteAdministration: () => boolean
  stopping: () => boolean
  logger: Logger
}

const toExpress = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** The middleware in its order: host, cross-origin, routes, pages, errors. */
export function createApi(deps: HttpDeps): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')

  app.use((req, res, next) => {
    if (!isOwnHost(req.headers.host, deps.allowedHosts())) {
      throw new ApiError(
        'host_not_allowed',
        'This name is not known to Kurir. Use localhost, or add the name in Settings.',
      )
    }
    if (deps.stopping())
      throw new ApiError('shutting_down', 'Kurir is closing. Nothing was accepted.', { retry_after: 10 })
    res.setHeader('x-content-type-options', 'nosniff')
    if (req.headers.origin !== undefined && allowCors(req, res, deps.corsOrigins())) return
    next()
  })
  const forOwner =
    (page: RequestHandler): RequestHandler =>
    (req, res, next) =>
      isLocal(req) || deps.remoteAdministration() ? page(req, res, next) : next()
  // These are lists for programs and pages for people; only a browser asks for text/html.
  app.get(['/messages{/*rest}', '/senders{/*rest}'], forOwner(deps.pages.document))
  for (const route of deps.routes) mount(app, route, deps)
  refuseOtherMethods(app, deps.routes)
  app.use(forOwner(deps.pages.router))
  app.use((req) => {
    throw notFound(req.path)
  })
  app.use(((error, req, res, _next) => {
    const answer = asApiError(asBodyError(error), deps.logger)
    if (res.headersSent) return void res.destroy()
    deps.logger.debug({ method: req.method, path: req.path, code: answer.code }, 'refused')
    const failure = res.locals.failure as Route['failure']
    if (failure === undefined) return sendError(res, answer, allowHeader(res))
    const { status, body } = failure(answer)
    sendJson(res, status, body)
  }) satisfies ErrorRequestHandler)
  return app
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
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key',
    'access-control-max-age': '600',
  })
  res.end()
  return true
}

function mount(app: Express, route: Route, deps: HttpDeps): void {
  const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'
  const readBody = route.body === undefined ? [] : [unless((req) => comesAsForm(route, req), readBytes(BODY_LIMIT))]
  // The caller is known before a byte of the body is read.
  const caller = (req: Request, res: Response, next: () => void) => {
    res.locals.failure = route.failure
    res.locals.caller = deps.authenticate(req, route.auth)
    next()
  }
  app[method](toExpress(route.path), caller, ...readBody, async (req, res) => {
    const result = await handle(route, req, res)
    if (result === ANSWERED) return
    if (result instanceof Reply) sendJson(res, result.status, result.body, result.headers)
    else sendJson(res, 200, result)
  })
}

const comesAsForm = (route: Route, req: Request): boolean => route.form?.takes(req) ?? false

const unless =
  (isExcepted: (req: Request) => boolean, middleware: RequestHandler): RequestHandler =>
  (req, res, next) =>
    isExcepted(req) ? next() : middleware(req, res, next)

/** Runs the handler. The file of a form whose call comes to nothing is forgotten. */
async function handle(route: Route, req: Request, res: Response): Promise<unknown> {
  if (!comesAsForm(route, req)) return route.handler(parseCall(route, req, res) as never)
  const form = await route.form?.read(req, res.locals.caller)
  try {
    return await route.handler(parseCall(route, req, res, form) as never)
  } catch (error) {
    await form?.discard()
    throw error
  }
}

function bodyOf(route: Route, req: Request, form: FormBody | undefined): unknown {
  if (route.body === undefined) return undefined
  return form === undefined ? parseJson(req.body, req.headers['content-type'], route.bodyOptional ?? false) : form.body
}

function parseCall(route: Route, req: Request, res: Response, form?: FormBody): Call {
  const raw: unknown = form?.raw ?? req.body
  const body = bodyOf(route, req, form)
  const parts = { params: req.params as unknown, query: req.query as unknown, body }
  const problems = []
  for (const part of ['params', 'query', 'body'] as const) {
    const parsed = route[part]?.safeParse(parts[part])
    if (parsed?.success) parts[part] = parsed.data
    else if (parsed !== undefined) problems.push(...detailsOf(parsed.error))
  }
  if (problems.length > 0) throw invalidRequest(problems)
  return { ...parts, raw: Buffer.isBuffer(raw) ? raw : Buffer.alloc(0), caller: res.locals.caller, req, res }
}

/** A known path with another method is 405 and says which ones there are. */
function refuseOtherMethods(app: Express, routes: readonly Route[]): void {
  const methods = new Map<string, string[]>()
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  for (const [path, allowed] of methods) {
    app.all(toExpress(path), (req, res) => {
      res.locals.allow = allowed.join(', ')
      throw new ApiError('method_not_allowed', `${req.method} is not possible here, only ${allowed.join(', ')}.`)
    })
  }
}

const allowHeader = (res: Response): Record<string, string> => {
  const allow: unknown = res.locals.allow
  return typeof allow === 'string' ? { allow } : {}
}
