import type { RecordedRequest } from './recorded.ts'

/** What the peer can be told to do instead of accepting a call. */
export type Fault =
  | { kind: 'answer'; status: number; body: string; headers: Record<string, string> }
  | { kind: 'accept'; messageStatus: string | null }
  | { kind: 'cut'; when: 'before reading' | 'after reading' | 'inside the answer' }
  | { kind: 'hold'; arrived: (request: RecordedRequest) => void; until: Promise<Fault | null> }

export interface ErrorOptions {
  message?: string
  details?: string
  /** Meta sends `error_data` as an object in most answers and as a plain string in some. */
  errorDataAsString?: boolean
  userTitle?: string
  httpStatus?: number
  retryAfter?: number | string
  transient?: boolean
}

/** HTTP statuses that Meta sends with these codes; everything else comes as 400, throttling included. */
const HTTP_STATUS: Record<number, number> = {
  0: 401,
  1: 500,
  2: 503,
  3: 500,
  10: 403,
  190: 401,
  368: 403,
  131000: 500,
  131005: 403,
  131016: 500,
  131031: 403,
  131057: 500,
  132001: 404,
  133004: 503,
}

const MESSAGES: Record<number, string> = {
  4: '(#4) Application request limit reached',
  100: '(#100) Invalid parameter',
  190: 'Error validating access token: Session has expired on Friday, 20-Nov-26 10:00:00 PST.',
  80007: '(#80007) Rate limit issues',
  130429: '(#130429) Rate limit hit',
  131026: '(#131026) Message undeliverable',
  131047: '(#131047) Re-engagement message',
  131056: '(#131056) (Business Account, Consumer Account) pair rate limit hit',
  132000: '(#132000) Number of parameters does not match the expected number of params',
  132001: '(#132001) Template name does not exist in the translation',
  132012: '(#132012) Parameter format does not match format in the created template',
}

/** An error by Meta's code, with the body and the HTTP status that belong to it. */
export function metaError(code: number, options: ErrorOptions = {}): Fault {
  const details = options.details ?? `Details of ${code}.`
  const error = {
    message: options.message ?? MESSAGES[code] ?? `(#${code}) Something about ${code}`,
    type: 'OAuthException',
    code,
    error_data: options.errorDataAsString ? details : { messaging_product: 'whatsapp', details },
    ...(options.userTitle === undefined ? {} : { error_user_title: options.userTitle }),
    ...(options.transient === undefined ? {} : { is_transient: options.transient }),
    fbtrace_id: 'AbCdEfGhIjKlMnOpQrStUvW',
  }
  const headers: Record<string, string> =
    options.retryAfter === undefined ? {} : { 'retry-after': String(options.retryAfter) }
  return answer(options.httpStatus ?? HTTP_STATUS[code] ?? 400, JSON.stringify({ error }), headers)
}

/** Any status with any body: a 200 that is no JSON, a gateway's HTML page. */
export function answer(status: number, body: string, headers: Record<string, string> = {}): Fault {
  return { kind: 'answer', status, body, headers }
}

export const garbage = answer(200, '{"messages":[{"id":', { 'content-type': 'application/json' })

export function htmlPage(status = 502): Fault {
  return answer(status, '<html><body><h1>Sorry, something went wrong.</h1></body></html>', {
    'content-type': 'text/html',
  })
}

export function cut(when: 'before reading' | 'after reading' | 'inside the answer' = 'after reading'): Fault {
  return { kind: 'cut', when }
}

/** Accepted, with another `message_status` than the usual one, or with none. */
export function accept(messageStatus: string | null): Fault {
  return { kind: 'accept', messageStatus }
}
