import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

/**
 * Encrypts values that must not be readable in a stolen file. `context` binds a value to its place:
 * copied to another place, the value does not open.
 */
export interface Vault {
  seal(plain: Uint8Array | string, context: string): Buffer
  /** @throws Error if the value was changed, belongs elsewhere, or was sealed with another key. */
  open(sealed: Uint8Array, context: string): Buffer
}

/** The key that seals the secrets of a data folder, while Kurir runs. */
export interface DataKey {
  vault: Vault
  /** The key of `vault`. A backup contains it, and is encrypted as a whole. */
  bytes: Buffer
  /** Seals any data key with the key of this PC, in the form that is stored here. */
  sealForThisPc(dataKey: Buffer): string
  /** Requests a new data key: the next start makes it and seals every secret again. */
  rotate(): Promise<void>
}

/**
 * Seals a value with another key; a value that does not open is returned unchanged. `place` is its
 * context.
 */
export type Reseal = (sealed: Uint8Array, place: string) => Uint8Array

const NONCE = 12
const TAG = 16

/**
 * Creates a vault that uses AES-256-GCM with a fresh nonce for each value. Layout: nonce, tag,
 * ciphertext.
 * @param bytes a key of 32 bytes
 */
export function createVault(bytes: Uint8Array): Vault {
  // Node accepts plain bytes as a key, but that costs several times as much as the encryption
  // itself.
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
      // Without this length, Node would accept a value that was cut inside its tag and check only
      // the rest of the tag.
      const options = { authTagLength: TAG }
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), options)
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(NONCE, NONCE + TAG))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()])
    },
  }
}
