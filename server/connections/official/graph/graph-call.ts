import type { z } from 'zod'
import type { ProviderError } from '../../../contract/errors.ts'
import { withoutNul } from '../../../lib/json.ts'
import type { Exchange, GraphHttp, GraphRequest } from './graph-http.ts'
import { pageOf, success } from './graph-shapes.ts'
import { readGraphError, unreadableError } from './provider-error.ts'

/** End of a call. Only `not_sent` and `refused` certainly had no effect. */
export type GraphOutcome<T> =
  | { kind: 'answered'; data: T }
  | { kind: 'refused'; error: ProviderError; retryAfter: number | null }
  | { kind: 'not_sent'; reason: string }
  | { kind: 'unknown'; reason: 'timeout' | 'cut' | 'unreadable' }

// Twice the 6,000 templates that Meta allows in an account. A longer list means broken paging.
const MOST_PAGES = 60
/** Most bytes of all pages of a list. Our own limit: 6,000 templates have some 12 MB. */
const MOST_LIST_BYTES = 32 * 1024 * 1024
/** Most levels of JSON. Our own limit: a template with ten cards has fewer than ten. */
const DEEPEST = 50

/** @property bytes size of the answer */
interface Answered<T> {
  value: T
  json: unknown
  bytes: number
}

interface Call {
  method: GraphRequest['method']
  segments: readonly string[]
  query?: Record<string, string> | undefined
  body?: object | undefined
  token: string
}

/** Makes calls of the Graph API. @param version such as `v26.0` */
export function createGraphCalls(http: GraphHttp, version: string) {
  async function exchange<T>(shape: z.ZodType<T>, call: Call): Promise<GraphOutcome<Answered<T>>> {
    const { method, segments, query, body, token } = call
    const path = `/${[version, ...segments].map(encodeURIComponent).join('/')}`
    const answer = await http.exchange({
      method,
      path: query === undefined ? path : `${path}?${new URLSearchParams(query)}`,
      token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return interpret(answer, shape, token)
  }

  const ask = async <T>(shape: z.ZodType<T>, call: Call): Promise<GraphOutcome<T>> =>
    mapData(await exchange(shape, call), ({ value }) => value)

  const get = <T>(
    { accessToken: token }: { accessToken: string },
    shape: z.ZodType<T>,
    segments: readonly string[],
    query?: Record<string, string>,
  ): Promise<GraphOutcome<T>> => ask(shape, { method: 'GET', segments, query, token })

  /** Makes a change that Meta answers only with `success`. */
  const post = (token: string, segments: readonly string[], body?: object): Promise<GraphOutcome<true>> =>
    ask(success, { method: 'POST', segments, body, token })

  /** Reads all pages of a list. */
  async function all<T>(
    account: { accessToken: string },
    row: z.ZodType<T>,
    segments: readonly string[],
    query: Record<string, string>,
  ): Promise<GraphOutcome<T[]>> {
    const rows: T[] = []
    let left = MOST_LIST_BYTES
    let after: string | null = null
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const cursor: Record<string, string> = after === null ? {} : { after }
      const outcome: GraphOutcome<Answered<{ rows: T[]; after: string | null }>> = await exchange(pageOf(row), {
        method: 'GET',
        segments,
        query: { ...query, ...cursor },
        token: account.accessToken,
      })
      if (outcome.kind !== 'answered') return outcome
      const { value, bytes } = outcome.data
      left -= bytes
      if (left < 0) break
      rows.push(...value.rows)
      after = value.after
      if (after === null) return { kind: 'answered', data: rows }
    }
    return { kind: 'unknown', reason: 'unreadable' }
  }

  return { exchange, get, post, all }
}

function interpret<T>(exchange: Exchange, shape: z.ZodType<T>, token: string): GraphOutcome<Answered<T>> {
  if (exchange.kind !== 'answered') return exchange
  const { status, text, retryAfter } = exchange
  const json = parse(text)
  const error = readGraphError(json, status) ?? (status < 200 || status > 299 ? unreadableError(status) : null)
  if (error !== null) return { kind: 'refused', error: withoutSecrets(error, token), retryAfter }
  const parsed = shape.safeParse(json)
  return parsed.success
    ? { kind: 'answered', data: { value: parsed.data, json, bytes: text.length } }
    : { kind: 'unknown', reason: 'unreadable' }
}

export function mapData<A, B>(outcome: GraphOutcome<A>, change: (data: A) => B): GraphOutcome<B> {
  return outcome.kind === 'answered' ? { kind: 'answered', data: change(outcome.data) } : outcome
}

/** Removes the token, because Meta quotes a malformed token in its error. */
function withoutSecrets(error: ProviderError, token: string): ProviderError {
  const { title, details } = error
  return {
    ...error,
    message: withoutToken(error.message, token),
    ...(title === undefined ? {} : { title: withoutToken(title, token) }),
    ...(details === undefined ? {} : { details: withoutToken(details, token) }),
  }
}

/** Replaces all tokens in a text. @param token may be an app's `id|secret`: hides the secret too */
export function withoutToken(text: string, token: string): string {
  const hidden = [token, ...token.split('|').slice(1)].reduce(
    (rest, secret) => rest.replaceAll(secret, '[token]'),
    text,
  )
  return hidden.replace(/\bEAA[A-Za-z0-9]{20,}/g, '[token]')
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(withoutNul(text))
    return isDeeperThan(DEEPEST, value) ? undefined : value
  } catch {
    return undefined
  }
}

/** Goes level by level, because recursion into very deep JSON would overflow the stack. */
function isDeeperThan(deepest: number, value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= deepest; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return true
}
