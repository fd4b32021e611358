import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '../contract/errors.ts'
import type { Clock } from '../lib/clock.ts'
import { createPlaces } from '../lib/places.ts'
import { syncFolder } from '../lib/sync-folder.ts'
import { DAY, HOUR } from '../lib/time.ts'
import { TooManyWaiting } from '../lib/turns.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { MediaFailure } from './failure.ts'
import { sanitise } from './file-name.ts'
import { FileRefused, type MediaFile, saveFile } from './save.ts'

/** Summary of a file's bytes. */
interface FileSummary {
  id: string
  size: number
  sha256: string
}

/** Row of a file that was sent along. Times are milliseconds since 1970. */
export interface UploadRow extends FileSummary {
  kind: MediaFile['kind']
  mimetype: string
  /** Number of the API key that sent it; null: the owner. */
  keyNumber: number | null
  name: string
  createdAt: number
  expiresAt: number
}

/** Rows of files; see the store. */
export interface UploadRows {
  add(row: UploadRow): Promise<void>
  get(id: string): Promise<UploadRow | undefined>
  list(): Promise<UploadRow[]>
  unusedBytes(keyNumber: number): Promise<number>
  remove(id: string): Promise<void>
  removeUnused(now: number, again: number): Promise<string[]>
}

/** The bytes of files where several programs need them; see the store. */
export interface SharedBytes {
  save(file: FileSummary, path: string): Promise<void>
  /** Resolves with whether all of it is there. */
  load(file: FileSummary, path: string): Promise<boolean>
  remove(id: string): Promise<void>
  removeUnused(): Promise<void>
}

export interface NewUpload {
  content: AsyncIterable<Buffer>
  /** Name that the recipient sees: anything that a caller may write. */
  name: string | undefined
  contentType: string | undefined
  keyNumber: number | null
  /** How long it waits for a message, in milliseconds. */
  keptFor: number
}

export interface Uploads {
  /**
   * Streams a file to the disk; it and its row are there for good when this resolves, and neither
   * is when it rejects.
   * @throws ApiError `invalid_request`, `payload_too_large`, `storage_full`, `rate_limited`
   */
  store(upload: NewUpload): Promise<UploadRow>
  get(id: string): Promise<UploadRow | undefined>
  /** The file for its message. @throws MediaFailure */
  take(id: string): Promise<MediaFile>
  /** Removes one that no message has. */
  discard(id: string): Promise<void>
  /** Removes what nothing needs any more. */
  sweep(): Promise<void>
  /** Once, at start: what a crash left in the middle is removed. */
  settle(): Promise<void>
  /** Bytes of all of them, with those that are coming in. */
  used(): number
}

export interface UploadDeps {
  /** Used by nothing else; created when it is missing. */
  folder: string
  rows: UploadRows
  /**
   * Null: the folder is the only place for the bytes. Otherwise it only spares loading them again.
   */
  shared: SharedBytes | null
  /** Bytes. */
  quota: () => number
  newId: () => string
  /** By which time what nobody could act on ends. */
  endTime: () => number
  clock: Clock
}

/** How long a file that came by POST /files waits for its first message. */
export const STORED_FOR = DAY
/**
 * How long one that came with its message is kept beside it: the message is written right after it.
 */
export const SENT_ALONG_FOR = HOUR
// The owner may send a failed message again, after a weekend too.
const FAILED_FOR = 3 * DAY
const PART = '.part'
// Last part of all room: a key gets more of it only while its files, of which no message is
// waiting, take no more than what is left. However many keys there are, they cannot fill it.
const KEPT_FOR_OTHERS = 0.25
// Files of one key at a time. Each has a file and a connection open, however slowly it comes; no
// till sends as many at once.
const MOST_AT_ONCE = 8
const MOST_WAITING = 256

