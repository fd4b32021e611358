import { z } from 'zod'
import { ApiError, errorAnswer } from '../../server/contract/errors.ts'
import { answer } from '../../server/contract/fields.ts'
import { shownIn } from '../../server/contract/shown.ts'
import { takeEarly } from './early.ts'
import { ownHeaders } from './page-token.ts'

/** The server did not answer at all. */
export class ConnectionLost extends Error {}

/** The answer does not fit the contract: page and server have different versions. */
export class UnreadableAnswer extends Error {}

interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: unknown
  /** Idempotency-Key: calls with the same key are executed once. */
  onceKey?: string
  signal?: AbortSignal
}

/** Schema of answers whose data nobody needs. */
export const done = answer(z.unknown())

/**
 * Calls the server and checks the answer against its schema.
 * @throws {ApiError} as the server sent it; {ConnectionLost}; {UnreadableAnswer}
 */
export async function call<T>(schema: z.ZodType<T>, path: string, options: Call = {}): Promise<T> {
  const response = await request(path, { ...options, accept: 'application/json' })
  return answerOf(schema, `${options.method ?? 'GET'} ${path}`, response)
}

/**
 * Sends a request, with `body` as JSON. All requests of the window but uploads go through here.
 * @throws {ConnectionLost}; the reason of `signal`
 */
export async function request(
  path: string,
  { method = 'GET', body, onceKey, signal, accept, lastId }: Call & { accept?: string; lastId?: string | undefined },
): Promise<Response> {
  const early = method === 'GET' ? takeEarly(path) : undefined
  try {
    if (early !== undefined) return await early
    return await fetch(path, {
      method,
      headers: {
        ...ownHeaders(),
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
        ...(accept === undefined ? {} : { accept }),
        ...(onceKey === undefined ? {} : { 'idempotency-key': onceKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ConnectionLost(`${path} cannot be reached`, { cause: error })
  }
}

/** Reads an answer without invisible characters: customers, Meta and callers wrote much of it. */
const contentOf = (response: Response): Promise<unknown> => response.json().then(shownIn, () => null)

/** Returns the checked content of an answer. `where` names the call in error messages. */
export async function answerOf<T>(schema: z.ZodType<T>, where: string, response: Response): Promise<T> {
  if (!response.ok) throw await problemOf(where, response)
  const parsed = schema.safeParse(await contentOf(response))
  if (parsed.success) return parsed.data
  throw new UnreadableAnswer(`${where}: ${parsed.error.message}`)
}

/** Reads the error in an answer other than 2xx. */
export async function problemOf(where: string, response: Response): Promise<ApiError | UnreadableAnswer> {
  const problem = errorAnswer.safeParse(await contentOf(response))
  if (!problem.success) return new UnreadableAnswer(`${where}: HTTP ${response.status}`)
  const { code, ...extras } = problem.data.error
  return new ApiError(code, problem.data.message, extras)
}

/** Returns `?a=1&b=2` of the values that are set, or an empty text if none is. */
export function queryString(values: Record<string, string | number | undefined>): string {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
