import { Curve, proto, WA_CERT_DETAILS } from 'baileys'
import { SessionCipher } from 'libsignal'
import { verifySignature } from 'libsignal/src/curve.js'
import { MOST_SKIPPED } from './bounds.ts'

// libsignal expects public keys with a leading byte that names their type.
const KEY_TYPE = Buffer.from([5])

let isEnforced = false

/**
 * Makes Baileys' signature checks effective (docs/decisions/0011-baileys.md). Baileys expects an
 * exception where libsignal returns false, so every signature passes. Baileys also does not compare
 * the key in a server's certificate with the key that the server proved to have, so anybody could
 * present a recorded certificate chain.
 * @param rootKeyHex the key that signs the server's certificates, in place of WhatsApp's
 */
export function enforceSignatures(rootKeyHex?: string): void {
  if (rootKeyHex !== undefined) WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKeyHex, 'hex')
  if (isEnforced) return
  isEnforced = true

  Curve.verify = (key, message, signature) => {
    try {
      return verifySignature(key.length === 33 ? key : Buffer.concat([KEY_TYPE, key]), message, signature)
    } catch {
      // libsignal throws if a key or a signature has the wrong length.
      return false
    }
  }

  // A handshake agrees on a secret with the server's static key and then, without a pause, decodes
  // the certificates. So `agreedWith` belongs to the same handshake as the chain decoded next.
  const { sharedKey } = Curve
  let agreedWith: Uint8Array = KEY_TYPE
  Curve.sharedKey = (privateKey, publicKey) => {
    agreedWith = publicKey
    return sharedKey(privateKey, publicKey)
  }
  const decode = proto.CertChain.decode
  proto.CertChain.decode = (...args: Parameters<typeof decode>) => {
    const chain = decode(...args)
    const { key } = proto.CertChain.NoiseCertificate.Details.decode(chain.leaf?.details ?? new Uint8Array())
    // The library refuses a chain without a leaf.
    return Buffer.from(key ?? []).equals(agreedWith) ? chain : proto.CertChain.create({})
  }
}

interface Chain {
  chainKey: { counter: number }
}
type FillMessageKeys = (this: unknown, chain: Chain, counter: number) => void

let isLimited = false

/**
 * Refuses messages that claim to be far ahead. Anybody can send one, and libsignal derives all keys
 * up to it, without a pause and in every session that it tries, before it finds that the message is
 * false.
 */
export function limitSkippedKeys(): void {
  if (isLimited) return
  isLimited = true
  const cipher = SessionCipher.prototype as unknown as { fillMessageKeys: FillMessageKeys }
  const fill = cipher.fillMessageKeys
  cipher.fillMessageKeys = function (chain, counter) {
    if (counter - chain.chainKey.counter > MOST_SKIPPED) throw new Error('too far ahead of the last message')
    fill.call(this, chain, counter)
  }
}

const SENTENCES = [
  'Closing session:',
  'Opening session:',
  'Removing old closed session:',
  'Session already closed',
  'Session already open',
  'Migrating session to:',
  'V1 session storage migration error:',
  'Closing open session in favor of incoming prekey bundle',
  'Failed to decrypt message with any known session...',
  'Session error:',
  'Decrypted message with closed session.',
  'Unhandled bucket type (for naming):',
]

const isSession = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && value.constructor.name === 'SessionEntry'

const isLibsignals = (args: unknown[]): boolean =>
  args.some(isSession) || SENTENCES.some((sentence) => typeof args[0] === 'string' && args[0].startsWith(sentence))

let isQuiet = false

/**
 * Drops libsignal's console output, because libsignal prints whole sessions, private keys included,
 * and bypasses every logger. Everything else is printed as before.
 */
export function quietLibsignal(): void {
  if (isQuiet) return
  isQuiet = true
  for (const level of ['info', 'warn', 'error'] as const) {
    const print = console[level].bind(console)
    console[level] = (...args: unknown[]) => {
      if (!isLibsignals(args)) print(...args)
    }
  }
}
