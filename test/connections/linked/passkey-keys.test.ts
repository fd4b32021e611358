import { createDecipheriv, createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  comparedCode,
  handoffKey,
  handoffProof,
  prologue,
  readPrimaryIdentity,
  requestKey,
  sealRequest,
} from '../../../server/connections/linked/passkey/passkey-keys.ts'

// Vectors are made here byte by byte, from whatsmeow 33cfac51 pair-passkey.go and whatsapp-rust
// 1489b7da shortcake.rs: neither the library's encoder nor Node's HKDF has a part in them.

const filled = (byte: number, length = 32) => Buffer.alloc(length, byte)
const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const hmac = (key: Buffer, ...parts: Buffer[]) => createHmac('sha256', key).update(Buffer.concat(parts)).digest()
/** RFC 5869 for one block. */
const hkdf = (key: Buffer, salt: Buffer, info: string) => hmac(hmac(salt, key), Buffer.from(info), Buffer.of(1))
/** One field of a protobuf message with bytes in it. */
const field = (number: number, bytes: Buffer) => Buffer.concat([Buffer.of(number * 8 + 2, bytes.length), bytes])

const PUBLIC_KEY = filled(0xaa)
const NONCE = filled(0x01)
const REF = '2@abc'

describe('a ceremony’s bytes', () => {
  test('prologue: key without a prefix, device type 1, ref; then SHA-256 of that and the nonce', () => {
    const identity = Buffer.concat([field(1, PUBLIC_KEY), Buffer.of(0x10, 1), field(3, Buffer.from(REF))])
    const commitment = field(2, field(1, sha256(identity, NONCE)))
    expect(prologue({ publicKey: PUBLIC_KEY, nonce: NONCE, ref: REF })).toEqual(
      Buffer.concat([field(1, identity), commitment]),
    )
  })

  test('proof: HMAC of the prologue with a key from the secret of the code, and no salt', () => {
    const key = hkdf(filled(0x05), filled(0), 'shortcake-passkey-handoff-v1')
    expect(handoffKey(filled(0x05))).toEqual(key)
    expect(handoffProof(key, Buffer.from('prologue'))).toEqual(hmac(key, Buffer.from('prologue')))
  })

  test('code: five bytes of the phone’s nonce against SHA-256 of the own nonce and the phone’s key', () => {
    const digest = sha256(NONCE, filled(0x02))
    let bits = 0n
    for (let n = 0; n < 5; n += 1) bits = bits * 256n + BigInt((digest[n] ?? 0) ^ 0x03)
    let letters = ''
    for (let n = 7n; n >= 0n; n -= 1n) letters += '123456789ABCDEFGHJKLMNPQRSTVWXYZ'[Number((bits >> (n * 5n)) & 31n)]
    const code = comparedCode(NONCE, { publicKey: filled(0x02), nonce: filled(0x03) })
    expect(code).toBe(`${letters.slice(0, 4)}-${letters.slice(4)}`)
    expect(code).toMatch(/^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/)
  })

  test('key of the request: the sentence with type and ref is the salt, not the info', () => {
    const salt = Buffer.from('Companion Pairing 1 with ref REF123')
    expect(requestKey(filled(0x09), 'REF123')).toEqual(hkdf(filled(0x09), salt, 'Pairing Information Encryption Key'))
  })

  test('request: Noise key, identity, new secret under AES-256-GCM without more data; the tag ends the payload', () => {
    const [key, iv] = [filled(0x04), filled(0x07, 12)]
    const sealed = sealRequest(key, iv, { noiseKey: filled(1), identityKey: filled(2), advSecret: filled(3) })
    const plain = Buffer.concat([field(1, filled(1)), field(2, filled(2)), field(3, filled(3))])
    const payload = sealed.subarray(2, 2 + plain.length + 16)
    expect(sealed).toEqual(Buffer.concat([field(1, payload), field(2, iv)]))
    const opened = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(payload.subarray(-16))
    expect(Buffer.concat([opened.update(payload.subarray(0, -16)), opened.final()])).toEqual(plain)
  })

  test.each([
    ['a key of 31 bytes', Buffer.concat([field(1, filled(1, 31)), field(2, filled(2))])],
    ['a nonce of one byte', Buffer.concat([field(1, filled(1)), field(2, filled(2, 1))])],
    ['nothing', Buffer.of()],
  ])('of the phone with %s are refused', (_what, bytes) => {
    expect(() => readPrimaryIdentity(bytes)).toThrow('32 bytes')
  })

  test('of the phone are its key and its nonce', () => {
    const bytes = Buffer.concat([field(1, filled(0xab)), field(2, filled(0xcd))])
    const { publicKey, nonce } = readPrimaryIdentity(bytes)
    expect([Buffer.from(publicKey), Buffer.from(nonce)]).toEqual([filled(0xab), filled(0xcd)])
  })
})
