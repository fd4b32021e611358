import type { CallbackError } from '../contract/webhooks.ts'
import { AddressBlocked } from '../lib/net-guard.ts'

const OF_NETWORK: Record<string, CallbackError> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_lost',
  ENOTFOUND: 'host_not_found',
  EAI_AGAIN: 'host_not_found',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  CERT_HAS_EXPIRED: 'certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
}

/** Code of a failed connection; null where only a sentence says it. */
export function callbackErrorOf(error: unknown): CallbackError | null {
  if (error instanceof AddressBlocked) return 'address_not_allowed'
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? (OF_NETWORK[code] ?? null) : null
}
