import { createHmac, timingSafeEqual } from 'node:crypto'

const HEADER = /^sha256=([0-9a-f]{64})$/i

/** True if it may be a signature. Asked before anything of the body is read. */
export const isSignature = (header: string | undefined): header is string => HEADER.test(header ?? '')

/**
 * True if `X-Hub-Signature-256` fits these raw bytes. Only the bytes as they came can be hashed:
 * Meta escapes non-ASCII letters and slashes, so a body that was parsed and written again differs.
 */
export function signatureMatches(rawBody: Uint8Array, header: string | undefined, appSecret: string): boolean {
  const given = HEADER.exec(header ?? '')?.[1]
  if (given === undefined || appSecret === '') return false
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', appSecret).update(rawBody).digest())
}
