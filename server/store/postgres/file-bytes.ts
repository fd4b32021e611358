import type { QueryResultRow } from 'pg'
import type { Bucket } from '../../lib/s3-bucket.ts'
import { isOfFiles, StorageError, type StorageProblem } from '../../lib/storage-error.ts'
import type { FileBytesStore, FileKeeper } from '../file-bytes.ts'
import { asStorageError } from './errors.ts'
import { createFileChunks } from './file-chunks.ts'
import { createFileObjects } from './file-objects.ts'
import type { Pool, Query } from './pool.ts'

/** Nobody may send a file for hours: a store that failed is looked at again. Milliseconds. */
const LOOKED_AT_AGAIN = 30_000

/**
 * Where the bytes of files are: a new one goes to the object store where there is one, otherwise into the database; older
 * ones stay where they are. @param check looks whether the object store works
 */
export function createFileBytes(
  server: Pick<Pool, 'query'>,
  place: string,
  bucket: Bucket | null,
  check: () => Promise<void> = async () => {},
): FileBytesStore {
  const query: Query = async <Row extends QueryResultRow>(sql: string, values?: unknown[]) => {
    try {
      return (await server.query<Row>(sql, values)).rows
    } catch (error) {
      throw asStorageError(error, place)
    }
  }
  const chunks = createFileChunks(query)
  const objects = bucket === null ? null : createFileObjects(query, bucket)
  let problem: StorageProblem | null = null
  let lookAgain: NodeJS.Timeout | undefined

  async function watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      const value = await work()
      problem = null
      return value
    } catch (error) {
      if (isOfFiles(error)) {
        problem = error.problem
        clearTimeout(lookAgain)
        lookAgain = setTimeout(() => watched(check).catch(() => undefined), LOOKED_AT_AGAIN).unref()
      }
      throw error
    }
  }

  async function load(...[file, path]: Parameters<FileKeeper['load']>): Promise<boolean> {
    const [row] = await query<{ place: string }>('SELECT place FROM file_objects WHERE file_id = $1', [file.id])
    if (row === undefined) return chunks.load(file, path)
    if (objects === null || row.place !== bucket?.place) throw new StorageError('objects_elsewhere', row.place)
    return objects.load(file, path)
  }

  return {
    save: (file, path) => watched(() => (objects ?? chunks).save(file, path)),
    load: (file, path) => watched(() => load(file, path)),
    async remove(id) {
      await chunks.remove(id)
      await watched(async () => objects?.remove(id)).catch((error: unknown) => {
        // Its row stays until the next sweep.
        if (!isOfFiles(error)) throw error
      })
    },
    async removeUnused() {
      await chunks.removeUnused()
      await watched(async () => objects?.removeUnused())
    },
    problem: () => problem,
    async close() {
      clearTimeout(lookAgain)
      await bucket?.close()
    },
  }
}

/** @throws StorageError: files that messages need are where this node would not look */
export async function assertSamePlace(server: Pick<Pool, 'query'>, bucket: Bucket | null): Promise<void> {
  const { rows } = await server.query<{ place: string }>(
    `SELECT place FROM file_objects o WHERE place <> $1 AND EXISTS (SELECT 1 FROM files f WHERE f.id = o.file_id) LIMIT 1`,
    [bucket?.place ?? ''],
  )
  if (rows[0] !== undefined) throw new StorageError('objects_elsewhere', rows[0].place)
}
