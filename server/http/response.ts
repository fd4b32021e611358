import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { z } from 'zod'
import { ApiError, type ErrorDetail } from '../contract/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { StorageError } from '../lib/storage-error.ts'

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  res.end(text)
}

/** Every wrong field, by its path. */
export function detailsOf(error: z.ZodError): ErrorDetail[] {
  return error.issues.map((issue) => ({
    field: issue.path.map(String).join('.') || 'body',
    message: issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : issue.message,
  }))
}

/** The answer to an error; an unexpected one gets an id to look for in the log. */
export function asApiError(error: unknown, logger: Logger): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StorageError) {
    logger.error({ err: error }, 'the database refused')
    return new ApiError('storage_unavailable', `${error.message} Nothing was accepted.`, { retry_after: 5 })
  }
  const incident = randomUUID()
  logger.error({ err: error, incident }, 'unexpected error')
  return new ApiError('internal_error', `Something went wrong inside Kurir. Look for ${incident} in the log.`, {
    incident,
  })
}

export function sendError(res: ServerResponse, error: ApiError, headers: Record<string, string> = {}): void {
  const retry = error.extras.retry_after
  sendJson(res, error.status, error.toAnswer(), {
    ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
    ...headers,
  })
}
