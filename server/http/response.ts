import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { ApiError } from '../contract/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { PROOF_HEADER, provedBy } from '../lib/proof.ts'
import { StorageError } from '../lib/storage-error.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { Reply } from './route.ts'

/** Headers of every answer; the window's pages bring their own. */
export const PROTECTION = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Sets these headers and the proof for an answer that `sendJson` does not write. */
export function protect(res: ServerResponse): void {
  for (const [name, value] of Object.entries(PROTECTION)) res.setHeader(name, value)
  const proof = provedBy(res.req)?.answer(200, null)
  if (proof !== undefined) res.setHeader(PROOF_HEADER, proof)
}

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.end(writeJsonHead(res, status, body, headers))
}

/** Writes the head of an answer. Returns the body that it announces. */
export function writeJsonHead(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string>,
): string | Buffer {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const proof = provedBy(res.req)?.answer(status, text)
  // All at once: Node would store headers that are set one by one, and merge them for each call.
  res.writeHead(status, {
    ...PROTECTION,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...(proof && { [PROOF_HEADER]: proof }),
    ...headers,
  })
  return text
}

/** Restarts once the caller has the answer. False: Kurir cannot restart by itself. */
export function restartAfterAnswer(res: ServerResponse, restart: (() => void) | undefined): boolean {
  if (restart === undefined) return false
  res.setHeader('connection', 'close')
  res.once('close', restart)
  return true
}

/** Turns an error into an ApiError. An unexpected error gets an id to look for in the log. */
export function asApiError(error: unknown, logger: Logger): ApiError {
  if (error instanceof ApiError) return error
  // Broken percent-encoding in an address, found by the router or by the window's static files.
  if (error instanceof URIError || (error instanceof Error && 'status' in error && error.status === 400))
    return invalidRequest([fieldProblem('path', 'not_percent_encoded')])
  if (error instanceof StorageError) {
    logger.error({ err: error }, 'nothing could be stored')
    return new ApiError('storage_unavailable', `${error.message} ${effectOf(error)}`, { retry_after: 5 })
  }
  const incident = randomUUID()
  logger.error({ err: error, incident }, 'unexpected error')
  return new ApiError('internal_error', `Something went wrong inside Kurir. Look for ${incident} in the log.`, {
    incident,
  })
}

const effectOf = ({ problem }: StorageError): string =>
  problem === 'in_doubt'
    ? 'It may be accepted: repeat it with the same Idempotency-Key, or look before you repeat it without one.'
    : 'Nothing was accepted.'

/** Returns the answer to an error for routes without a `failure` of their own. */
export function replyTo(error: ApiError, headers: Record<string, string> = {}): Reply {
  const retry = error.extras.retry_after
  return new Reply(error.status, error.toAnswer(), {
    ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
    ...headers,
  })
}

/** Writes the head of an answer in CSV. @param name name of the file, without `.csv` */
export function beginCsv(res: ServerResponse, name: string): void {
  res.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'no-store',
  })
}

/**
 * Writes an answer page by page, as fast as the client reads it, so that a million rows need no
 * more memory than one page.
 * @param next resolves with the next page; `more`: another page follows
 */
export async function writePages(
  res: ServerResponse,
  head: string,
  next: () => Promise<{ text: string; more: boolean }>,
): Promise<void> {
  res.write(head)
  // One listener for all pages, because each page would leave another one behind.
  const closed = new Promise((resolve) => res.once('close', resolve))
  for (let isMore = true; isMore && !res.destroyed; ) {
    const { text, more } = await next()
    if (!res.write(text)) await Promise.race([once(res, 'drain'), closed])
    isMore = more
  }
  res.end()
}
