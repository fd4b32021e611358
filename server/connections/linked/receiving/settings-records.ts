import { createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { readerOf } from './wire-reader.ts'

/** Keys of the phone's settings, each made of one that the phone shares with its clients. */
export interface SettingsKey {
  index: Buffer
  value: Buffer
  valueMac: Buffer
}

/** A setting as it lies on WhatsApp's server: only its owner's devices know what it is of. */
export interface SettingsRecord {
  keyId: Buffer
  indexMac: Buffer
  /** Sealed value, and 32 bytes that prove it. */
  sealed: Buffer
}

const MAC_LENGTH = 32
const IV_LENGTH = 16
/** Fields (whatsmeow 33cfac51, proto/waServerSync and waSyncAction). */
const RECORD = { index: 1, value: 2, keyId: 3, content: 1 } as const
const ACTION = { index: 1, value: 2 } as const

const hmac = (key: Buffer, ...parts: Uint8Array[]): Buffer =>
  createHmac('sha256', key).update(Buffer.concat(parts)).digest()

/** As all clients derive them (whatsmeow appstate/keys.go). */
export function settingsKey(shared: Uint8Array): SettingsKey {
  const bytes = Buffer.from(hkdfSync('sha256', shared, Buffer.of(), 'WhatsApp Mutation Keys', 160))
  return { index: bytes.subarray(0, 32), value: bytes.subarray(32, 64), valueMac: bytes.subarray(64, 96) }
}

/** The first field of a message in bytes with this number; undefined where there is none. */
export async function bytesOf(message: Uint8Array, ...path: readonly number[]): Promise<Buffer | undefined> {
  const [number, ...rest] = path
  if (number === undefined) return Buffer.from(message)
  const reader = readerOf(message)
  for (let field = await reader.field(); field !== undefined; field = await reader.field()) {
    const content = await reader.bytes(field, message.length)
    if (field.number === number && content !== undefined) return bytesOf(content, ...rest)
  }
  return undefined
}

export async function recordIn(message: Uint8Array): Promise<SettingsRecord | undefined> {
  const [keyId, indexMac, sealed] = await Promise.all(
    [RECORD.keyId, RECORD.index, RECORD.value].map((part) => bytesOf(message, part, RECORD.content)),
  )
  return keyId === undefined || indexMac === undefined || sealed === undefined ? undefined : { keyId, indexMac, sealed }
}

/** True if a record is that of the setting with this index, such as `["nct_salt_sync"]`. */
export const isOf = ({ indexMac }: SettingsRecord, index: string, key: SettingsKey): boolean =>
  equal(indexMac, hmac(key.index, Buffer.from(index)))

/**
 * The value of a setting; undefined where it has none.
 * @throws when none of the owner's devices has written it
 */
export async function openRecord(
  { keyId, sealed }: SettingsRecord,
  { index, isRemoved, key }: { index: string; isRemoved: boolean; key: SettingsKey },
): Promise<Buffer | undefined> {
  const [content, mac] = [sealed.subarray(0, -MAC_LENGTH), sealed.subarray(-MAC_LENGTH)]
  const about = Buffer.concat([Buffer.of(isRemoved ? 2 : 1), keyId])
  const length = Buffer.alloc(8)
  length.writeUInt32BE(about.length, 4)
  const proof = createHmac('sha512', key.valueMac).update(about).update(content).update(length).digest()
  if (!equal(mac, proof.subarray(0, MAC_LENGTH))) throw new Error('a setting that none of the owner’s devices wrote')
  const decipher = createDecipheriv('aes-256-cbc', key.value, content.subarray(0, IV_LENGTH))
  const action = Buffer.concat([decipher.update(content.subarray(IV_LENGTH)), decipher.final()])
  const named = await bytesOf(action, ACTION.index)
  if (named?.toString() !== index) throw new Error('a setting under the name of another')
  return bytesOf(action, ACTION.value)
}

const equal = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
