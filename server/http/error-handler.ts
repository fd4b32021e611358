import type { ErrorRequestHandler, Request, Response } from 'express'
import type { ApiError } from '../contract/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { createPaces } from '../lib/paces.ts'
import { announcedBytes, answerBeforeBody, dropBody } from '../lib/read-body.ts'
import { SECOND } from '../lib/time.ts'
import { addressOf } from './auth.ts'
import { BODY_PACE, NOTHING } from './body.ts'
import type { KnownCall } from './context.ts'
import { HEAD_BYTES } from './outline.ts'
import { asApiError, replyTo, sendJson, writeJsonHead } from './response.ts'
import type { Route } from './route.ts'
import { shownPath } from './shown-path.ts'
import type { Strangers } from './strangers.ts'

// Rest of a refused request's body that is read and dropped. Bytes; milliseconds.
const DROPPED = { most: 4 * 1024 * 1024, within: 2 * SECOND }
// The same for a body that was answered before it was read: many programs write all of it before
// they look for an answer.
const DROPPED_AFTERWARDS = { most: 128 * 1024 * 1024, within: 30 * SECOND, idle: 2 * SECOND }

/**
 * Hears of each error before it is answered.
 * @param head first bytes of a body that nobody has read
 */
export type HearError = (error: unknown, req: Request, res: Response, head: Buffer) => void

/** Answers whatever a handler has thrown. Throws nothing: Express would show the stack. */
export function createErrorHandler(
  logger: Logger,
  strangers: Strangers,
  hear: HearError = () => undefined,
): ErrorRequestHandler {
  // The caller may not be known: paces go by address.
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
