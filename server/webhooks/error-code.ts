import type { CallbackError } from '../contract/webhooks.ts'

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

/**
 * The code of an attempt's error, read from the sentence that is stored of it, so that old attempts have one too. Null
 * where there is none. Pure.
 */
export function callbackErrorCode(sentence: string): CallbackError | null {
  if (answeredStatus(sentence) !== null) return 'answered'
  if (sentence.startsWith('no answer within')) return 'timeout'
  if (sentence.includes(' is refused: ')) return 'address_not_allowed'
  return OF_NETWORK[/\((\w+)\)$/.exec(sentence)?.[1] ?? ''] ?? null
}

/** The status in `answered 500`. */
export function answeredStatus(sentence: string): number | null {
  const status = /answered (\d{3})$/.exec(sentence)?.[1]
  return status === undefined ? null : Number(status)
}
