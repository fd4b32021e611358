import { createCipheriv, createDecipheriv, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { ApiError } from '../../contract/errors.ts'

const PORTION = 1024 * 1024
/** Most message files in one backup; the names of so many fit into LONGEST_CONTENTS. */
export const MOST_FILES = 20_000
const LONGEST_CONTENTS = 4 * 1024 * 1024

export const DATABASES = ['kurir.db', 'sessions.db'] as const

/**
 * Table of contents. A backup's plain text is the length of this JSON (4 bytes), this JSON, then
 * the files in its order: both databases, then the files of waiting messages.
 */
const contents = z.object({
  kurir_version: z.string(),
  created_at: z.iso.datetime(),
  /** Hex key that encrypts (seals) the secrets inside the databases. */
  data_key: z.string().regex(/^[0-9a-f]{64}$/),
  files: z
    .array(
      z.object({
        name: z.union([z.enum(DATABASES), z.string().regex(/^files\/[0-9a-f-]{36}$/)]),
        size: z.number().int().min(0),
      }),
    )
    .min(DATABASES.length)
    .max(DATABASES.length + MOST_FILES)
    .refine((files) => DATABASES.every((name) => files.some((file) => file.name === name)))
    .refine((files) => new Set(files.map(({ name }) => name)).size === files.length),
})
export type Contents = z.infer<typeof contents>

function headOf(about: Contents): Buffer {
  const json = Buffer.from(JSON.stringify(about))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(json.length)
  return Buffer.concat([length, json])
}

export const archiveSize = (about: Contents): number =>
  about.files.reduce((sum, file) => sum + file.size, headOf(about).length)

export async function* packArchive(about: Contents, folder: string): AsyncGenerator<Uint8Array> {
  yield headOf(about)
  for (const { name } of about.files) yield* createReadStream(join(folder, name), { highWaterMark: PORTION })
}

/**
 * Writes the files into `folder` and resolves when they are on disk.
 * @param kept files to write; the others are only read
 * @throws ApiError
 */
export async function unpackArchive(
  source: Bytes,
  folder: string,
  kept: 'all' | 'databases' = 'all',
): Promise<Contents> {
  const reader = createByteReader(source)
  try {
    const about = contents.safeParse(await readHead(reader))
    if (!about.success) throw damaged()
    for (const { name, size } of about.data.files) {
      if (kept === 'all' || isDatabase(name)) await writeFile(reader, join(folder, name), size)
      else for await (const _portion of portionsOf(reader, size));
    }
    if (!(await reader.atEnd())) throw damaged()
    return about.data
  } finally {
    await reader.close()
  }
}

const isDatabase = (name: string): boolean => DATABASES.some((one) => one === name)

async function* portionsOf(reader: ByteReader, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    const portion = await reader.read(Math.min(left, PORTION))
    if (portion.length === 0) throw damaged()
    yield portion
    left -= portion.length
  }
}

async function writeFile(reader: ByteReader, path: string, size: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await using file = await open(path, 'w', 0o600)
  for await (const portion of portionsOf(reader, size)) await file.writeFile(portion)
  await file.sync()
}

async function readHead(reader: ByteReader): Promise<unknown> {
  const length = await reader.read(4)
  const size = length.length === 4 ? length.readUInt32BE() : 0
  if (size === 0 || size > LONGEST_CONTENTS) throw damaged()
  try {
    return JSON.parse((await reader.read(size)).toString())
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged()
    throw error
  }
}

/*
 * Format of a backup file: `KURIRBAK`, version (1 byte), salt (16), passphrase check (16), start
 * of the nonces (7), then chunks. A chunk is up to 256 KiB of plain text (only the last is shorter)
 * under AES-256-GCM, followed by its tag. The nonce holds the chunk's number and a flag for the
 * last chunk, and the header is the additional data, so no chunk can be moved, dropped or cut off
 * unnoticed.
 */
const MAGIC = Buffer.from('KURIRBAK')
const VERSION = 1
const SALT = 16
const CHECK = 16
const NONCE_START = 7
const HEADER = MAGIC.length + 1 + SALT + CHECK + NONCE_START
const CHUNK = 256 * 1024
const TAG = 16
/** Costs half a second and 128 MiB for each guess. Fixed for version 1. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

/** Returns the size of the backup file for `size` bytes of plain text. */
export const sealedSize = (size: number): number => HEADER + size + TAG * Math.max(1, Math.ceil(size / CHUNK))

/** Encrypts as a stream, with one chunk in memory. */
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

/** @throws ApiError if the file is no backup, is damaged or cut off, or the passphrase is wrong */
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

/** Normalizes to NFC, because systems encode the same typed letter in different ways. */
function deriveKey(passphrase: string, salt: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, 32 + CHECK, SCRYPT, (error, derived) => {
      if (error) reject(error)
      else resolve({ key: derived.subarray(0, 32), check: derived.subarray(32) })
    })
  })
}

// Without characters that look alike on paper.
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const GROUPS = 5
const OF_A_GROUP = 5

/** Returns a new key of 124 bits, short enough to type from paper. */
export const newSheetKey = (): string =>
  inGroups(Array.from({ length: GROUPS * OF_A_GROUP }, () => LETTERS[randomInt(LETTERS.length)]).join(''))

/**
 * Returns the key in the form on the sheet, however it was typed; undefined if it is no such key.
 */
function asOnSheet(typed: string): string | undefined {
  const letters = typed.toLowerCase().replace(/[\s-]/g, '')
  const isKey = letters.length === GROUPS * OF_A_GROUP && [...letters].every((letter) => LETTERS.includes(letter))
  return isKey ? inGroups(letters) : undefined
}

const inGroups = (letters: string): string => letters.match(/.{5}/g)?.join('-') ?? letters

const notABackup = () =>
  new ApiError(
    'backup_unreadable',
    'This file is not a backup of Kurir. Choose a file that Kurir made. Nothing was changed.',
  )

export const damaged = () =>
  new ApiError('backup_unreadable', 'This backup is damaged or not complete. Choose another one. Nothing was changed.')

const wrongPassphrase = () =>
  new ApiError('wrong_passphrase', 'The passphrase does not open this backup. Type it again. Nothing was changed.')

export const newer = () =>
  new ApiError(
    'backup_newer',
    'This backup was made by a newer Kurir. Update Kurir, then restore it. Nothing was changed.',
  )

export const fromDevelopment = () =>
  new ApiError(
    'backup_unreadable',
    'This backup was made by a development version of Kurir, before the first release. Choose another one. Nothing was changed.',
  )

export type Bytes = AsyncIterable<Uint8Array>

interface ByteReader {
  /** Resolves with the next `size` bytes, or fewer at the end of the source. */
  read(size: number): Promise<Buffer>
  atEnd(): Promise<boolean>
  /** Releases the source, which may not have ended. */
  close(): Promise<void>
}

function createByteReader(source: Bytes): ByteReader {
  const pieces = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  async function fill(size: number): Promise<void> {
    while (held.length < size) {
      const piece = await pieces.next()
      if (piece.done === true) return
      held = Buffer.concat([held, piece.value])
    }
  }

  return {
    async read(size) {
      await fill(size)
      const portion = held.subarray(0, size)
      held = held.subarray(portion.length)
      return portion
    },
    async atEnd() {
      await fill(1)
      return held.length === 0
    },
    async close() {
      await pieces.return?.()
    },
  }
}
