import { Curve, type KeyPair, proto } from 'baileys'

/**
 * The server's certificate chain. `genuine`: signed by the root. `forged`: signed by another root.
 * `borrowed`: genuine, but for another key.
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
 * Creates the server's key pair for the Noise handshake and its two certificates. A `borrowed`
 * chain certifies another key, like a recording of WhatsApp's own chain.
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
 * Returns the root key and identity that all peers share: WhatsApp too has one root, and signing
 * takes milliseconds.
 */
export function whatsApp(): { root: KeyPair; genuine: ServerIdentity } {
  if (made === undefined) {
    const root = Curve.generateKeyPair()
    made = { root, genuine: createServerIdentity(root, 'genuine') }
  }
  return made
}
