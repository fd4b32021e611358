import { open } from 'node:fs/promises'
import type { QueryResultRow } from 'pg'
import type { Bucket } from '../../lib/s3-bucket.ts'
import { isOfFiles, StorageError, type StorageProblem } from '../../lib/storage-error.ts'
import type { FileBytesStore, FileKeeper, UploadStore } from '../uploads.ts'
import { asStorageError } from './errors.ts'
import { checkBucket, createFileObjects } from './file-objects.ts'
import type { Query, Server } from './pool.ts'
import type { Context } from './sql.ts'

const IS_UNUSED = `NOT EXISTS (SELECT 1 FROM messages m WHERE m.file_id = files.id
  AND (m.next_at IS NOT NULL OR (m.status = 'failed' AND m.occurred_at > $2)))`

export function removingUploads({ write }: Context) {
  return {
    // Lock the row first, so that the next statement sees a message that is just being accepted
    // with the file.
    async remove(id) {
      await write((tx) => {
        void tx.run('SELECT 1 FROM files WHERE id = $1 FOR UPDATE', [id])
        return tx.run(
          'DELETE FROM files WHERE id = $1 AND id NOT IN (SELECT file_id FROM messages WHERE file_id = $1)',
          [id],
        )
      })
    },
    async removeUnused(now, again) {
      const removed = await write(async (tx) => {
        const found = await tx.query<{ id: string }>(
          `SELECT id FROM files WHERE expires_at <= $1 AND ${IS_UNUSED} ORDER BY id FOR UPDATE`,
          [now, now - again],
        )
        return tx.query<{ id: string }>(`DELETE FROM files WHERE id = ANY ($1::text[]) AND ${IS_UNUSED} RETURNING id`, [
          found.map(({ id }) => id),
          now - again,
        ])
      })
      return removed.map(({ id }) => id)
    },
  } satisfies Partial<UploadStore>
}

// A file may be larger than the memory that a node should use.
const CHUNK = 1024 * 1024

/** Keeps files in rows of a megabyte each. */
function createFileChunks(query: Query): FileKeeper {
  const remove = async (id: string): Promise<void> => {
    await query('DELETE FROM file_chunks WHERE file_id = $1', [id])
  }

  return {
    async save({ id }, path) {
      const file = await open(path, 'r')
      try {
        const buffer = Buffer.alloc(CHUNK)
        for (let number = 0; ; number += 1) {
          const { bytesRead } = await file.read(buffer, 0, CHUNK, number * CHUNK)
          if (bytesRead === 0) break
          await query('INSERT INTO file_chunks (file_id, number, bytes) VALUES ($1, $2, $3)', [
            id,
            number,
            buffer.subarray(0, bytesRead),
          ])
        }
      } catch (error) {
        await remove(id).catch(() => undefined)
        throw error
      } finally {
        await file.close()
      }
    },
    async load({ id, size }, path) {
      const file = await open(path, 'w', 0o600)
      try {
        let written = 0
        for (let number = 0; ; number += 1) {
          const [chunk] = await query<{ bytes: Buffer }>(
            'SELECT bytes FROM file_chunks WHERE file_id = $1 AND number = $2',
            [id, number],
          )
          if (chunk === undefined) break
          await file.writeFile(chunk.bytes)
          written += chunk.bytes.length
        }
        return written === size
      } finally {
        await file.close()
      }
    },
    remove,
    async removeUnused() {
      await query(
        `DELETE FROM file_chunks c WHERE at < now() - interval '1 hour'
           AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = c.file_id)`,
      )
    },
  }
}

/** Milliseconds until a failed store is checked again, because nobody may send a file for hours. */
const LOOKED_AT_AGAIN = 30_000

/**
 * Creates the store of files' bytes. New files are kept in the object store if there is one,
 * otherwise in the database; older files stay where they are.
 * @param place server and database, for errors
 * @param bucket null: all files are in the database
 * @param node name of this node
 */
export function createFileBytes(server: Server, place: string, bucket: Bucket | null, node: string): FileBytesStore {
  const query: Query = async <Row extends QueryResultRow>(sql: string, values?: unknown[]) => {
    try {
      return (await server.query<Row>(sql, values)).rows
    } catch (error) {
      throw asStorageError(error, place)
    }
  }
  const chunks = createFileChunks(query)
  const objects = bucket === null ? null : createFileObjects(query, watch(bucket))
  let problem: StorageProblem | null = null
  let looking: NodeJS.Timeout | undefined

  function works(): void {
    problem = null
    clearTimeout(looking)
  }

  function fails(error: unknown): void {
    if (isOfFiles(error)) problem = error.problem
    if (problem === null) return
    clearTimeout(looking)
    looking = setTimeout(() => checkFiles(server, bucket, node).then(works, fails), LOOKED_AT_AGAIN).unref()
  }

  async function watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      const value = await work()
      // This store works, but files that are elsewhere stay so until the check sees otherwise.
      if (problem !== 'objects_elsewhere') works()
      return value
    } catch (error) {
      fails(error)
      throw error
    }
  }

  function watch({ put, get, remove, ...others }: Bucket): Bucket {
    return {
      ...others,
      put: (name, content) => watched(() => put(name, content)),
      get: (name, mostBytes, take) => watched(() => get(name, mostBytes, take)),
      remove: (name) => watched(() => remove(name)),
    }
  }

  const load: FileKeeper['load'] = async (file, path) => {
    const [row] = await query<{ place: string }>('SELECT place FROM file_objects WHERE file_id = $1', [file.id])
    if (row === undefined) return chunks.load(file, path)
    if (objects !== null && row.place === bucket?.place) return objects.load(file, path)
    const error = new StorageError('objects_elsewhere', row.place)
    fails(error)
    throw error
  }

  return {
    save: (objects ?? chunks).save,
    load,
    async remove(id) {
      await chunks.remove(id)
      // The row in `file_objects` stays until the next sweep. Do not try now: each of many removals
      // would wait for a store that does not answer.
      if (problem !== null) return
      await objects?.remove(id).catch((error: unknown) => {
        if (!isOfFiles(error)) throw error
      })
    },
    async removeUnused() {
      await chunks.removeUnused()
      await objects?.removeUnused()
    },
    problem: () => problem,
    async close() {
      clearTimeout(looking)
      await bucket?.close()
    },
  }
}

/**
 * Checks that this node can read the files that messages need, and store new ones.
 * @throws StorageError
 */
export async function checkFiles(server: Server, bucket: Bucket | null, node: string): Promise<void> {
  const { rows } = await server.query<{ place: string }>(
    'SELECT place FROM file_objects o WHERE place <> $1 AND EXISTS (SELECT 1 FROM files f WHERE f.id = o.file_id) LIMIT 1',
    [bucket?.place ?? ''],
  )
  if (rows[0] !== undefined) throw new StorageError('objects_elsewhere', rows[0].place)
  if (bucket !== null) await checkBucket(bucket, node)
}
