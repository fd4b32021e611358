import { createHmac } from 'node:crypto'

/**
 * Shows that its maker knows the secret. The port is part of it: a program that took the port of a Kurir which is gone
 * cannot pass on the proof of another one.
 */
export const proofOf = (secret: string, port: number, nonce: string): string =>
  createHmac('sha256', secret).update(`kurir-proof:${port}:${nonce}`).digest('base64url')
