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

/** Cookies belong to all ports of a host: two Kurirs on this PC must not overwrite each other's. */
export const cookieName = (req: IncomingMessage): string => `kurir_session_${req.socket.localPort}`

/**
 * The address of a caller; empty where the connection is gone. A client that passes a request on
 * takes its socket away.
 */
export const addressOf = ({ socket }: { socket: unknown }): string => (socket as Socket | null)?.remoteAddress ?? ''

/** Headers that proxies add: one on this PC calls from here for others. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via', 'cf-connecting-ip']
const isProxied = ({ headers }: IncomingMessage): boolean => PROXY_HEADERS.some((name) => headers[name] !== undefined)

/** Asked from this PC, not through a tunnel or proxy on it, which lets the internet in. */
export const isLocal = (req: IncomingMessage): boolean =>
  classifyAddress(addressOf(req)) === 'loopback' && isLoopbackHost(req.headers.host) && !isProxied(req)

/** Asked from this PC or its network, and not through a tunnel or proxy. */
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

/** Returns the secrets of a call: keys in either header, alone or after `Bearer`, quoted or not. */
function givenBy({ headers }: IncomingMessage): { bearer: string | undefined; secrets: string[] } {
  const bearer = /^Bearer +["'<]?(\S+?)["'>]?$/i.exec(headers.authorization ?? '')?.[1]
  const alone = [headers.authorization, headers['x-api-key']]
    .flatMap((header) => /^\s*["'<]?(\S+?)["'>]?\s*$/.exec(String(header ?? ''))?.[1] ?? [])
    .filter((secret) => secret.toLowerCase() !== 'bearer')
  return { bearer, secrets: bearer === undefined ? alone : [bearer, ...alone] }
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
   * Decides who calls, or throws 401, 403 or 429.
   * @param others secrets that were found elsewhere than in the headers
   */
  authenticate(req: IncomingMessage, auth: Auth, others?: readonly string[]): Caller
  /** Decides who calls, or returns why that is not known. It counts no failure. */
  recognise(req: IncomingMessage, auth: Auth, others?: readonly string[]): Caller | ApiError
  /** Lets a caller in. @throws ApiError where its key opens nothing any more */
  admit(caller: Caller): void
  /** True if the owner may call from the place of this call. */
  mayBeOwner(req: IncomingMessage): boolean
  /** Counts a failed log-in. Returns what to answer: `error`, or 429 after too many. */
  refuse(req: IncomingMessage, error: ApiError): ApiError
}

/** Failed log-ins from one address within a minute. */
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

  // Only failures are counted and refused: failures, here or on the LAN, never lock out a caller
  // with the right secret.
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
    // The first letters distinguish an API key from the owner's token: the common case needs one
    // look.
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

/** The way by which an owner calls; a window by the id of its session. */
type OwnerWay = { by: 'window'; session: string } | { by: 'command_line' | 'token' }

/** Header of a request that a node passes on: it is as secret as the proof that comes with it. */
export const FORWARDED = 'x-kurir-forwarded'
const WINDOW_PREFIX = 'window '

/** @param session of the caller; null where it has none */
export function ownerWay(session: string | null, req: IncomingMessage): OwnerWay {
  if (session !== null) return { by: 'window', session }
  if (provedBy(req) === undefined) return { by: 'token' }
  const told = String(req.headers[FORWARDED] ?? '')
  if (told.startsWith(WINDOW_PREFIX)) return { by: 'window', session: told.slice(WINDOW_PREFIX.length) }
  return { by: told === 'token' ? 'token' : 'command_line' }
}

export const forwardedBy = (way: OwnerWay): string => (way.by === 'window' ? WINDOW_PREFIX + way.session : way.by)

/** Calls from one address for the same thing. A window and a monitor make fewer. Ours. */
const SERVED = { perSecond: 25, atOnce: 200 }
/** Refused calls from one address: their answers are short. Ours. */
const REFUSED = { perSecond: 100, atOnce: 200 }
/** An honest one waits among many no longer (ms): some monitors give up after a second. */
const LONGEST_WAIT = SECOND / 2

/**
 * Calls of which nobody knows the caller: without a key, or with one that is not valid. Anybody on
 * this PC can make them, so that many of them wait, and not those of callers with a key.
 */
export interface Strangers {
  /**
   * Resolves when a call may be answered.
   * @param what is asked for; calls for something else do not count
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
