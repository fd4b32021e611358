import protobuf from 'protobufjs/minimal.js'
import { senderKeyOf } from './sender-keys.ts'
import type { Sealed } from './signal.ts'

/**
 * The key that one copy of a message was sealed with: a chain is named by its ratchet key, and
 * counts.
 */
export interface MessageKey {
  /** Milliseconds. */
  at: number
  /** The linked number and device that sealed it. */
  from: string
  /** The jid of the device that it was sealed for. */
  to: string
  /** Base64. */
  chain: string
  counter: number
}

const LENGTH_DELIMITED = 2
const VERSION_BYTES = 1
const MAC_BYTES = 8
/** `message` of a PreKeyWhisperMessage; `ephemeralKey` and `counter` of a WhisperMessage. */
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

/** A copy for one device, or what is sealed with a sender key for a whole group. */
type AnySealed = Sealed | { type: 'skmsg'; ciphertext: Buffer }

/** The open part of a sealed copy's envelope. */
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
 * Every message key that clients used. Two contents under one key are a broken secret, and the
 * second is never read.
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
