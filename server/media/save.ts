import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { freeBuffers } from '../lib/heap.ts'
import { fileNameFor } from './file-name.ts'
import { CAPS, decideType, kindOf, LARGEST_FILE, type MediaKind } from './kind.ts'

/** A complete file on disk. */
export interface MediaFile {
  path: string
  kind: MediaKind
  mimetype: string
  /** Name that the recipient sees; never a path. */
  fileName: string
  /** Bytes. */
  size: number
  sha256: string
}

/** Source of a file's bytes. */
export interface Source {
  body: AsyncIterable<Buffer>
  /** Names that it was given, best first, sanitised. */
  names: readonly string[]
  /** As its sender names the type; the content is believed first. */
  contentType: string | undefined
  /** The size that its sender names. Bytes. */
  announced: number | undefined
  /** Called before a chunk is written. What it throws ends the file. */
  onChunk?: (bytes: number) => void | Promise<void>
}

/** The file is empty, or larger than WhatsApp takes of its kind (`file`: not known yet). */
export class FileRefused extends Error {
  readonly reason: 'empty' | 'too_large'
  readonly kind: MediaKind | 'file'
  /** Bytes. */
  readonly cap: number

  constructor(reason: 'empty' | 'too_large', kind: MediaKind | 'file', cap: number) {
    super(reason)
    this.reason = reason
    this.kind = kind
    this.cap = cap
  }
}

// Enough to see past the tag at the start of an MP3 and into the first entries of an office file.
const HEAD_BYTES = 64 * 1024
const FREE_EVERY = 4 * 1024 * 1024

/**
 * @throws FileRefused where a file of this size and type (undefined: not known yet) is too large
 */
function refuseTooLarge(size: number, mimetype: string | undefined): void {
  const kind = mimetype === undefined ? 'file' : kindOf(mimetype)
  const cap = kind === 'file' ? LARGEST_FILE : CAPS[kind]
  if (size > cap) throw new FileRefused('too_large', kind, cap)
}

/**
 * Writes a stream to the file `path`, one chunk in memory at a time; its content is on disk when
 * this resolves. The file may be there in part when it rejects: with FileRefused, or with the error
 * of the stream or of the disk.
 */
export async function saveFile(source: Source, path: string): Promise<MediaFile> {
  const { body, names, contentType, announced = 0, onChunk } = source
  const hash = createHash('sha256')
  const head: Buffer[] = []
  let mimetype: string | undefined
  let size = 0
  let freeAt = FREE_EVERY
  const file = await open(path, 'w', 0o600)
  try {
    refuseTooLarge(announced, undefined)
    for await (const chunk of body) {
      size += chunk.length
      if (mimetype === undefined) head.push(chunk)
      if (mimetype === undefined && size >= HEAD_BYTES) {
        mimetype = await decideType(Buffer.concat(head), contentType, names)
      }
      refuseTooLarge(Math.max(size, announced), mimetype)
      await onChunk?.(chunk.length)
      hash.update(chunk)
      await file.writeFile(chunk)
      if (size >= freeAt) {
        freeBuffers()
        freeAt = size + FREE_EVERY
      }
    }
    if (size === 0) throw new FileRefused('empty', 'file', 0)
    mimetype ??= await decideType(Buffer.concat(head), contentType, names)
    refuseTooLarge(size, mimetype)
    await file.sync()
  } finally {
    await file.close()
  }
  const kind = kindOf(mimetype)
  return { path, kind, mimetype, fileName: fileNameFor(names[0], mimetype, kind), size, sha256: hash.digest('hex') }
}
