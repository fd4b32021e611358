import { aesDecryptGCM, aesEncryptGCM, Curve, hkdf, NOISE_MODE, NOISE_WA_HEADER, sha256 } from 'baileys'

const NOTHING = Buffer.alloc(0)

function counterNonce() {
  let counter = 0
  return () => {
    const nonce = Buffer.alloc(12)
    nonce.writeUInt32BE(counter++, 8)
    return nonce
  }
}

/** Cipher of one direction of the connection; the nonce of each frame is a counter. */
const createCipher = (key: Buffer) => {
  const nonce = counterNonce()
  return {
    seal: (bytes: Uint8Array) => aesEncryptGCM(bytes, key, nonce(), NOTHING),
    open: (bytes: Uint8Array) => aesDecryptGCM(bytes, key, nonce(), NOTHING),
  }
}
export type Cipher = ReturnType<typeof createCipher>

/**
 * Running hash and key of a Noise_XX_25519_AESGCM_SHA256 handshake; both sides compute the same.
 */
export function createNoise() {
  let hash: Buffer = Buffer.from(NOISE_MODE)
  let salt = hash
  let key = hash
  let nonce = counterNonce()

  const authenticate = (bytes: Uint8Array) => {
    hash = sha256(Buffer.concat([hash, bytes]))
  }
  const derive = (secret: Uint8Array) => {
    const derived = Buffer.from(hkdf(secret, 64, { salt, info: '' }))
    return [derived.subarray(0, 32), derived.subarray(32)] as const
  }
  authenticate(NOISE_WA_HEADER)

  return {
    authenticate,
    mixKeys(privateKey: Uint8Array, publicKey: Uint8Array) {
      ;[salt, key] = derive(Curve.sharedKey(privateKey, publicKey))
      nonce = counterNonce()
    },
    seal(bytes: Uint8Array) {
      const sealed = aesEncryptGCM(bytes, key, nonce(), hash)
      authenticate(sealed)
      return sealed
    },
    open(sealed: Uint8Array) {
      const bytes = aesDecryptGCM(sealed, key, nonce(), hash)
      authenticate(sealed)
      return bytes
    },
    /** Ends the handshake. The client encrypts with the first key, the server with the second. */
    split() {
      const [clientKey, serverKey] = derive(NOTHING)
      return { incoming: createCipher(clientKey), outgoing: createCipher(serverKey) }
    },
  }
}
