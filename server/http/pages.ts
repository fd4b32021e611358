import { existsSync, globSync } from 'node:fs'
import { join, relative } from 'node:path'
import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import { COMMAND } from '../lib/program.ts'

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  // No other hosts: callers choose the addresses of files, and the owner's browser must not fetch
  // them.
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const YEAR = 365 * 24 * 3600

export interface Pages {
  /** Serves the window's document to a browser that asks for a page. Other requests pass. */
  document: RequestHandler
  router: Router
}

/** Page for a bookmark of an earlier version: the owner's token does not open the window. */
const OLD_LINK = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kurir</title><style>body{font:18px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem}</style></head>
<body><h1>Kurir</h1>
<p>This link is no longer valid. Open Kurir from its icon, or get a new link on the computer where it runs:
<code>${COMMAND} open</code></p>
<p lang="id">Tautan ini sudah tidak berlaku. Buka Kurir dari ikonnya, atau ambil tautan baru di komputer tempat Kurir berjalan:
<code>${COMMAND} open</code></p></body></html>`

/** True if a browser asks for a page; for a program the same address may be a list. */
export const asksForPage = (req: Request): boolean =>
  (req.headers.accept ?? '').includes('text/html') && !req.path.startsWith('/api/')

export function createPages(folder: string): Pages {
  const router = express.Router()
  const index = join(folder, 'index.html')

  const document: RequestHandler = (req, res, next) => {
    if (!asksForPage(req) || !existsSync(index)) return next()
    protect(res)
    // For a program the same address may be a list (docs/decisions/0021-http.md).
    res.vary('Accept')
    res.setHeader('cache-control', 'no-cache')
    res.sendFile(index)
  }

  router.use((_req, res, next) => {
    protect(res)
    next()
  })
  router.get('/', (req, res, next) => {
    if (req.query.token === undefined) return next()
    res.status(403).type('html').send(OLD_LINK)
  })
  router.use(preferCompressed(folder))
  router.use(
    express.static(folder, {
      index: false,
      setHeaders: (res, path) => {
        // Built files carry a hash in their name.
        res.setHeader('vary', 'Accept-Encoding')
        res.setHeader(
          'cache-control',
          relative(folder, path).startsWith('assets') ? `public, max-age=${YEAR}, immutable` : 'no-cache',
        )
      },
    }),
  )
  // The pages do their own routing: every other address of the window is the same document.
  // A RegExp, because Express would decode a named part and refuse a bad one: `/customers/50%`.
  router.get(/^/, document)
  return { document, router }
}

function protect(res: Response): void {
  res.setHeader('content-security-policy', CSP).setHeader('referrer-policy', 'no-referrer')
}

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * Rewrites a request for a file to its compressed form, made by the build, if the browser accepts
 * it. Lists the compressed files once, with the first request. A folder without any is served as it
 * is.
 */
function preferCompressed(folder: string): RequestHandler {
  const readNames = () =>
    new Set(globSync('**/*.{br,gz}', { cwd: folder }).map((name) => `/${name.replaceAll('\\', '/')}`))
  let names: ReturnType<typeof readNames> | undefined
  return (req, res, next) => {
    names ??= readNames()
    const known = names
    const type = TYPES[req.path.slice(req.path.lastIndexOf('.') + 1)]
    const accepted = String(req.headers['accept-encoding'] ?? '')
    const found = ENCODINGS.find(([name, end]) => accepts(accepted, name) && known.has(req.path + end))
    if (type === undefined || found === undefined) return next()
    const [encoding, end] = found
    req.url = req.path + end
    res.setHeader('content-encoding', encoding).setHeader('content-type', type)
    next()
  }
}

/** True if an Accept-Encoding header names an encoding without refusing it (RFC 9110, 12.5.3). */
function accepts(header: string, encoding: string): boolean {
  const given = header.split(',').find((part) => part.trim().split(';', 1)[0] === encoding)
  return given !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(given)
}
