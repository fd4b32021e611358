import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** Headers that a receiver checks, named by Standard Webhooks 1.0.0. */
export type SignatureHeaders = {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/** Signs one attempt: see `signatureHeaders`. */
export type Sign = (id: string, now: number, body: string, secrets: readonly string[]) => Record<string, string>

/** A new endpoint secret: `whsec_` and 32 random bytes in base64. */
export function createSecret(random: (size: number) => Buffer = randomBytes): string {
  return PREFIX + random(32).toString('base64')
}

/**
 * Signs one attempt. `id` stays the same over all attempts of a delivery, `now` (milliseconds) is
 * the attempt's own time. Each secret adds a signature, so that during a rotation a receiver may
 * know either.
 */
export function signatureHeaders(id: string, now: number, body: string, secrets: readonly string[]): SignatureHeaders {
  const timestamp = Math.floor(now / 1000).toString()
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': secrets.map(sign).join(' ') }
}
