import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

/**
 * Encrypts what must not be readable in a stolen file. `context` binds a value to its place: moved
 * elsewhere, it does not open.
 */
export interface Vault {
  seal(plain: Uint8Array | string, context: string): Buffer
  /** @throws Error if the value was changed, belongs elsewhere, or was sealed with another key. */
  open(sealed: Uint8Array, context: string): Buffer
}

/** The key by which a data folder is sealed, as it is while Kurir runs. */
export interface DataKey {
  /** Seals the secrets of this data folder. */
  vault: Vault
  /** The key of `vault`. Goes into a backup, which is encrypted as a whole. */
  bytes: Buffer
  /** Any data key in the form in which it is stored here, for this PC only. */
  sealForThisPc(dataKey: Buffer): string
  /** Has a new one made at the next start, which seals everything again. */
  rotate(): Promise<void>
}

/** Seals a value with another key; one that does not open stays. `place` is its context. */
export type Reseal = (sealed: Uint8Array, place: string) => Uint8Array

const NONCE = 12
const TAG = 16

/** AES-256-GCM with a fresh nonce a value: nonce, tag, ciphertext. `bytes`: a key of 32. */
export function createVault(bytes: Uint8Array): Vault {
  // Node takes plain bytes for a key too, at several times the cost of the encryption itself.
  const key = createSecretKey(bytes)
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([
        typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain),
        cipher.final(),
      ])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      // Without the length a value that was cut inside its tag would be believed by what is left of
      // it.
      const options = { authTagLength: TAG }
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), options)
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(NONCE, NONCE + TAG))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()])
    },
  }
}
