import type { IncomingMessage } from 'node:http'
import type { Caller } from '../access/caller.ts'
import type { FailedLogins } from '../access/failed-logins.ts'
import type { ApiKeys } from '../access/keys.ts'
import { ApiError } from '../contract/errors.ts'
import { classifyAddress } from '../lib/addresses.ts'
import { sameSecret } from '../lib/same-secret.ts'
import { isLoopbackHost } from './hosts.ts'
import type { Auth } from './route.ts'

export const OWNER_COOKIE = 'kurir_owner'

export interface AuthDeps {
  keys: Pick<ApiKeys, 'authenticate'>
  failures: FailedLogins
  ownerToken: string
  remoteAdministration: () => boolean
}

/** Asked from this PC, and not through a tunnel or proxy on it, which would let in the whole internet. */
export const isLocal = (req: IncomingMessage): boolean =>
  classifyAddress(req.socket.remoteAddress ?? '') === 'loopback' && isLoopbackHost(req.headers.host)

function cookie(req: IncomingMessage, name: string): string | undefined {
  const prefix = `${name}=`
  return req.headers.cookie
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length)
}

/** A page of another origin may carry the cookie along (another port of localhost is the same site), but not this header. */
function fromOwnPage(req: IncomingMessage): boolean {
  const origin = req.headers.origin
  return origin === undefined || URL.parse(origin)?.host === req.headers.host
}

export type Authenticate = (req: IncomingMessage, auth: Auth) => Caller

export interface Authentication {
  /** Decides who calls, or throws 401, 403 or 429. */
  authenticate: Authenticate
  /** Checks the token of the link that opens the window, or throws 403 or 429. */
  checkLink(req: IncomingMessage, token: string): void
}

export function createAuthentication(deps: AuthDeps): Authentication {
  const isOwnerToken = (token: string) => sameSecret(token, deps.ownerToken)

  function refuse(req: IncomingMessage, error: ApiError): ApiError {
    const wait = deps.failures.note(req.socket.remoteAddress ?? '')
    return wait === null
      ? error
      : new ApiError('rate_limited', `Too many failed attempts from this address. Try again in ${wait} s.`, {
          retry_after: wait,
        })
  }

  function owner(req: IncomingMessage, bearer: string | undefined): boolean {
    if (!isLocal(req) && !deps.remoteAdministration()) return false
    if (bearer !== undefined) return isOwnerToken(bearer)
    const token = cookie(req, OWNER_COOKIE)
    return token !== undefined && fromOwnPage(req) && isOwnerToken(token)
  }

  function authenticate(req: IncomingMessage, auth: Auth): Caller {
    if (auth === 'none') return { kind: 'anonymous' }
    const header = req.headers.authorization
    const scheme = auth === 'bare_key' ? /^(?:Bearer +)?(\S+)$/i : /^Bearer +(\S+)$/i
    const bearer = header === undefined ? undefined : scheme.exec(header)?.[1]
    // The first letters distinguish an API key from the owner's token: the common case needs one look.
    if (auth !== 'key' && auth !== 'bare_key' && bearer?.startsWith('kurir_') !== true && owner(req, bearer))
      return { kind: 'owner' }
    if (auth === 'owner') {
      throw refuse(
        req,
        new ApiError('owner_only', "This is the owner's. Open Kurir's window on this PC, or use the owner token."),
      )
    }
    if (header === undefined) {
      throw refuse(req, new ApiError('missing_api_key', 'Send your API key as "Authorization: Bearer <API_KEY>".'))
    }
    const key = bearer === undefined ? undefined : deps.keys.authenticate(bearer)
    if (key === undefined) {
      throw refuse(
        req,
        new ApiError('invalid_api_key', 'This API key is not valid. Create one in the window under API keys.'),
      )
    }
    return { kind: 'key', key }
  }

  function checkLink(req: IncomingMessage, token: string): void {
    if (isOwnerToken(token)) return
    throw refuse(
      req,
      new ApiError('owner_only', 'This link is no longer valid. Take the one that Kurir printed at its start.'),
    )
  }

  return { authenticate, checkLink }
}
