import { Curve, type KeyPair, proto } from 'baileys'

/**
 * The server's proof of itself: a chain from the root, one that another root signed, or somebody
 * else's.
 */
export type Presents = 'genuine' | 'forged' | 'borrowed'

export interface ServerIdentity {
  staticKey: KeyPair
  chain: Uint8Array
}

function sign(issuer: KeyPair, details: proto.CertChain.NoiseCertificate.IDetails) {
  const bytes = proto.CertChain.NoiseCertificate.Details.encode(details).finish()
  return { details: bytes, signature: Curve.sign(issuer.private, bytes) }
}

/**
 * The key pair of the server's Noise handshake and the two certificates that vouch for it.
 * `borrowed` is a genuine chain that vouches for another key, as someone who recorded WhatsApp's
 * own could show.
 */
export function createServerIdentity(root: KeyPair, presents: Presents): ServerIdentity {
  const staticKey = Curve.generateKeyPair()
  const intermediate = Curve.generateKeyPair()
  const vouchedFor = presents === 'borrowed' ? Curve.generateKeyPair() : staticKey
  const issuer = presents === 'forged' ? Curve.generateKeyPair() : root
  const chain = proto.CertChain.encode({
    intermediate: sign(issuer, { serial: 1, issuerSerial: 0, key: intermediate.public }),
    leaf: sign(intermediate, { serial: 2, issuerSerial: 1, key: vouchedFor.public }),
  }).finish()
  return { staticKey, chain }
}

let made: { root: KeyPair; genuine: ServerIdentity } | undefined

/**
 * WhatsApp has one root for all of its servers. Here they have one key pair as well: signing takes
 * milliseconds.
 */
export function whatsApp(): { root: KeyPair; genuine: ServerIdentity } {
  if (made === undefined) {
    const root = Curve.generateKeyPair()
    made = { root, genuine: createServerIdentity(root, 'genuine') }
  }
  return made
}
