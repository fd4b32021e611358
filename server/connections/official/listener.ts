import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Logger } from '../../lib/logger.ts'
import { sameSecret } from '../../lib/same-secret.ts'
import { StorageError } from '../../lib/storage-error.ts'
import type { OfficialAccount } from './accounts.ts'
import type { MetaInbox } from './inbox.ts'
import { signatureMatches } from './signature.ts'

export const WEBHOOK_PATH = '/waba/webhook'
/** Meta's own limit. */
const LARGEST = 3 * 1024 * 1024

export interface ListenerDeps {
  accounts: () => OfficialAccount[]
  receive: MetaInbox['receive']
  /** A callback came whose signature is not that of any sender. */
  onRefused: () => void
  logger: Logger
}

/**
 * What a tunnel may show to the world: Meta's callbacks and nothing else. Any host name is right here, because a tunnel
 * has its own; the signature proves who calls.
 */
export function createListener({ accounts, receive, onRefused, logger }: ListenerDeps): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')

  app.get(WEBHOOK_PATH, (req, res) => {
    const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = req.query
    const known = typeof token === 'string' && accounts().some(({ verifyToken }) => sameSecret(token, verifyToken))
    if (mode !== 'subscribe' || !known || typeof challenge !== 'string') {
      res.status(403).type('text').send('The verify token is not that of a sender of Kurir.')
      return
    }
    res.type('text').send(challenge)
  })

  app.post(WEBHOOK_PATH, express.raw({ type: () => true, limit: LARGEST, inflate: false }), async (req, res) => {
    const body: unknown = req.body
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    const header = req.get('x-hub-signature-256')
    const signers = accounts().filter(({ appSecret }) => signatureMatches(bytes, header, appSecret))
    if (signers.length === 0) {
      // Without the header it is no callback of Meta's but somebody who found the address.
      if (header !== undefined) onRefused()
      logger.warn('a callback without a right signature was refused: check the app secret of the sender')
      res.status(401).type('text').send('The signature is missing or wrong.')
      return
    }
    if (await receive(bytes, signers)) res.type('text').send('OK')
    else res.status(400).type('text').send('Not a Meta webhook payload.')
  })

  app.all(WEBHOOK_PATH, (_req, res) => {
    res.status(405).set('allow', 'GET, POST').type('text').send('Only GET and POST.')
  })
  app.use((_req, res) => {
    res.status(404).type('text').send('Nothing is here.')
  })
  app.use(((error, _req, res, _next) => {
    const given: unknown = (error as { status?: unknown }).status
    const status = error instanceof StorageError ? 503 : typeof given === 'number' ? given : 500
    if (status >= 500) logger.error({ err: error }, "a callback of Meta's was not kept; Meta sends it again")
    if (res.headersSent) return void res.destroy()
    res.status(status).type('text').send('Not accepted.')
  }) satisfies ErrorRequestHandler)
  return app
}
