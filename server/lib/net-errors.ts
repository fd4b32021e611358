const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter or longer than announced',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'the name could not be looked up',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  EHOSTUNREACH: 'no route to that address',
  ENETUNREACH: 'no network',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks http there, not https',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it speaks something else there, not https',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'it and this PC have no version of TLS in common',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it speaks only old versions of TLS',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': 'it and this PC have no way to encrypt in common',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'it and this PC have no way to encrypt in common',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'it does not know itself by that name',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it wants a certificate of this PC',
  CERT_NOT_YET_VALID: "its certificate is not valid yet: is this PC's clock right?",
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_REVOKED: 'its certificate was taken back',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

/**
 * Returns a sentence for the owner that says why a connection failed, and the error code for the
 * technician.
 */
export function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === undefined) return shortened(error.message)
  return `${SENTENCES[code] ?? (code.startsWith('ERR_SSL_') ? NO_TLS : shortened(error.message))} (${code})`
}

const NO_TLS = 'no encrypted connection came about'
// Characters. The text may come from another program, such as a mail server.
const LONGEST = 300

export const shortened = (words: string): string =>
  words.slice(0, LONGEST).replace(/\p{Cc}+/gu, ' ') + (words.length > LONGEST ? '…' : '')
