import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { ApiError } from '../contract/errors.ts'
import type { FormBody, FormReader } from './form.ts'
import type { Caller, KnownCaller } from './keys.ts'

export type Auth = 'none' | 'key' | 'owner' | 'key_or_owner'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type MediaType = `${string}/${string}`

/** Callers that can reach a handler. */
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
  /** The body as it came. */
  raw: Buffer
  /** Names that the route does not know; they are ignored. */
  unknownMembers: readonly string[]
  caller: C
  req: IncomingMessage
  res: ServerResponse
}

/** Parts of a call that a program of another gateway mixes: its key among its members. */
export interface MixedCall {
  /** Texts that may be its key. */
  secrets: readonly string[]
  /** The members in its address: they count as those of the body do. */
  query: Record<string, unknown>
  /** The body, where the key had to be looked for in it. */
  form: FormBody | undefined
}

/** An answer of another status than that of a success, or with other headers. */
export class Reply {
  readonly status: number
  /** A text, or bytes, is JSON already. */
  readonly body: unknown
  readonly headers: Record<string, string>

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** The handler of another media type than JSON answers by itself: a stream, a file. */
export const ANSWERED = { answered: 'by the handler' } as const

/** Return values of a handler: the answer of its schema, or one of the other two. */
type Answered<R> = (R extends z.ZodType ? z.output<R> : typeof ANSWERED) | Reply

interface RouteFacts {
  method: Method
  /** With parameters as `{name}`. */
  path: string
  summary: string
  /** Text for the documentation beyond the summary. */
  description: string
  tag: string
  /** Statuses of errors beyond those that follow from what it is; for the documentation. */
  errors?: readonly number[]
  /** Status of a success. Default: 200. */
  status?: 200 | 201
  /** Answers of another shape or status. */
  otherAnswers?: readonly { status: number; description: string; schema: z.ZodType }[]
  /** A call with an `Idempotency-Key` is made once. */
  once?: true
  /** A body may be left out. */
  bodyOptional?: true
  /** The body may come as a form with a file too. */
  form?: FormReader | undefined
  /** The answer to an error, where it has another form than everywhere. */
  failure?: (error: ApiError) => Reply
  /** Unknown paths below this one are refused in the same form. */
  failsBelow?: string
  /** Reads a call whose key may stand among its members. @throws ApiError */
  readMixed?: (req: IncomingMessage) => Promise<MixedCall>
  /** False while the owner has it off: its path is unknown then. */
  isOn?: () => boolean
  /** Bytes of the body, where 256 KiB do not fit. */
  bodyLimit?: number
  /**
   * Refuses callers that can never use this route, before a byte of the body is read.
   * @throws ApiError
   */
  admit?: (caller: KnownCaller) => void
  /** A key that may only read reaches it; every other route refuses such a key. */
  forReaders?: true
  /** It may read much: a caller's calls of such routes are answered one after the other. */
  inTurn?: true
  /** It waits for somebody else's answer: its caller's other calls need not wait as long. */
  waitsOutside?: true
  /** The body is a file of any size: the handler reads it from `req`. */
  upload?: { type: MediaType; headers?: z.ZodObject }
}

export interface RouteSpec<A extends Auth, P, Q, B, R extends z.ZodType | MediaType> extends RouteFacts {
  auth: A
  params?: P
  query?: Q
  body?: B
  /** Schema of the answer to a success; a text is a media type. */
  answer: R
  handler: (call: Call<Parsed<P>, Parsed<Q>, Parsed<B>, CallerOf<A>>) => Answered<R> | Promise<Answered<R>>
}

/** The method and path of a route, and who may call it. */
export interface RouteName {
  method: string
  path: string
  auth: Auth
}

/** Schemas of a call. */
export interface CallSchemas {
  params?: z.ZodType | undefined
  query?: z.ZodType | undefined
  body?: z.ZodType | undefined
}

/** A route of any types: only its own schemas make a call that its handler takes. */
export interface Route extends RouteFacts, CallSchemas {
  auth: Auth
  answer: z.ZodType | MediaType
  handler: (call: never) => unknown
}

/** One route: checks, types of its handler and documentation come from the same schemas. */
export const defineRoute = <
  A extends Auth,
  R extends z.ZodType | MediaType,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  spec: RouteSpec<A, P, Q, B, R>,
): Route => spec

/** The frame of a successful answer. */
export const ok = <T>(message: string, data: T) => ({ success: true as const, message, data })

/** The answer of what returns nothing. */
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
