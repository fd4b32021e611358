import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04

export interface SigningOptions {
  /** Origin of the page that asks. */
  origin?: string
  /** True if the system asked for a fingerprint or a PIN. */
  verified?: boolean
  rpId?: string
  type?: string
}

/** Request of a browser for a signature. */
export interface AssertionOptions {
  challenge: string
  rpId?: string
}

/**
 * An authenticator with one passkey. Signs WebAuthn assertions with ES256 in the form that a
 * browser returns (`PublicKeyCredential.toJSON()`).
 */
export function createAuthenticator({ rpId = 'whatsapp.com' } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16).toString('base64url')
  const userHandle = randomBytes(16).toString('base64url')
  let count = 0
  return {
    id,
    publicKey,
    sign(options: AssertionOptions, more: SigningOptions = {}) {
      const { origin = 'https://web.whatsapp.com', verified = true, type = 'webauthn.get' } = more
      const clientDataJSON = Buffer.from(
        JSON.stringify({ type, challenge: options.challenge, origin, crossOrigin: false }),
      )
      count += 1
      const counter = Buffer.alloc(4)
      counter.writeUInt32BE(count)
      const authenticatorData = Buffer.concat([
        createHash('sha256')
          .update(more.rpId ?? options.rpId ?? rpId)
          .digest(),
        Buffer.of(USER_PRESENT | (verified ? USER_VERIFIED : 0)),
        counter,
      ])
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
      return {
        id,
        rawId: id,
        type: 'public-key' as const,
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle,
        },
      }
    },
  }
}
export type Authenticator = ReturnType<typeof createAuthenticator>
