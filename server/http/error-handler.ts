import type { ErrorRequestHandler, Request, Response } from 'express'
import type { ApiError } from '../contract/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { createBytePaces, dropBody } from '../lib/read-body.ts'
import { SECOND } from '../lib/time.ts'
import { addressOf } from './auth.ts'
import { BODY_PACE } from './body.ts'
import { asApiError, sendError, sendJson } from './response.ts'
import type { Route } from './route.ts'

// Of the body of a refused request. Bytes; milliseconds.
const DROPPED = { most: 4 * 1024 * 1024, within: 2 * SECOND }

/**
 * Answers whatever a handler has thrown. It throws nothing itself: Express would show its own page,
 * with the stack.
 */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  // Who calls may not be known.
  const dropping = createBytePaces<string>(BODY_PACE)

  async function answer(error: ApiError, req: Request, res: Response): Promise<void> {
    logger.debug({ method: req.method, path: req.path, code: error.code }, 'refused')
    const from = addressOf(req)
    await dropBody(req, res, { ...DROPPED, pace: (bytes) => dropping.after(from, bytes) })
    const failure = res.locals.failure as Route['failure']
    if (failure === undefined) return sendError(res, error, allowHeader(res))
    const { status, body } = failure(error)
    sendJson(res, status, body)
  }

  return async (error, req, res, _next) => {
    const known = asApiError(error, logger)
    try {
      if (!res.headersSent) return await answer(known, req, res)
    } catch (cause) {
      if (!res.headersSent) return sendError(res, asApiError(cause, logger))
    }
    res.destroy()
  }
}

const allowHeader = (res: Response): Record<string, string> => {
  const allow: unknown = res.locals.allow
  return typeof allow === 'string' ? { allow } : {}
}
