import type { z } from 'zod'
import { ApiError, errorAnswer } from '../../server/contract/errors.ts'

/** The server did not answer at all. */
export class ConnectionLost extends Error {}

/** The server answered with something that the contract does not know: page and server are of different versions. */
export class UnreadableAnswer extends Error {}

interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: unknown
  signal?: AbortSignal
}

/**
 * One call to the server; the answer is checked against its schema.
 * @throws {ApiError} as the server told it; {ConnectionLost}; {UnreadableAnswer}
 */
export async function call<T>(schema: z.ZodType<T>, path: string, { method = 'GET', body, signal }: Call = {}) {
  const response = await reach(path, {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  return answerOf(schema, `${method} ${path}`, response)
}

/** What an answer holds. `where` is the call, for whoever reads the error in the log. */
export async function answerOf<T>(schema: z.ZodType<T>, where: string, response: Response): Promise<T> {
  if (!response.ok) throw await problemOf(where, response)
  const parsed = schema.safeParse(await response.json().catch(() => null))
  if (parsed.success) return parsed.data
  throw new UnreadableAnswer(`${where}: ${parsed.error.message}`)
}

/** The error that an answer other than 2xx tells. */
export async function problemOf(where: string, response: Response): Promise<ApiError | UnreadableAnswer> {
  const problem = errorAnswer.safeParse(await response.json().catch(() => null))
  if (!problem.success) return new UnreadableAnswer(`${where}: HTTP ${response.status}`)
  const { code, ...extras } = problem.data.error
  return new ApiError(code, problem.data.message, extras)
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ConnectionLost(`${path} cannot be reached`, { cause: error })
  }
}

/** `?a=1&b=2` of what is set; empty when nothing is. */
export function queryString(values: Record<string, string | number | undefined>): string {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
