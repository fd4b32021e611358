import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type ByteReader, type Bytes, createByteReader } from '../../lib/byte-reader.ts'
import { damaged } from './errors.ts'

const PORTION = 1024 * 1024
/** Files of messages that a backup takes: as many as their names fit into the contents. */
export const MOST_FILES = 20_000
const LONGEST_CONTENTS = 4 * 1024 * 1024

export const DATABASES = ['kurir.db', 'sessions.db'] as const

/**
 * Plain text of a backup: the length of this JSON (4 bytes), this, then the files one after
 * another: both databases, then files that messages wait with.
 */
const contents = z.object({
  kurir_version: z.string(),
  created_at: z.iso.datetime(),
  /** Seals the secrets in the files. */
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
 * Writes the files into `folder`, and resolves when they are on disk.
 * @param kept what is written; the others are only read
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
