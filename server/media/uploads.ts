import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Clock, DAY, HOUR } from '../lib/clock.ts'
import { createPlaces } from '../lib/places.ts'
import { renameFile, syncFolder, whenFree } from '../lib/sync-folder.ts'
import { MediaFailure } from './fetch.ts'
import { sanitise } from './file-name.ts'
import { type MediaFile, saveFile } from './save.ts'
import { createUploadRoom } from './upload-room.ts'

interface FileSummary {
  id: string
  size: number
  sha256: string
}

/** Row of an uploaded file. Times are milliseconds since 1970. */
export interface UploadRow extends FileSummary {
  kind: MediaFile['kind']
  mimetype: string
  /** Number of the API key that uploaded the file; null: the owner. */
  keyNumber: number | null
  name: string
  createdAt: number
  expiresAt: number
}

/** The rows of files, as the store keeps them. */
export interface UploadRows {
  add(row: UploadRow): Promise<void>
  get(id: string): Promise<UploadRow | undefined>
  list(): Promise<UploadRow[]>
  unusedBytes(keyNumber: number, least: number): Promise<number>
  remove(id: string): Promise<void>
  removeUnused(now: number, again: number): Promise<string[]>
}

/** The bytes of files where several nodes need them, as the store keeps them. */
export interface SharedBytes {
  save(file: FileSummary, path: string): Promise<void>
  /** Writes the bytes to `path`; resolves with false if some are missing. */
  load(file: FileSummary, path: string): Promise<boolean>
  remove(id: string): Promise<void>
  removeUnused(): Promise<void>
}

export interface NewUpload {
  content: AsyncIterable<Buffer>
  /** Name as the caller wrote it, before it is sanitised. */
  name: string | undefined
  contentType: string | undefined
  keyNumber: number | null
  /** How long the file is kept without a message, in milliseconds. */
  keptFor: number
}

export type Uploads = ReturnType<typeof createUploads>

export interface UploadDeps {
  /** Must be used by nothing else; created if it is missing. */
  folder: string
  rows: UploadRows
  /** Null: the bytes are in the folder alone. Otherwise the folder is only a cache of them. */
  shared: SharedBytes | null
  /** Returns the space that the owner allows, in bytes. */
  quota: () => number
  newId: () => string
  /** Time by which files expire: now, or shortly after a start, when Kurir was last open. */
  endTime: () => number
  clock: Clock
}

/** How long a file from POST /files is kept without a message. */
export const STORED_FOR = DAY
/** How long a file that came with its message is kept; the message is stored right after it. */
export const SENT_ALONG_FOR = HOUR
// The file of a failed message is kept over a weekend, because the owner may send it again.
const FAILED_FOR = 3 * DAY
const PART = '.part'
// Simultaneous uploads of one key. Each holds a file and a connection open, however slow it is. No
// shop program uploads so many at once.
const MOST_AT_ONCE = 8
const MOST_WAITING = 256

