import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { ApiError } from '../contract/errors.ts'
import { PAGE_TOKEN_HEADER } from '../contract/page-token.ts'
import { classifyAddress, isLoopbackHost } from '../lib/addresses.ts'
import { SECOND } from '../lib/clock.ts'
import { createPaces, createRateWindows } from '../lib/paces.ts'
import { COMMAND } from '../lib/program.ts'
import { provedBy, sameSecret } from '../lib/proof.ts'
import { type ApiKeys, type Caller, wrongKey } from './keys.ts'
import type { Auth } from './route.ts'
import type { OwnerSessions } from './sessions.ts'

/** Contains the port: a host's ports share their cookies, and two Kurirs may run on this PC. */
export const cookieName = (req: IncomingMessage): string => `kurir_session_${req.socket.localPort}`

/**
 * Returns the address of a caller; empty if the connection is gone. A forwarded request may have
 * lost its socket.
 */
export const addressOf = ({ socket }: { socket: unknown }): string => (socket as Socket | null)?.remoteAddress ?? ''

/** Headers that proxies add. A proxy on this PC calls from its loopback address for others. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via', 'cf-connecting-ip']
const isProxied = ({ headers }: IncomingMessage): boolean => PROXY_HEADERS.some((name) => headers[name] !== undefined)

/** True for a call from this PC, but not through a tunnel or proxy, which lets the internet in. */
export const isLocal = (req: IncomingMessage): boolean =>
  classifyAddress(addressOf(req)) === 'loopback' && isLoopbackHost(req.headers.host) && !isProxied(req)

/** True for a call from this PC or its network, but not through a tunnel or proxy. */
export const isNearby = (req: IncomingMessage): boolean =>
  ['loopback', 'private'].includes(classifyAddress(addressOf(req))) && !isProxied(req)

function cookie(req: IncomingMessage, name: string): string | undefined {
  const prefix = `${name}=`
  return req.headers.cookie
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length)
}

/**
 * True if the browser says that our own page calls. Other ports of this PC are the same site, but
 * not the same origin.
 */
export function fromOwnPage({ headers }: IncomingMessage): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  return (origin === undefined || URL.parse(origin)?.host === headers.host) && (site ?? 'same-origin') === 'same-origin'
}

