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
  unusedBytes(keyNumber: number, least: number): Promise<number>
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

export type Uploads = ReturnType<typeof createUploads>

export interface UploadDeps {
  /** Used by nothing else; created when it is missing. */
  folder: string
  rows: UploadRows
  /** Null: the bytes are in the folder alone. Otherwise that only spares loading them again. */
  shared: SharedBytes | null
  /** Bytes. */
  quota: () => number
  newId: () => string
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime: () => number
  clock: Clock
}

/** How long a file that came by POST /files waits for its first message. */
export const STORED_FOR = DAY
/** The same of one that came with its message, which is written right after it. */
export const SENT_ALONG_FOR = HOUR
// The owner may send a failed message again, after a weekend too.
const FAILED_FOR = 3 * DAY
const PART = '.part'
// Files of one key at a time. Each has a file and a connection open, however slowly it comes; no
// till sends as many at once.
const MOST_AT_ONCE = 8
const MOST_WAITING = 256

/** Files that callers send along: the bytes in a folder under the file's id, a row for each. */
export function createUploads({ folder, rows, shared, quota, newId, endTime, clock }: UploadDeps) {
  const room = createUploadRoom(quota, rows.unusedBytes, sweep)
  /** Names in the folder that have no row yet. */
  const incoming = new Set<string>()
  const places = createPlaces<NewUpload['keyNumber']>(() => MOST_AT_ONCE, MOST_WAITING)
  const loading = new Map<string, Promise<void>>()
  const pathOf = (name: string): string => join(folder, name)
  /** Leaves what another program holds to the next start. */
  const removeHere = (name: string): Promise<void> =>
    whenFree(() => rm(pathOf(name), { force: true, recursive: true })).catch(() => undefined)

  async function forget(id: string, size: number): Promise<void> {
    await shared?.remove(id)
    await removeHere(id)
    room.free(size)
  }

  const sizesInRows = async () => new Map((await rows.list()).map(({ id, size }) => [id, size]))

  /** Removes what nothing needs any more. */
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
    room.recount(sizes.values())
    for (const name of await readdir(folder)) {
      if (sizes.has(name) || incoming.has(name)) continue
      // One that came meanwhile may be needed.
      if ((await rows.get(name)) === undefined) await removeHere(name)
    }
  }

  /** Resolves with its size in this folder; -1: it is not here. */
  const sizeHere = (id: string): Promise<number> =>
    stat(pathOf(id))
      .then(({ size }) => size)
      .catch(() => -1)

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

  /** The bytes, complete and on disk under their final name. */
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
     * Streams a file to the disk; it and its row are there for good when this resolves, and neither
     * is when it rejects.
     * @throws FileRefused, TooManyWaiting, ApiError `storage_full`
     */
    store: (upload: NewUpload): Promise<UploadRow> => places.run(upload.keyNumber, () => storeNow(upload)),
    get: rows.get,
    /** The file for its message. @throws MediaFailure */
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
    /** Removes one that no message has. */
    async discard(id: string): Promise<void> {
      const row = await rows.get(id)
      await rows.remove(id)
      if (row !== undefined && (await rows.get(id)) === undefined) await forget(id, row.size)
    },
    sweep,
    /** Once, at start: what a crash left in the middle is removed. */
    async settle(): Promise<void> {
      await makeFolder()
      if (shared !== null) return followOthers()
      const sizes = new Map<string, number>()
      for (const name of await readdir(folder)) sizes.set(name, (await stat(pathOf(name))).size)
      const kept: number[] = []
      for (const { id, size } of await rows.list()) {
        // A row whose bytes are not all there is useless; a message that has it says so when its
        // turn comes.
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
    /** Bytes of all of them, with those that are coming in. */
    used: room.used,
  }
}