/** Creates the store of uploaded files: the bytes in a folder, named by id, and a row for each. */
export function createUploads({ folder, rows, shared, quota, newId, endTime, clock }: UploadDeps) {
  const room = createUploadRoom(quota, rows.unusedBytes, sweep)
  /** Names in the folder that have no row yet. */
  const incoming = new Set<string>()
  const places = createPlaces<NewUpload['keyNumber']>(() => MOST_AT_ONCE, MOST_WAITING)
  const loading = new Map<string, Promise<void>>()
  const pathOf = (name: string): string => join(folder, name)
  /** Removes a file; leaves a file that another program holds open to the next start. */
  const removeHere = (name: string): Promise<void> =>
    whenFree(() => rm(pathOf(name), { force: true, recursive: true })).catch(() => undefined)

  async function forget(id: string, size: number): Promise<void> {
    await shared?.remove(id)
    await removeHere(id)
    room.free(size)
  }

  const sizesInRows = async () => new Map((await rows.list()).map(({ id, size }) => [id, size]))

  /** Removes all unused files. */
  async function sweep(): Promise<void> {
    const sizes = await sizesInRows()
    for (const id of await rows.removeUnused(endTime(), FAILED_FOR)) await forget(id, sizes.get(id) ?? 0)
    if (shared === null) return
    await followOthers()
    await shared.removeUnused()
  }

  /** Takes over the changes of other nodes: counts their files, and removes those they removed. */
  async function followOthers(): Promise<void> {
    const sizes = await sizesInRows()
    room.recount(sizes.values())
    for (const name of await readdir(folder)) {
      if (sizes.has(name) || incoming.has(name)) continue
      // The file may have come after the rows were read.
      if ((await rows.get(name)) === undefined) await removeHere(name)
    }
  }

  /** Resolves with the size of a file in this folder; -1: it is not here. */
  const sizeHere = (id: string): Promise<number> =>
    stat(pathOf(id))
      .then(({ size }) => size)
      .catch(() => -1)

  /** Loads shared bytes. Calls for a file that is already loading share one load. */
  function fetchShared(from: SharedBytes, row: UploadRow): Promise<void> {
    const fetching = loading.get(row.id) ?? fetchOnce(from, row).finally(() => loading.delete(row.id))
    loading.set(row.id, fetching)
    return fetching
  }

  async function fetchOnce(from: SharedBytes, row: UploadRow): Promise<void> {
    const part = `${row.id}.${newId()}${PART}`
    incoming.add(part)
    try {
      if (await from.load(row, pathOf(part))) await renameFile(pathOf(part), pathOf(row.id))
    } finally {
      incoming.delete(part)
      await removeHere(part)
    }
  }

  async function makeFolder(): Promise<void> {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (made !== undefined) await syncFolder(dirname(folder))
  }

  /** Writes the bytes; resolves when they are complete and on disk under their final name. */
  async function write(id: string, { content, contentType, name, keyNumber }: NewUpload): Promise<MediaFile> {
    const part = `${id}${PART}`
    const claim = room.begin(keyNumber)
    try {
      await makeFolder()
      const names = [sanitise(name ?? '')].filter((each) => each !== '')
      const source = { body: content, names, contentType, announced: undefined, onChunk: claim.take }
      const file = await saveFile(source, pathOf(part))
      await renameFile(pathOf(part), pathOf(id))
      await syncFolder(folder)
      await shared?.save({ id, size: file.size, sha256: file.sha256 }, pathOf(id))
      claim.arrived()
      return file
    } catch (error) {
      claim.giveBack()
      await removeHere(part)
      await removeHere(id)
      throw error
    }
  }

  async function storeNow(upload: NewUpload): Promise<UploadRow> {
    const { keyNumber, keptFor } = upload
    const id = newId()
    const names = [id, `${id}${PART}`]
    for (const name of names) incoming.add(name)
    try {
      const { fileName, path: _path, ...file } = await write(id, upload)
      const createdAt = clock.now()
      const row = { ...file, id, keyNumber, name: fileName, createdAt, expiresAt: createdAt + keptFor }
      await rows.add(row).catch(async (error: unknown) => {
        await forget(id, row.size)
        throw error
      })
      return row
    } finally {
      for (const name of names) incoming.delete(name)
    }
  }

  return {
    /**
     * Streams a file to the disk. When this resolves, the file and its row are on disk; when it
     * rejects, neither exists.
     * @throws FileRefused, TooManyWaiting, ApiError `storage_full`
     */
    store: (upload: NewUpload): Promise<UploadRow> => places.run(upload.keyNumber, () => storeNow(upload)),
    get: rows.get,
    /** Resolves with a file for its message. @throws MediaFailure */
    async take(id: string): Promise<MediaFile> {
      const row = await rows.get(id)
      if (row !== undefined && shared !== null && (await sizeHere(id)) !== row.size) await fetchShared(shared, row)
      const size = await sizeHere(id)
      if (row === undefined || size !== row.size) {
        throw new MediaFailure('media_gone', 'The file that was sent along is no longer on this PC.')
      }
      const { kind, mimetype, name, sha256 } = row
      return { path: pathOf(id), kind, mimetype, fileName: name, size, sha256 }
    },
    /** Removes a file unless a message has it. */
    async discard(id: string): Promise<void> {
      const row = await rows.get(id)
      await rows.remove(id)
      if (row !== undefined && (await rows.get(id)) === undefined) await forget(id, row.size)
    },
    sweep,
    /** Removes incomplete files and rows that a crash left. Once, at start. */
    async settle(): Promise<void> {
      await makeFolder()
      if (shared !== null) return followOthers()
      const sizes = new Map<string, number>()
      for (const name of await readdir(folder)) sizes.set(name, (await stat(pathOf(name))).size)
      const kept: number[] = []
      for (const { id, size } of await rows.list()) {
        // A row without all its bytes is useless. If a message has the file, it fails in its turn
        // with that reason.
        if (sizes.get(id) !== size) await rows.remove(id)
        else {
          kept.push(size)
          sizes.delete(id)
        }
      }
      room.recount(kept)
      for (const name of sizes.keys()) await removeHere(name)
      return undefined
    },
    /** Returns the bytes of all files, incoming ones included. */
    used: room.used,
  }
}
