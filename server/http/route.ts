import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { KeyRow } from '../store/sqlite/keys.ts'

export type Auth = 'none' | 'key' | 'owner' | 'key_or_owner'
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Who calls: a program with its key, or (null) the owner. Public routes have nobody. */
export interface Caller {
  key: KeyRow | null
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export interface Call<P = unknown, Q = unknown, B = unknown> {
  params: P
  query: Q
  body: B
  /** The body as it came. */
  raw: Buffer
  caller: Caller
  req: IncomingMessage
  res: ServerResponse
}

/** An answer other than 200 with the handler's value. */
export class Reply {
  readonly status: number
  /** A text is JSON already. */
  readonly body: unknown
  readonly headers: Record<string, string>

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** The handler has answered (or goes on answering) by itself: a stream, a file. */
export const ANSWERED = Symbol('answered')

export interface RouteSpec<P, Q, B> {
  method: Method
  /** With parameters as `{name}`. */
  path: string
  auth: Auth
  summary: string
  tag: string
  params?: P
  query?: Q
  body?: B
  /** A body may be left out. */
  bodyOptional?: true
  /** The body is a file of any size: the handler reads it from `req`. */
  upload?: { type: `${string}/${string}`; headers: z.ZodObject }
  /** Schema of the 200 answer; a text is a media type. */
  answer: z.ZodType | `${string}/${string}`
  handler: (call: Call<Parsed<P>, Parsed<Q>, Parsed<B>>) => unknown
}

export type Route = RouteSpec<z.ZodType | undefined, z.ZodType | undefined, z.ZodType | undefined>

/** One route: validation, the handler's types and the documentation come from the same schemas. */
export function defineRoute<
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(spec: RouteSpec<P, Q, B>): Route {
  return spec as unknown as Route
}

/** The frame of a successful answer. */
export const ok = <T>(message: string, data: T) => ({ success: true as const, message, data })

export const list = <T>(rows: T[], nextCursor: string | null) => ({
  success: true as const,
  message: rows.length === 1 ? '1 row' : `${rows.length} rows`,
  data: rows,
  next_cursor: nextCursor,
})
