import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { SECOND } from '../../../lib/clock.ts'
import { sameSecret } from '../../../lib/proof.ts'
import {
  answerBeforeBody,
  BodyError,
  type BodyRefusal,
  createByteShares,
  dropBody,
  readBody,
} from '../../../lib/read-body.ts'
import { StorageError } from '../../../lib/storage-error.ts'
import type { OfficialContext } from '../graph/context.ts'
import type { MetaInbox } from './inbox.ts'

export const WEBHOOK_PATH = '/waba/webhook'
const MB = 1024 * 1024
/** Meta's own limit. */
const LARGEST = 3 * MB
// Bytes of all callers together, because anybody can call and fill the program's memory. Meta
// repeats refused callbacks.
const MOST_AT_ONCE = 16 * MB
// Bytes that each callback may have beyond MOST_AT_ONCE. Meta's callbacks are rarely longer, so
// strangers with large bodies cannot keep them out.
const ALWAYS = 64 * 1024
const READ_WITHIN = 5 * SECOND
/**
 * Meta needs a few connections, and a stranger must not hold thousands. Beyond the limit the oldest
 * connection is closed.
 */
export const LISTENER_LIMITS = { connections: 64, requestTimeout: READ_WITHIN }
/** Limits for the body of a refused request: bytes, milliseconds. */
const DROPPED = { most: MB, within: SECOND }

const STATUS: Record<BodyRefusal, number> = {
  too_large: 413,
  encoded: 415,
  incomplete: 400,
  too_slow: 408,
  too_many: 503,
}

/**
 * Serves Meta's callbacks and nothing else, so a tunnel may expose this listener. Accepts any host
 * name, because a tunnel has its own. The signature proves who calls.
 * @param onRefused runs for a callback whose signature fits no sender
 */
export function createListener(
  { accounts, logger }: OfficialContext,
  { receive }: MetaInbox,
  onRefused: () => void,
): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')

  app.get(WEBHOOK_PATH, (req, res) => {
    const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = req.query
    const known = typeof token === 'string' && accounts.list().some(({ verifyToken }) => sameSecret(token, verifyToken))
    if (mode !== 'subscribe' || !known || typeof challenge !== 'string') {
      res.status(403).type('text').send('The verify token is not that of a sender of Kurir.')
      return
    }
    res.type('text').send(challenge)
  })

  const inFlight = createByteShares<IncomingMessage>(LARGEST, MOST_AT_ONCE, ALWAYS)

  async function read(req: IncomingMessage): Promise<Buffer> {
    let taken = 0
    const take = (bytes: number): boolean => {
      if (!inFlight.take(req, bytes)) return false
      taken += bytes
      return true
    }
    try {
      return await readBody(req, { limit: LARGEST, within: READ_WITHIN, take })
    } finally {
      inFlight.give(req, taken)
    }
  }

  app.post(WEBHOOK_PATH, async (req, res) => {
    const header = req.get('x-hub-signature-256')
    const bytes = isSignature(header) ? await read(req) : Buffer.alloc(0)
    const signers = accounts.list().filter(({ appSecret }) => signatureMatches(bytes, header, appSecret))
    if (signers.length === 0) {
      // A call without the header is not from Meta, but from somebody who found the address.
      if (header !== undefined) onRefused()
      // With `err` the logger writes it at most once a minute, however fast strangers call.
      const err = new Error('check the app secret of the sender')
      logger.warn({ err }, 'a callback without a right signature was refused')
      await dropBody(req, res, DROPPED)
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
  app.use((async (error, req, res, _next) => {
    const status = statusOf(error)
    if (status >= 500 && !(error instanceof BodyError))
      logger.error({ err: error }, "a callback of Meta's was not kept; Meta sends it again")
    if (res.headersSent) return void res.destroy()
    res.status(status).type('text')
    if (status === 413 && !req.readableDidRead) {
      return answerBeforeBody(req, res, () => res.set('content-length', '13').write('Not accepted.'), DROPPED)
    }
    await dropBody(req, res, DROPPED)
    res.send('Not accepted.')
  }) satisfies ErrorRequestHandler)
  return app
}

function statusOf(error: unknown): number {
  if (error instanceof StorageError) return 503
  if (error instanceof BodyError) return STATUS[error.reason]
  // The router's error for an address with broken percent escapes.
  return error instanceof Error && 'status' in error && error.status === 400 ? 400 : 500
}

const HEADER = /^sha256=([0-9a-f]{64})$/i

/** True if the header has the form of a signature. Else the body is not read at all. */
const isSignature = (header: string | undefined): header is string => HEADER.test(header ?? '')

/**
 * True if `X-Hub-Signature-256` fits the raw bytes. A body that was parsed and written again would
 * not fit, because Meta escapes non-ASCII letters and slashes.
 */
export function signatureMatches(rawBody: Uint8Array, header: string | undefined, appSecret: string): boolean {
  const given = HEADER.exec(header ?? '')?.[1]
  if (given === undefined || appSecret === '') return false
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', appSecret).update(rawBody).digest())
}