/** Returns the secret in a header: alone or after `Bearer`, quoted or not. Undefined: none. */
export function secretIn(header: string | undefined): string | undefined {
  const secret = /^\s*(?:Bearer +)?["'<]?(\S+?)["'>]?\s*$/i.exec(header ?? '')?.[1]
  return secret?.toLowerCase() === 'bearer' ? undefined : secret
}

/** Returns the secrets of a call. `bearer`: the one in `Authorization: Bearer`. */
function givenBy({ headers }: IncomingMessage): { bearer: string | undefined; secrets: string[] } {
  const { authorization } = headers
  const given = secretIn(authorization)
  const secrets = [given, secretIn(headers['x-api-key']?.toString())].filter((secret) => secret !== undefined)
  return { bearer: /^Bearer /i.test(authorization ?? '') ? given : undefined, secrets }
}

/** Error of a call without a known key: a wrong key, none, or one that cannot be read. */
function noKey({ headers }: IncomingMessage, secrets: readonly string[]): ApiError {
  const { authorization } = headers
  const how = 'Send your API key as "Authorization: Bearer <API_KEY>".'
  if (secrets.length > 0) return wrongKey()
  if (authorization === undefined) return new ApiError('missing_api_key', how)
  return new ApiError('invalid_api_key', `No API key could be read from the header Authorization. ${how}`)
}

export interface Authentication {
  /**
   * Returns the caller.
   * @param others secrets that were found outside the headers
   * @throws ApiError 401, 403 or 429
   */
  authenticate(req: IncomingMessage, auth: Auth, others?: readonly string[]): Caller
  /** Returns the caller, or the error that says why it is unknown. Counts no failed log-in. */
  recognise(req: IncomingMessage, auth: Auth, others?: readonly string[]): Caller | ApiError
  /** Checks a caller again. @throws ApiError if its key or its key's sender is gone since */
  admit(caller: Caller): void
  /** True if the owner may call from the address of this call. */
  mayBeOwner(req: IncomingMessage): boolean
  /** Counts a failed log-in. Returns the error to answer: `error`, or 429 after too many. */
  refuse(req: IncomingMessage, error: ApiError): ApiError
}

/** Most failed log-ins from one address within a minute. */
const MOST_FAILURES = 20

export function createAuthentication(
  keys: ApiKeys,
  sessions: OwnerSessions,
  elapsed: () => number,
  ownerToken: string,
  remoteAdministration: () => boolean,
): Authentication {
  const failures = createRateWindows<string>(elapsed)
  const mayBeOwner = (req: IncomingMessage) => isLocal(req) || remoteAdministration()

  // Counts and refuses only failures, so that failed log-ins never lock out a caller with the right
  // secret at the same address.
  function refuse(req: IncomingMessage, error: ApiError): ApiError {
    const wait = failures.count(addressOf(req), MOST_FAILURES)
    return wait === null
      ? error
      : new ApiError(
          'rate_limited',
          `Too many failed attempts from this address. Try again in ${wait} s.`,
          { retry_after: wait },
          { cause: error },
        )
  }

  function owner(req: IncomingMessage, bearer: string | undefined): Extract<Caller, { kind: 'owner' }> | undefined {
    if (!mayBeOwner(req)) return undefined
    if (provedBy(req) !== undefined) return { kind: 'owner', session: null }
    if (bearer !== undefined) return sameSecret(bearer, ownerToken) ? { kind: 'owner', session: null } : undefined
    const given = cookie(req, cookieName(req))
    const pageToken = req.headers[PAGE_TOKEN_HEADER]
    if (given === undefined || typeof pageToken !== 'string' || !fromOwnPage(req)) return undefined
    const session = sessions.find(given, pageToken)
    return session === undefined ? undefined : { kind: 'owner', session }
  }

  function recognise(req: IncomingMessage, auth: Auth, others: readonly string[] = []): Caller | ApiError {
    if (auth === 'none') return { kind: 'anonymous' }
    const { bearer, secrets: inHeaders } = givenBy(req)
    const secrets = [...inHeaders, ...others]
    // API keys begin with `kurir_`, so the common case needs no check for the owner's token.
    const known = auth !== 'key' && bearer?.startsWith('kurir_') !== true ? owner(req, bearer) : undefined
    if (known !== undefined) return known
    if (auth === 'owner') {
      return new ApiError(
        'owner_only',
        `This is the owner's. Open Kurir's window on this PC: its link comes from \`${COMMAND} open\`.`,
      )
    }
    for (const secret of secrets) {
      const key = keys.authenticate(secret)
      if (key !== undefined) return { kind: 'key', key }
    }
    return noKey(req, secrets)
  }

  function authenticate(req: IncomingMessage, auth: Auth, others?: readonly string[]): Caller {
    const caller = recognise(req, auth, others)
    if (caller instanceof ApiError) throw refuse(req, caller)
    return caller
  }

  function admit(caller: Caller): void {
    if (caller.kind === 'key') keys.admit(caller.key)
  }

  return { authenticate, recognise, admit, mayBeOwner, refuse }
}

/** How an owner calls. `session`: id of the window's session. */
type OwnerWay = { by: 'window'; session: string } | { by: 'command_line' | 'token' }

/** Header of a forwarded call: how the owner called. Read only together with a valid proof. */
export const FORWARDED = 'x-kurir-forwarded'
const WINDOW_PREFIX = 'window '

/** @param session id of the caller's session; null if it has none */
export function ownerWay(session: string | null, req: IncomingMessage): OwnerWay {
  if (session !== null) return { by: 'window', session }
  if (provedBy(req) === undefined) return { by: 'token' }
  const told = String(req.headers[FORWARDED] ?? '')
  if (told.startsWith(WINDOW_PREFIX)) return { by: 'window', session: told.slice(WINDOW_PREFIX.length) }
  return { by: told === 'token' ? 'token' : 'command_line' }
}

export const forwardedBy = (way: OwnerWay): string => (way.by === 'window' ? WINDOW_PREFIX + way.session : way.by)

/** Calls from one address to one route. Our own limit: a window and a monitor make fewer. */
const SERVED = { perSecond: 25, atOnce: 200 }
/** Refused calls from one address. Our own limit, high because their answers are short. */
const REFUSED = { perSecond: 100, atOnce: 200 }
/** Longest wait of a call (ms). Longer would fail honest calls: some monitors wait one second. */
const LONGEST_WAIT = SECOND / 2

/**
 * Slows down calls whose caller is unknown: without a key, or with an invalid one. Any program on
 * this PC can make them, so many of them have to wait instead of the calls of known callers.
 */
export interface Strangers {
  /**
   * Resolves when a call may be answered.
   * @param what route of the call; calls to other routes do not count
   */
  beforeServing(req: IncomingMessage, what: string): Promise<void>
  beforeRefusing(req: IncomingMessage): Promise<void>
}

export function createStrangers(): Strangers {
  const served = createPaces<string>(SERVED)
  const refused = createPaces<string>(REFUSED)
  return {
    beforeServing: (req, what) => pause(served.after(`${addressOf(req)} ${what}`, 1)),
    beforeRefusing: (req) => pause(refused.after(addressOf(req), 1)),
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await setTimeout(Math.min(ms, LONGEST_WAIT))
}
