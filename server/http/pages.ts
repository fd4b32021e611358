import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express, { type RequestHandler, type Response, type Router } from 'express'
import { type Authentication, OWNER_COOKIE } from './auth.ts'
import { preferCompressed } from './compressed.ts'

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data: blob: https: http:",
  "media-src 'self' blob: https: http:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const YEAR = 365 * 24 * 3600

export interface Pages {
  /** The window's document, for a browser that asks for a page; other requests pass through. */
  document: RequestHandler
  router: Router
}

/** The window's pages for a browser. `?token=` is taken once, put into a cookie and gone from the address. */
export function createPages(folder: string, checkLink: Authentication['checkLink']): Pages {
  const router = express.Router()
  const index = join(folder, 'index.html')

  const document: RequestHandler = (req, res, next) => {
    const isPage = (req.headers.accept ?? '').includes('text/html') && !req.path.startsWith('/api/')
    if (!isPage || !existsSync(index)) return next()
    protect(res)
    res.setHeader('cache-control', 'no-cache')
    res.sendFile(index)
  }

  router.get('/', (req, res, next) => {
    const token = req.query.token
    if (typeof token !== 'string') return next()
    checkLink(req, token)
    const cookie = [`${OWNER_COOKIE}=${token}`, 'HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${YEAR}`]
    res.writeHead(303, { 'set-cookie': cookie.join('; '), location: '/', 'referrer-policy': 'no-referrer' }).end()
  })

  router.use((_req, res, next) => {
    protect(res)
    next()
  })
  router.use(preferCompressed(folder))
  router.use(
    express.static(folder, {
      index: false,
      setHeaders: (res, path) => {
        // Built files carry a hash in their name.
        res.setHeader('vary', 'Accept-Encoding')
        res.setHeader('cache-control', path.includes('assets') ? `public, max-age=${YEAR}, immutable` : 'no-cache')
      },
    }),
  )
  // The pages do their own routing: every other address of the window is the same document.
  router.get('/{*page}', document)
  return { document, router }
}

function protect(res: Response): void {
  res.setHeader('content-security-policy', CSP).setHeader('referrer-policy', 'no-referrer')
}
