import { Curve, proto, WA_CERT_DETAILS } from 'baileys'
import { SessionCipher } from 'libsignal'
import { verifySignature } from 'libsignal/src/curve.js'
import { MOST_SKIPPED } from './bounds.ts'

// libsignal wants public keys with the byte that names their type.
const KEY_TYPE = Buffer.from([5])

let isEnforced = false

/**
 * Makes the library's signature checks real. It expects a throw where libsignal returns false, so
 * that every signature passes; and it does not compare the key that a server's certificate vouches
 * for with the key that the server proved to have, so that anybody could show a chain that he
 * recorded. (docs/decisions/0011-baileys.md)
 */
export function enforceSignatures(rootKeyHex?: string): void {
  if (rootKeyHex !== undefined) WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKeyHex, 'hex')
  if (isEnforced) return
  isEnforced = true

  Curve.verify = (key, message, signature) => {
    try {
      return verifySignature(key.length === 33 ? key : Buffer.concat([KEY_TYPE, key]), message, signature)
    } catch {
      // A key or signature of the wrong length is a wrong one.
      return false
    }
  }

  // A handshake agrees on a secret with the server's static key and then, in the same breath, reads
  // the certificates.
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
    // Without its leaf the library refuses the chain.
    return Buffer.from(key ?? []).equals(agreedWith) ? chain : proto.CertChain.create({})
  }
}

interface Chain {
  chainKey: { counter: number }
}
type FillMessageKeys = (this: unknown, chain: Chain, counter: number) => void

let isLimited = false

/**
 * Anybody can send a message that claims to be far ahead: libsignal derives all keys up to it,
 * without a pause, in every session that it tries, and only then finds that the message is false.
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
 * libsignal prints whole sessions, private keys included, straight to the console, past every
 * logger. Its sentences and its sessions are dropped here; whatever else is printed goes through
 * untouched.
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
