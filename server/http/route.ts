import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { ApiError } from '../contract/errors.ts'
import type { FormBody, FormReader } from './form.ts'
import type { Caller, KnownCaller } from './keys.ts'

export type Auth = 'none' | 'key' | 'owner' | 'key_or_owner'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type MediaType = `${string}/${string}`

type CallerOf<A extends Auth> = {
  none: { kind: 'anonymous' }
  key: Extract<KnownCaller, { kind: 'key' }>
  owner: Extract<KnownCaller, { kind: 'owner' }>
  key_or_owner: KnownCaller
}[A]

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export interface Call<P = unknown, Q = unknown, B = unknown, C = Caller> {
  params: P
  query: Q
  body: B
  /** JSON text of the body as UTF-8; of a form, the text of its members (`FormBody.raw`). */
  raw: Buffer
  /** Names that the route does not know; they are ignored. */
  unknownMembers: readonly string[]
  caller: C
  req: IncomingMessage
  res: ServerResponse
}

/** Parts of a call by a program of another gateway, whose key may be one of its members. */
export interface MixedCall {
  /** Texts that may be the key. */
  secrets: readonly string[]
  /** Members in the address. They count like members of the body. */
  query: Record<string, unknown>
  /** The body, if the key had to be looked for in it. */
  form: FormBody | undefined
}

/** An answer with a status, headers or body other than those of the route's success. */
export class Reply {
  readonly status: number
  /** A string or Buffer is JSON text already. */
  readonly body: unknown
  readonly headers: Record<string, string>

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** Returned by a handler that wrote the answer itself, such as a stream or a file. */
export const ANSWERED = { answered: 'by the handler' } as const

/** Return values of a handler: an answer of its schema or ANSWERED, or else a Reply. */
type Answered<R> = (R extends z.ZodType ? z.output<R> : typeof ANSWERED) | Reply

interface RouteFacts {
  method: Method
  /** With parameters as `{name}`. */
  path: string
  summary: string
  /** Text for the documentation beyond the summary. */
  description: string
  tag: string
  /** Error statuses beyond those that the route's properties imply. For the documentation. */
  errors?: readonly number[]
  /** Status of a success. Default: 200. */
  status?: 200 | 201
  /** Answers of another shape or status. */
  otherAnswers?: readonly { status: number; description: string; schema: z.ZodType }[]
  /** For the documentation: the handler obeys `Idempotency-Key` (`runOnce`). */
  once?: true
  bodyOptional?: true
  /** Reads a body that comes as a form, or with a file in it. Undefined: JSON only. */
  form?: FormReader | undefined
  /** Makes the answer to an error, if it differs from Kurir's own form. */
  failure?: (error: ApiError) => Reply
  /** Unknown paths below this path are refused with `failure` too. */
  failsBelow?: string
  /** Reads a call whose key may be one of its members. @throws ApiError */
  readMixed?: (req: IncomingMessage) => Promise<MixedCall>
  /** False while the owner has switched the route off. Its path is then unknown. */
  isOn?: () => boolean
  /** Most bytes of the body. Default: 256 KiB. */
  bodyLimit?: number
  /**
   * Refuses callers that can never use this route, before a byte of the body is read.
   * @throws ApiError
   */
  admit?: (caller: KnownCaller) => void
  /** Keys that may only read reach this route. Every other route refuses them. */
  forReaders?: true
  /** The route may read much: a caller's calls of such routes run one after the other. */
  inTurn?: true
  /** The handler waits for an answer from outside. Other calls of its caller need not wait. */
  waitsOutside?: true
  /** The body is a file of any size: the handler reads it from `req`. */
  upload?: { type: MediaType; headers?: z.ZodObject }
}

export interface RouteSpec<A extends Auth, P, Q, B, R extends z.ZodType | MediaType> extends RouteFacts {
  auth: A
  params?: P
  query?: Q
  body?: B
  /** Schema of a successful answer. A string is a media type. */
  answer: R
  handler: (call: Call<Parsed<P>, Parsed<Q>, Parsed<B>, CallerOf<A>>) => Answered<R> | Promise<Answered<R>>
}

export interface RouteName {
  method: string
  path: string
  auth: Auth
}

export interface CallSchemas {
  params?: z.ZodType | undefined
  query?: z.ZodType | undefined
  body?: z.ZodType | undefined
}

/** A route without type parameters. Its handler takes only calls that its schemas have read. */
export interface Route extends RouteFacts, CallSchemas {
  auth: Auth
  answer: z.ZodType | MediaType
  handler: (call: never) => unknown
}

/** Defines a route. Validation, handler types and documentation come from the same schemas. */
export const defineRoute = <
  A extends Auth,
  R extends z.ZodType | MediaType,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  spec: RouteSpec<A, P, Q, B, R>,
): Route => spec

/** Returns the envelope of a successful answer. */
export const ok = <T>(message: string, data: T) => ({ success: true as const, message, data })

/** Waits for `work`, and resolves with an answer without data. */
export async function done(message: string, work: Promise<unknown>) {
  await work
  return ok(message, {})
}

export const list = <T>(rows: T[], nextCursor: string | null) => ({
  success: true as const,
  message: rows.length === 1 ? '1 row' : `${rows.length} rows`,
  data: rows,
  next_cursor: nextCursor,
})
