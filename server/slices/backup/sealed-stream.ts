import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { type ByteReader, type Bytes, createByteReader } from '../../lib/byte-reader.ts'
import { damaged, newer, notABackup, wrongPassphrase } from './errors.ts'
import { asOnSheet } from './sheet-key.ts'

/*
 * A backup file: `KURIRBAK`, version (1 byte), salt (16), check of the passphrase (16), start of
 * the nonces (7), then chunks of AES-256-GCM, each 256 KiB of plain text (the last one less) and
 * its tag. A chunk's nonce holds its number and whether it is the last, and its additional data is
 * the header: none can be moved, left out or cut off unnoticed.
 */
const MAGIC = Buffer.from('KURIRBAK')
const VERSION = 1
const SALT = 16
const CHECK = 16
const NONCE_START = 7
const HEADER = MAGIC.length + 1 + SALT + CHECK + NONCE_START
const CHUNK = 256 * 1024
const TAG = 16
/** Half a second and 128 MiB for each guess. Version 1 means these. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

/** Bytes of the file that `size` bytes become. */
export const sealedSize = (size: number): number => HEADER + size + TAG * Math.max(1, Math.ceil(size / CHUNK))

/** Encrypts as it goes: nothing but a chunk is held in memory. */
export async function* seal(source: Bytes, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT)
  const { key, check } = await deriveKey(passphrase, salt)
  const header = Buffer.concat([MAGIC, Buffer.from([VERSION]), salt, check, randomBytes(NONCE_START)])
  yield header
  const reader = createByteReader(source)
  try {
    for (let number = 0, last = false; !last; number += 1) {
      const chunk = await reader.read(CHUNK)
      last = await reader.atEnd()
      const cipher = createCipheriv('aes-256-gcm', key, nonce(header, number, last)).setAAD(header)
      yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
    }
  } finally {
    await reader.close()
  }
}

/** @throws ApiError if it is no backup, was changed or cut off, or the passphrase is another one */
export async function* unseal(source: Bytes, passphrase: string): AsyncGenerator<Buffer> {
  const reader = createByteReader(source)
  try {
    const { header, key } = await readHeader(reader, passphrase)
    for (let number = 0, last = false; !last; number += 1) {
      const chunk = await reader.read(CHUNK + TAG)
      last = await reader.atEnd()
      yield openChunk(key, header, chunk, nonce(header, number, last))
    }
  } finally {
    await reader.close()
  }
}

async function readHeader(reader: ByteReader, passphrase: string): Promise<{ header: Buffer; key: Buffer }> {
  const header = await reader.read(HEADER)
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw notABackup()
  if ((header[MAGIC.length] ?? 0) > VERSION) throw newer()
  if (header.length < HEADER) throw damaged()
  const salt = header.subarray(MAGIC.length + 1, MAGIC.length + 1 + SALT)
  for (const tried of [passphrase, asOnSheet(passphrase)]) {
    if (tried === undefined) continue
    const { key, check } = await deriveKey(tried, salt)
    if (timingSafeEqual(check, header.subarray(MAGIC.length + 1 + SALT, HEADER - NONCE_START))) return { header, key }
  }
  throw wrongPassphrase()
}

function openChunk(key: Buffer, header: Buffer, chunk: Buffer, iv: Buffer): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG }).setAAD(header)
    decipher.setAuthTag(chunk.subarray(Math.max(0, chunk.length - TAG)))
    return Buffer.concat([decipher.update(chunk.subarray(0, -TAG)), decipher.final()])
  } catch {
    throw damaged()
  }
}

function nonce(header: Buffer, number: number, last: boolean): Buffer {
  const iv = Buffer.alloc(12)
  header.copy(iv, 0, HEADER - NONCE_START)
  iv.writeUInt32BE(number, NONCE_START)
  iv.writeUInt8(last ? 1 : 0, NONCE_START + 4)
  return iv
}

/** Keyboards of different systems write one letter in different ways: hence the normal form. */
function deriveKey(passphrase: string, salt: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, 32 + CHECK, SCRYPT, (error, derived) => {
      if (error) reject(error)
      else resolve({ key: derived.subarray(0, 32), check: derived.subarray(32) })
    })
  })
}
