import { type Dispatcher, request } from 'undici'
import { type CallbackError, callbackErrorOfCode, REPLY_KEPT_FOR } from '../contract/webhooks.ts'
import { jitter, parseRetryAfter } from '../lib/backoff.ts'
import { type Clock, HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { describeNetworkError } from '../lib/net-errors.ts'
import { AddressBlocked } from '../lib/net-guard.ts'
import { startDeadline, TooLate } from '../lib/sleep.ts'
import type { DeliveryAttempt, EndpointFailure } from '../store/index.ts'
import type { CallbackCall } from './callback.ts'

const ANSWER_WITHIN = 15 * SECOND
const KEPT_BYTES = 2048

export interface CallbackRequest {
  url: string
  call: CallbackCall
  headers: Record<string, string>
  /** Ends the attempt early, for example when Kurir stops. */
  signal?: AbortSignal
}

/** Result of one attempt: a status, or an error as a sentence and a code. */
export interface PostResult {
  status?: number
  error?: string
  errorCode?: CallbackError | null
  /** The first 2 KiB of the answer. */
  body?: string
  retryAfter?: string
  tookMs: number
}

export type PostCallback = (callback: CallbackRequest) => Promise<PostResult>

const CHALLENGE_FAILED = {
  error: 'The receiver did not answer the challenge.',
  errorCode: 'challenge_failed',
} as const

/**
 * Makes a callback once. Follows no redirects. Rejects only with the reason of `signal`.
 * @param dispatcher guards the network: it decides which addresses may be called
 * @param version Kurir's version, for the User-Agent
 */
export function createPostCallback(dispatcher: Dispatcher, clock: Clock, version: string): PostCallback {
  return async ({ url, call, headers, signal }) => {
    const startedAt = clock.now()
    const late = startDeadline(clock, ANSWER_WITHIN)
    try {
      const { method = 'POST', query = {}, body, contentType = 'application/json', expects } = call
      const address = new URL(url)
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
      const type = method === 'POST' ? { 'content-type': contentType } : {}
      const response = await request(address, {
        dispatcher,
        method,
        body: method === 'POST' ? body : null,
        headers: { ...headers, ...type, 'user-agent': `Kurir/${version}` },
        signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
      })
      const retryAfter = response.headers['retry-after']
      const answer = await readStart(response.body)
      if (expects !== undefined && isTaken(response.statusCode) && answer.trim() !== expects) {
        return { ...CHALLENGE_FAILED, body: answer, tookMs: clock.now() - startedAt }
      }
      return {
        status: response.statusCode,
        body: answer,
        ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
        tookMs: clock.now() - startedAt,
      }
    } catch (error) {
      signal?.throwIfAborted()
      const tookMs = clock.now() - startedAt
      const why = late.signal.aborted ? late.signal.reason : error
      return { error: describeNetworkError(why), errorCode: callbackErrorOf(why), tookMs }
    } finally {
      late.cancel()
    }
  }
}

/** Reads the first 2 KiB as text. Returns the received part if the answer breaks off. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= KEPT_BYTES) break
    }
  } catch {
    // The status decides. The text is only for the owner to read.
  }
  // `stream` drops a character that the limit cuts in two.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, KEPT_BYTES), { stream: true })
}

/** Returns the code of a failed connection; null if there is only a sentence. */
export function callbackErrorOf(error: unknown): CallbackError | null {
  if (error instanceof AddressBlocked) return 'address_not_allowed'
  if (error instanceof TooLate) return 'timeout'
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? callbackErrorOfCode(code) : null
}

/** Waits before the second attempt, the third, and so on. Together longer than a shop's weekend. */
const RETRY_AFTER = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/**
 * Returns the time of the next try for a customer's message. Kurir keeps the message for a day, and
 * for an hour after each start. So one try comes at the latest a minute before the day ends, and
 * later ones every ten minutes.
 */
export const replyAt = (receivedAt: number, now: number, next: number): number =>
  Math.min(next, Math.max(now + 10 * MINUTE, receivedAt + REPLY_KEPT_FOR - MINUTE))

/** End of one attempt; without `status` there was no answer. */
interface CallbackResult {
  status?: number
  /** Retry-After header, unparsed. */
  retryAfter?: string
}

export const isTaken = (status: number | null | undefined): boolean => status != null && status >= 200 && status < 300

export type NextStep =
  | { type: 'delivered' }
  | { type: 'retry'; at: number }
  /** No attempt is left. */
  | { type: 'dead' }
  /** The receiver is gone for good. Its endpoint is switched off, and the delivery waits. */
  | { type: 'disabled' }

/** Decides what follows an attempt. @param attempt 1 is the first */
export function afterAttempt(attempt: number, result: CallbackResult, now: number, random: () => number): NextStep {
  const { status, retryAfter } = result
  if (isTaken(status)) return { type: 'delivered' }
  if (status === 410) return { type: 'disabled' }
  const delay = RETRY_AFTER[attempt - 1]
  if (delay === undefined) return { type: 'dead' }
  // A receiver may ask for more time but not for less, which could use up all attempts in minutes.
  const asked = parseRetryAfter(retryAfter, now) ?? 0
  return { type: 'retry', at: now + Math.max(jitter(delay, random), asked) }
}

export const NO_FAILURE = { lastError: null, lastErrorCode: null, lastErrorStatus: null, failingSince: null }

/** Returns the reason why an attempt failed: the answer's status, or an error without an answer. */
export const failureOf = ({ status, error, errorCode }: DeliveryAttempt): EndpointFailure => ({
  lastError: error ?? `answered ${status}`,
  lastErrorCode: status === null ? errorCode : 'answered',
  lastErrorStatus: status,
})