/** Files that callers send along: the bytes in a folder under the file's id, a row for each. */
export function createUploads({ folder, rows, shared, quota, newId, endTime, clock }: UploadDeps): Uploads {
  let used = 0
  /** Bytes of files that have no row yet. */
  let arriving = 0
  /** The same of each API key. */
  const arrivingOf = new Map<number | null, number>()
  /** Names in the folder that have no row yet. */
  const incoming = new Set<string>()
  /** By the number of the key. */
  const places = createPlaces<number | null>(() => MOST_AT_ONCE, MOST_WAITING)
  const loading = new Map<string, Promise<void>>()
  const pathOf = (id: string): string => join(folder, id)

  async function forget(id: string, size: number): Promise<void> {
    await shared?.remove(id)
    await rm(pathOf(id), { force: true })
    used -= size
  }

  const sizesInRows = async () => new Map((await rows.list()).map(({ id, size }) => [id, size]))

  async function sweep(): Promise<void> {
    const sizes = await sizesInRows()
    for (const id of await rows.removeUnused(endTime(), FAILED_FOR)) await forget(id, sizes.get(id) ?? 0)
    if (shared === null) return
    await followOthers()
    await shared.removeUnused()
  }

  /** Reads what other programs stored and removed. */
  async function followOthers(): Promise<void> {
    const sizes = await sizesInRows()
    used = [...sizes.values()].reduce((sum, size) => sum + size, arriving)
    for (const name of await readdir(folder)) {
      if (sizes.has(name) || incoming.has(name)) continue
      // One that came meanwhile may be needed.
      if ((await rows.get(name)) === undefined) await rm(join(folder, name), { force: true, recursive: true })
    }
  }

  /** Resolves with its size in this folder; -1: it is not here. */
  async function sizeHere(id: string): Promise<number> {
    try {
      return (await stat(pathOf(id))).size
    } catch {
      return -1
    }
  }

  /** One that takes long is asked for again meanwhile. */
  function fetchShared(from: SharedBytes, row: UploadRow): Promise<void> {
    const fetching = loading.get(row.id) ?? fetchOnce(from, row).finally(() => loading.delete(row.id))
    loading.set(row.id, fetching)
    return fetching
  }

  async function fetchOnce(from: SharedBytes, row: UploadRow): Promise<void> {
    const part = `${row.id}.${newId()}${PART}`
    incoming.add(part)
    try {
      if (await from.load(row, join(folder, part))) await rename(join(folder, part), pathOf(row.id))
    } finally {
      incoming.delete(part)
      await rm(join(folder, part), { force: true })
    }
  }

  async function reserve(bytes: number): Promise<void> {
    if (used + bytes > quota()) await sweep()
    if (used + bytes > quota()) throw storageFull('The room that the owner allows for files is used up.')
    used += bytes
  }

  async function makeFolder(): Promise<void> {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (made !== undefined) await syncFolder(dirname(folder))
  }

  /** One key must not take all the room with files that it never sends. The owner may. */
  async function leaveRoom(keyNumber: number | null, unused: () => Promise<number>): Promise<void> {
    if (keyNumber === null || used <= quota() * (1 - KEPT_FOR_OTHERS)) return
    if ((await unused()) + (arrivingOf.get(keyNumber) ?? 0) > quota() - used)
      throw storageFull('Files of this key that no message waits with take too much of the room.')
  }

  /** The bytes, complete and on disk under their final name. */
  async function write(id: string, { content, contentType, name, keyNumber }: NewUpload): Promise<MediaFile> {
    const part = `${pathOf(id)}${PART}`
    let reserved = 0
    const arrive = (bytes: number) => {
      arriving += bytes
      const ofKey = (arrivingOf.get(keyNumber) ?? 0) + bytes
      if (ofKey === 0) arrivingOf.delete(keyNumber)
      else arrivingOf.set(keyNumber, ofKey)
    }
    let unused: Promise<number> | undefined
    try {
      await makeFolder()
      const names = [sanitise(name ?? '')].filter((each) => each !== '')
      const onChunk = async (bytes: number) => {
        await reserve(bytes)
        reserved += bytes
        arrive(bytes)
        await leaveRoom(keyNumber, () => {
          unused ??= rows.unusedBytes(keyNumber ?? 0)
          return unused
        })
      }
      const file = await saveFile({ body: content, names, contentType, announced: undefined, onChunk }, part)
      await rename(part, pathOf(id))
      await syncFolder(folder)
      await shared?.save({ id, size: file.size, sha256: file.sha256 }, pathOf(id))
      arrive(-reserved)
      return { ...file, path: pathOf(id) }
    } catch (error) {
      used -= reserved
      arrive(-reserved)
      await rm(part, { force: true })
      await rm(pathOf(id), { force: true })
      throw refusal(error)
    }
  }

  async function storeNow(upload: NewUpload): Promise<UploadRow> {
    const id = newId()
    const names = [id, `${id}${PART}`]
    for (const name of names) incoming.add(name)
    try {
      const { fileName, path: _path, ...file } = await write(id, upload)
      const createdAt = clock.now()
      const { keyNumber, keptFor } = upload
      const row = { ...file, id, keyNumber, name: fileName, createdAt, expiresAt: createdAt + keptFor }
      try {
        await rows.add(row)
      } catch (error) {
        await forget(id, row.size)
        throw error
      }
      return row
    } finally {
      for (const name of names) incoming.delete(name)
    }
  }

  return {
    async store(upload) {
      try {
        return await places.run(upload.keyNumber, () => storeNow(upload))
      } catch (error) {
        throw error instanceof TooManyWaiting ? tooManyUploads() : error
      }
    },
    get: rows.get,
    async take(id) {
      const row = await rows.get(id)
      const path = pathOf(id)
      if (row !== undefined && shared !== null && (await sizeHere(id)) !== row.size) await fetchShared(shared, row)
      const size = await sizeHere(id)
      if (row === undefined || size !== row.size) {
        throw new MediaFailure('media_gone', 'The file that was sent along is no longer on this PC.')
      }
      const { kind, mimetype, name, sha256 } = row
      return { path, kind, mimetype, fileName: name, size, sha256 }
    },
    async discard(id) {
      const row = await rows.get(id)
      await rows.remove(id)
      if (row !== undefined && (await rows.get(id)) === undefined) await forget(id, row.size)
    },
    sweep,
    async settle() {
      await makeFolder()
      if (shared !== null) return followOthers()
      const sizes = new Map<string, number>()
      for (const name of await readdir(folder)) sizes.set(name, (await stat(join(folder, name))).size)
      for (const { id, size } of await rows.list()) {
        // A row whose bytes are not all there is useless; a message that has it says so when its
        // turn comes.
        if (sizes.get(id) !== size) await rows.remove(id)
        else {
          used += size
          sizes.delete(id)
        }
      }
      for (const name of sizes.keys()) await rm(join(folder, name), { force: true, recursive: true })
      return undefined
    },
    used: () => used,
  }
}

const tooManyUploads = (): ApiError =>
  new ApiError('rate_limited', 'Too many files are on their way from this key at once. Wait for some answers first.', {
    retry_after: 1,
  })

const storageFull = (what: string): ApiError =>
  new ApiError('storage_full', `${what} Nothing was accepted; files that are sent make room.`, { retry_after: 60 })

/** Turns a fault into an error for the caller where it concerns one. */
function refusal(error: unknown): unknown {
  if (error instanceof FileRefused) {
    if (error.reason === 'empty') return invalidRequest([fieldProblem('file', 'empty')])
    const what = error.kind === 'file' ? 'A file' : `A file of the kind ${error.kind}`
    return new ApiError('payload_too_large', `${what} may have ${error.cap / 1024 / 1024} MB. Nothing was accepted.`)
  }
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOSPC' || code === 'EDQUOT' ? storageFull('The disk is full.') : error
}
