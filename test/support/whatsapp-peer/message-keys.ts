import protobuf from 'protobufjs/minimal.js'
import { senderKeyOf } from './sender-keys.ts'
import type { Sealed } from './signal.ts'

/** Key of one copy of a message: a ratchet chain and a counter in it. */
export interface MessageKey {
  /** Milliseconds since 1970. */
  at: number
  /** Linked number and device that encrypted the copy. */
  from: string
  /** Jid of the device that the copy is for. */
  to: string
  /** Ratchet key in base64. */
  chain: string
  counter: number
}

const LENGTH_DELIMITED = 2
const VERSION_BYTES = 1
const MAC_BYTES = 8
/**
 * Field numbers: `message` of a PreKeyWhisperMessage; `ephemeralKey` and `counter` of a
 * WhisperMessage.
 */
const [MESSAGE, RATCHET_KEY, COUNTER] = [4, 1, 2]

function fieldsOf(bytes: Uint8Array): Map<number, Uint8Array | number> {
  const reader = protobuf.Reader.create(bytes)
  const fields = new Map<number, Uint8Array | number>()
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    fields.set(tag >>> 3, (tag & 7) === LENGTH_DELIMITED ? reader.bytes() : reader.uint32())
  }
  return fields
}

/** A copy for one device, or a ciphertext of a sender key for a whole group. */
type AnySealed = Sealed | { type: 'skmsg'; ciphertext: Buffer }

/** Reads the key's name from the unencrypted part of a ciphertext. */
function keyOf({ type, ciphertext }: AnySealed): { chain: string; counter: number } {
  if (type === 'skmsg') {
    const { id, iteration } = senderKeyOf(ciphertext)
    return { chain: `sender key ${id}`, counter: iteration }
  }
  const outer = type === 'pkmsg' ? fieldsOf(ciphertext.subarray(VERSION_BYTES)).get(MESSAGE) : ciphertext
  const fields = fieldsOf((outer as Uint8Array).subarray(VERSION_BYTES, -MAC_BYTES))
  const chain = Buffer.from(fields.get(RATCHET_KEY) as Uint8Array).toString('base64')
  return { chain, counter: Number(fields.get(COUNTER) ?? 0) }
}

/**
 * Records every message key that clients use. Two contents under one key break the encryption, and
 * the second cannot be read.
 */
export function createMessageKeys() {
  const usedTwice: MessageKey[] = []
  const used = new Map<string, MessageKey & { content: Buffer }>()
  return {
    usedTwice,
    used: (): MessageKey[] => [...used.values()].map(({ content, ...key }) => key),
    note(copy: { at: number; from: string; to: string }, sealed: AnySealed): void {
      const key = { ...copy, ...keyOf(sealed) }
      const name = `${key.chain} ${key.counter}`
      if (used.get(name)?.content.equals(sealed.ciphertext) === false) usedTwice.push(key)
      used.set(name, { ...key, content: sealed.ciphertext })
    },
  }
}
