import { Curve, proto } from 'baileys'
import type { ServerIdentity } from './certificate.ts'
import { createNoise } from './noise.ts'

function required(bytes: Uint8Array | null | undefined, what: string): Uint8Array {
  if (!bytes?.length) throw new Error(`handshake without ${what}`)
  return bytes
}

/**
 * Returns the server's reply to the client's hello, and a function that opens the client's finish
 * message.
 */
export function answerHello(frame: Uint8Array, identity: ServerIdentity) {
  const noise = createNoise()
  const ephemeral = Curve.generateKeyPair()
  const clientEphemeral = required(proto.HandshakeMessage.decode(frame).clientHello?.ephemeral, 'an ephemeral key')

  noise.authenticate(clientEphemeral)
  noise.authenticate(ephemeral.public)
  noise.mixKeys(ephemeral.private, clientEphemeral)
  const sealedStatic = noise.seal(identity.staticKey.public)
  noise.mixKeys(identity.staticKey.private, clientEphemeral)
  const payload = noise.seal(identity.chain)

  return {
    reply: proto.HandshakeMessage.encode({
      serverHello: { ephemeral: ephemeral.public, static: sealedStatic, payload },
    }).finish(),

    finish(last: Uint8Array) {
      const { clientFinish } = proto.HandshakeMessage.decode(last)
      const clientStatic = noise.open(required(clientFinish?.static, 'a static key'))
      noise.mixKeys(ephemeral.private, clientStatic)
      const clientPayload = proto.ClientPayload.decode(noise.open(required(clientFinish?.payload, 'a payload')))
      return { clientStatic, clientPayload, ...noise.split() }
    },
  }
}
