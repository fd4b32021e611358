import { Curve, proto, WA_CERT_DETAILS } from 'baileys'
import { verifySignature } from 'libsignal/src/curve.js'

// libsignal wants public keys with the byte that names their type.
const KEY_TYPE = Buffer.from([5])

let enforced = false

/**
 * Makes the library's signature checks real. It expects a throw where libsignal returns false, so
 * that every signature passes; and it does not compare the key that a server's certificate vouches
 * for with the key that the server proved to have, so that anybody could show a chain that he
 * recorded. (docs/decisions/0011-baileys.md)
 */
export function enforceSignatures(rootKeyHex?: string): void {
  if (rootKeyHex !== undefined) WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKeyHex, 'hex')
  if (enforced) return
  enforced = true

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
