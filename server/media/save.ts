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

export interface Source {
  body: AsyncIterable<Buffer>
  /** Names of the file, sanitised, best first. */
  names: readonly string[]
  /** Type as the server or the caller gave it; the content decides before it. */
  contentType: string | undefined
  /** Size as the server announced it, in bytes. */
  announced: number | undefined
  /** Called before a chunk is written; an error from it ends the file. */
  onChunk?: (bytes: number) => void | Promise<void>
}

/** Thrown if a file is empty or larger than WhatsApp accepts of its kind (`file`: unknown yet). */
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

// Enough to reach past the tag at the start of an MP3 and the first entries of an office file.
const HEAD_BYTES = 64 * 1024
const FREE_EVERY = 4 * 1024 * 1024

/**
 * @throws FileRefused if the size is too large for the type (undefined: not known yet)
 */
function refuseTooLarge(size: number, mimetype: string | undefined): void {
  const kind = mimetype === undefined ? 'file' : kindOf(mimetype)
  const cap = kind === 'file' ? LARGEST_FILE : CAPS[kind]
  if (size > cap) throw new FileRefused('too_large', kind, cap)
}

/**
 * Writes a stream to the file `path`, with one chunk in memory at a time. When this resolves, the
 * content is on disk; when it rejects, a part of the file may exist.
 * @throws FileRefused, and errors of the stream or the disk
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
