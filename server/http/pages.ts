import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Router } from 'express'
import { ApiError } from '../contract/errors.ts'
import { OWNER_COOKIE } from './auth.ts'

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

/** The window's pages for a browser. `?token=` is taken once, put into a cookie and gone from the address. */
export function createPages(folder: string, isOwnerToken: (token: string) => boolean): Router {
  const router = express.Router()

  router.get('/', (req, res, next) => {
    const token = req.query.token
    if (typeof token !== 'string') return next()
    if (!isOwnerToken(token))
      throw new ApiError('owner_only', 'This link is no longer valid. Take the one that Kurir printed at its start.')
    const cookie = [`${OWNER_COOKIE}=${token}`, 'HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${YEAR}`]
    res.writeHead(303, { 'set-cookie': cookie.join('; '), location: '/', 'referrer-policy': 'no-referrer' }).end()
  })

  router.use((_req, res, next) => {
    res.setHeader('content-security-policy', CSP).setHeader('referrer-policy', 'no-referrer')
    next()
  })
  router.use(
    express.static(folder, {
      index: false,
      setHeaders: (res, path) => {
        // Built files carry a hash in their name.
        res.setHeader('cache-control', path.includes('assets') ? `public, max-age=${YEAR}, immutable` : 'no-cache')
      },
    }),
  )
  // The pages do their own routing: every other address of the window is the same document.
  router.get('/{*page}', (req, res, next) => {
    const file = join(folder, 'index.html')
    if (!(req.headers.accept ?? '').includes('text/html') || !existsSync(file)) return next()
    res.setHeader('cache-control', 'no-cache')
    res.sendFile(file)
  })
  return router
}
