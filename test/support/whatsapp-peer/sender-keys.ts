import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { proto, unpadRandomMax16 } from 'baileys'
import { verifySignature } from 'libsignal/src/curve.js'

/** Sender keys of groups, implemented without the library of the client under test. */

const SIGNATURE_BYTES = 64
const VERSION_BYTES = 1
const KEY_TYPE = 5
/** Same limit as in libsignal. */
const MOST_SKIPPED = 2_000

interface Chain {
  iteration: number
  key: Buffer
  signedBy: Buffer
  skipped: Map<number, Buffer>
}

const derived = (key: Buffer, byte: number): Buffer =>
  createHmac('sha256', key)
    .update(Buffer.from([byte]))
    .digest()

/** Reads key id and iteration of a group message. */
export function senderKeyOf(sealed: Uint8Array): { id: number; iteration: number; ciphertext: Uint8Array } {
  const { id, iteration, ciphertext } = proto.SenderKeyMessage.decode(sealed.subarray(VERSION_BYTES, -SIGNATURE_BYTES))
  if (id == null || iteration == null || ciphertext == null) throw new Error('no message of a sender key')
  return { id, iteration, ciphertext }
}

/** The message's key was used before. */
class Repeated extends Error {
  override name = 'MessageCounterError'
}

export function createSenderKeys() {
  const chains = new Map<string, Chain>()

  function messageKey(chain: Chain, iteration: number): Buffer {
    if (iteration < chain.iteration) {
      const kept = chain.skipped.get(iteration)
      chain.skipped.delete(iteration)
      if (kept === undefined) throw new Repeated(`iteration ${iteration} was opened before`)
      return kept
    }
    if (iteration - chain.iteration > MOST_SKIPPED) throw new Error('too far ahead')
    let key = derived(chain.key, 1)
    for (; chain.iteration < iteration; chain.iteration += 1) {
      chain.skipped.set(chain.iteration, key)
      chain.key = derived(chain.key, 2)
      key = derived(chain.key, 1)
    }
    chain.iteration += 1
    chain.key = derived(chain.key, 2)
    return key
  }

  return {
    /** @param place group and sender's device */
    learn(place: string, distribution: Uint8Array): void {
      const decoded = proto.SenderKeyDistributionMessage.decode(distribution.subarray(VERSION_BYTES))
      const { id, iteration, chainKey, signingKey } = decoded
      if (id == null || iteration == null || chainKey == null || signingKey == null) throw new Error('no sender key')
      const known = chains.get(`${place} ${id}`)
      // Keep the known chain, because the new one starts later and opens fewer messages.
      if (known !== undefined && known.iteration <= iteration) return
      const signedBy = Buffer.from(signingKey)
      chains.set(`${place} ${id}`, {
        iteration,
        key: Buffer.from(chainKey),
        signedBy: signedBy.length === 32 ? Buffer.concat([Buffer.from([KEY_TYPE]), signedBy]) : signedBy,
        skipped: new Map(),
      })
    },
    /** Decrypts a group message. @throws if its key is unknown or was used before */
    open(place: string, sealed: Buffer): proto.Message {
      const { id, iteration, ciphertext } = senderKeyOf(sealed)
      const chain = chains.get(`${place} ${id}`)
      if (chain === undefined) throw new Error('the sender key is not known')
      const [signed, signature] = [sealed.subarray(0, -SIGNATURE_BYTES), sealed.subarray(-SIGNATURE_BYTES)]
      if (!verifySignature(chain.signedBy, signed, signature)) throw new Error('wrong signature')
      const secrets = Buffer.from(
        hkdfSync('sha256', messageKey(chain, iteration), Buffer.alloc(32), Buffer.from('WhisperGroup'), 48),
      )
      const decipher = createDecipheriv('aes-256-cbc', secrets.subarray(16, 48), secrets.subarray(0, 16))
      const padded = Buffer.concat([decipher.update(ciphertext), decipher.final()])
      return proto.Message.decode(unpadRandomMax16(padded))
    },
    forget: () => chains.clear(),
  }
}
