import type { RecordedRequest } from './recorded.ts'

/** A reaction of the peer in place of its usual answer. */
export type Fault =
  | { kind: 'answer'; status: number; body: string; headers: Record<string, string> }
  | { kind: 'accept'; messageStatus: string | null }
  | { kind: 'cut'; when: 'before reading' | 'after reading' | 'inside the answer' }
  | { kind: 'hold'; arrived: (request: RecordedRequest) => void; until: Promise<Fault | null> }

export interface ErrorOptions {
  message?: string
  /** Codes of WhatsApp (130000 and above) have details by default, those of Graph do not. */
  details?: string
  subcode?: number
  type?: 'OAuthException' | 'GraphMethodException'
  /** Meta sends `error_data` as an object in most answers and as a string in some. */
  errorDataAsString?: boolean
  userTitle?: string
  httpStatus?: number
  retryAfter?: number | string
  /** Minutes until the limit ends, for `X-Business-Use-Case-Usage`. */
  regainMinutes?: number
  transient?: boolean
}

/**
 * HTTP statuses that Meta sends with these codes; all others, including throttling, come with 400.
 */
const HTTP_STATUS: Record<number, number> = {
  0: 401,
  1: 500,
  2: 503,
  3: 500,
  10: 403,
  102: 401,
  104: 401,
  190: 401,
  368: 403,
  131000: 500,
  131005: 403,
  131016: 500,
  131031: 403,
  131057: 500,
  133000: 500,
  132001: 404,
  133004: 503,
}

const MESSAGES: Record<number, string> = {
  1: 'An unknown error occurred',
  2: 'Service temporarily unavailable',
  4: '(#4) Application request limit reached',
  10: '(#10) Application does not have permission for this action',
  15: '(#15) This method must be called with an app access_token.',
  17: '(#17) User request limit reached',
  32: '(#32) Page request limit reached',
  100: '(#100) Invalid parameter',
  102: 'Session key invalid or no longer valid',
  104: 'An access token is required to request this resource.',
  190: 'Error validating access token: Session has expired on Friday, 20-Nov-26 10:00:00 PST.',
  613: '(#613) Calls to this api have exceeded the rate limit.',
  2200: '(#2200) Callback verification failed',
  2500: 'An active access token must be used to query information about the current user.',
  80007: '(#80007) Rate limit issues',
  80008: '(#80008) There have been too many calls to this WhatsApp Business account.',
  130429: '(#130429) Rate limit hit',
  131008: '(#131008) Required parameter is missing',
  131009: '(#131009) Parameter value is not valid',
  131021: '(#131021) Recipient cannot be sender',
  131026: '(#131026) Message undeliverable',
  131030: '(#131030) Recipient phone number not in allowed list',
  131047: '(#131047) Re-engagement message',
  131056: '(#131056) (Business Account, Consumer Account) pair rate limit hit',
  132000: '(#132000) Number of parameters does not match the expected number of params',
  132001: '(#132001) Template name does not exist in the translation',
  132005: '(#132005) Translated text too long',
  132012: '(#132012) Parameter format does not match format in the created template',
  132015: '(#132015) Template is paused',
  132016: '(#132016) Template is disabled',
  132018: '(#132018) There is an issue with the parameters in your template',
  133005: '(#133005) Two step verification PIN Mismatch',
  133006: '(#133006) Phone number re-verification needed',
  133010: '(#133010) The account is not registered',
  133016: '(#133016) Account register deregister rate limit exceeded',
}

/** Codes that Meta calls transient, with Meta's subcode. */
const PASSING: Record<number, number | null> = {
  1: null,
  2: null,
  4: 2446079,
  17: 2446079,
  80007: 2446079,
  80008: null,
}

/** Returns an error of Meta with the body and HTTP status of its code. */
export function metaError(code: number, options: ErrorOptions = {}): Fault {
  const details = options.details ?? (code >= 130_000 ? `Details of ${code}.` : undefined)
  const subcode = options.subcode ?? PASSING[code] ?? undefined
  const transient = options.transient ?? (code in PASSING ? true : undefined)
  const error = {
    message: options.message ?? MESSAGES[code] ?? `(#${code}) Something about ${code}`,
    type: options.type ?? 'OAuthException',
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    ...(details === undefined
      ? {}
      : { error_data: options.errorDataAsString ? details : { messaging_product: 'whatsapp', details } }),
    ...(options.userTitle === undefined ? {} : { error_user_title: options.userTitle }),
    ...(transient === undefined ? {} : { is_transient: transient }),
    fbtrace_id: 'AbCdEfGhIjKlMnOpQrStUvW',
  }
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=UTF-8' }
  if (options.retryAfter !== undefined) headers['retry-after'] = String(options.retryAfter)
  if (options.regainMinutes !== undefined) headers['x-business-use-case-usage'] = usage(options.regainMinutes)
  return answer(options.httpStatus ?? HTTP_STATUS[code] ?? 400, JSON.stringify({ error }), headers)
}

/** Returns Meta's header for a business's limits; `minutes` until calls are accepted again. */
function usage(minutes: number): string {
  const one = { call_count: 100, total_cputime: 12, total_time: 14, estimated_time_to_regain_access: minutes }
  return JSON.stringify({ '102290129340398': [{ type: 'whatsapp', ...one }] })
}

/** Meta answers the same for an id that does not exist and one that the token may not see. */
export function noObject(method: string, id: string): Fault {
  const message =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to ` +
    'missing permissions, or does not support this operation. Please read the Graph API documentation at ' +
    'https://developers.facebook.com/docs/graph-api'
  return metaError(100, { message, subcode: 33, type: 'GraphMethodException' })
}

/** Returns an answer with status 200. */
export const ok = (body: object): Fault =>
  answer(200, JSON.stringify(body), { 'content-type': 'application/json; charset=UTF-8' })

/** Returns any status with any body, for example a 200 without JSON or a gateway's HTML page. */
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

/** Accepts the message with this `message_status`; null omits it. */
export function accept(messageStatus: string | null): Fault {
  return { kind: 'accept', messageStatus }
}
