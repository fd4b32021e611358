/**
 * Replaces functions of Node and protobufjs. Must run before Baileys loads, because Baileys keeps
 * the functions that it finds then.
 */
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
 * Wraps keys in key objects, because Baileys passes them as bytes. For a key in bytes, Node 24.21
 * throws and catches two errors while it checks whether the key is a key object: 10 µs a call,
 * about thirty calls a message (docs/decisions/0092-library-cost.md). The results are the same.
 */
Object.assign(crypto, {
  createCipheriv: withKeyObject(createCipheriv as Create),
  createDecipheriv: withKeyObject(createDecipheriv as Create),
  createHmac: withKeyObject(createHmac as Create),
})

/** Limits inflating. Baileys sets no limit, so a stanza of 1.5 MB could inflate to 1.5 GB. */
Object.assign(zlib, {
  inflate: (bytes: InputType, ...rest: [zlib.CompressCallback] | [ZlibOptions, zlib.CompressCallback]): void => {
    const [options, done] = rest.length === 1 ? [{}, rest[0]] : rest
    inflate(bytes, { maxOutputLength: MOST_FRAME_BYTES, ...options }, done)
  },
})
syncBuiltinESMExports()

/**
 * Replaces `oneOfGetter` with one that creates no objects. protobufjs creates and keeps a plain
 * object with a single member for each of the 2,200 optional members of Baileys' messages. These
 * objects fill V8's table of first members of plain objects, which has 1,536 places. From then on
 * every object that is built member by member gets a class of its own, even those of
 * `process.nextTick` (docs/decisions/0092-library-cost.md).
 */
Object.assign(protobuf.util, {
  /**
   * @param names the members of which a message has at most one
   * @returns a getter of the name that is set
   */
  oneOfGetter: (names: readonly string[]) =>
    function nameThatIsSet(this: Readonly<Record<string, unknown>>): string | undefined {
      return Object.keys(this).findLast((name) => names.includes(name) && this[name] != null)
    },
})
