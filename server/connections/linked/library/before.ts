/** Replaces parts of Node and protobufjs, before the library loads and takes them as they are. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import zlib, { type InputType, type ZlibOptions } from 'node:zlib'
import protobuf from 'protobufjs/minimal.js'
import { MOST_FRAME_BYTES } from './bounds.ts'

const { createCipheriv, createDecipheriv, createHmac, createSecretKey } = crypto
const { inflate } = zlib

const asKeyObject = (key: unknown): unknown => (key instanceof Uint8Array ? createSecretKey(key) : key)

type Create = (algorithm: string, key: unknown, ...rest: unknown[]) => unknown

const withKeyObject =
  (create: Create): Create =>
  (algorithm, key, ...rest) =>
    create(algorithm, asKeyObject(key), ...rest)

/**
 * The library gives Node its keys as bytes. Of bytes Node 24.21 asks twice whether they are a key
 * object, and each time throws an error and catches it: 10 µs a call, about thirty calls a message
 * (docs/decisions/0092-library-cost.md). For a caller it makes no difference.
 */
Object.assign(crypto, {
  createCipheriv: withKeyObject(createCipheriv as Create),
  createDecipheriv: withKeyObject(createDecipheriv as Create),
  createHmac: withKeyObject(createHmac as Create),
})

/** The library inflates a stanza as far as it goes: one of 1.5 MB to 1.5 GB. */
Object.assign(zlib, {
  inflate: (bytes: InputType, ...rest: [zlib.CompressCallback] | [ZlibOptions, zlib.CompressCallback]): void => {
    const [options, done] = rest.length === 1 ? [{}, rest[0]] : rest
    inflate(bytes, { maxOutputLength: MOST_FRAME_BYTES, ...options }, done)
  },
})
syncBuiltinESMExports()

/**
 * For each of the 2,200 optional members of its messages the library makes a plain object with that
 * one member, and keeps it. They fill V8's list of how plain objects begin, which has 1,536 places:
 * from then on every object that is put together member by member gets a class of its own, those of
 * `process.nextTick` among them. These getters give the same without such objects
 * (docs/decisions/0092-library-cost.md).
 */
Object.assign(protobuf.util, {
  /** @param names of which a message has one; @returns a getter of the name that is set */
  oneOfGetter: (names: readonly string[]) =>
    function nameThatIsSet(this: Readonly<Record<string, unknown>>): string | undefined {
      return Object.keys(this).findLast((name) => names.includes(name) && this[name] != null)
    },
})
