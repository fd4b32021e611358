import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { createCipheriv, createDecipheriv, createHmac, createSecretKey } = crypto

const asKeyObject = (key: unknown): unknown => (key instanceof Uint8Array ? createSecretKey(key) : key)

type Create = (algorithm: string, key: unknown, ...rest: unknown[]) => unknown

const withKeyObject =
  (create: Create): Create =>
  (algorithm, key, ...rest) =>
    create(algorithm, asKeyObject(key), ...rest)

/**
 * Comes before the library, which gives Node its keys as bytes. Of bytes Node 24.21 asks twice
 * whether they are a key object, and each time throws an error and catches it: 10 µs a call, about
 * thirty calls a message (docs/decisions/0092-library-cost.md). For a caller it makes no
 * difference.
 */
Object.assign(crypto, {
  createCipheriv: withKeyObject(createCipheriv as Create),
  createDecipheriv: withKeyObject(createDecipheriv as Create),
  createHmac: withKeyObject(createHmac as Create),
})
syncBuiltinESMExports()
