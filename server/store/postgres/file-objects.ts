import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { freeBuffers } from '../../lib/heap.ts'
import type { Bucket, BucketOptions } from '../../lib/s3-bucket.ts'
import { StorageError } from '../../lib/storage-error.ts'
import type { FileKeeper } from '../uploads.ts'
import type { Query } from './pool.ts'

const FREE_EVERY = 4 * 1024 * 1024
/** Unused objects that are removed at the same time. */
const REMOVALS = 8

/** Loads the client of the object store only if one is used, to save memory. */
export async function loadBucket(options: BucketOptions): Promise<Bucket> {
  const { createBucket } = await import('../../lib/s3-bucket.ts')
  return createBucket(options)
}

/**
 * Tries every operation that files need.
 * @param node every node uses a test object of its own
 * @throws StorageError
 */
export async function checkBucket(bucket: Bucket, node: string): Promise<void> {
  const name = `kurir-probe-${node}`
  const bytes = Buffer.from(`${node} ${new Date().toISOString()}`)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await bucket.put(name, {
    size: bytes.length,
    sha256,
    async *read() {
      yield bytes
    },
  })
  const found = await bucket.get(name, bytes.length, (body) => Readable.from(body).toArray())
  if (found === undefined || !Buffer.concat(found).equals(bytes))
    throw new StorageError('objects_refused', `${bucket.place}: what was written is not what is read`)
  await bucket.remove(name)
  // Without the right to list, a missing object is answered with 403 in place of 404, and Kurir
  // would retry for ever.
  await bucket.get(`${name}-missing`, 0, async () => undefined)
}

/**
 * Keeps files as objects. The row of an object is written before it and removed after it, so that a
 * row names everything in the bucket whenever a node ends, and nobody has to list the bucket.
 */
export function createFileObjects(query: Query, bucket: Bucket): FileKeeper {
  async function remove(id: string): Promise<void> {
    await bucket.remove(id)
    await query('DELETE FROM file_objects WHERE file_id = $1', [id])
  }

  return {
    async save({ id, size, sha256 }, path) {
      await query('INSERT INTO file_objects (file_id, place) VALUES ($1, $2)', [id, bucket.place])
      // An upload that failed without an answer may still arrive; a later sweep removes it.
      await bucket.put(id, { size, sha256, read: () => bytesOf(path) })
    },
    async load({ id, size, sha256 }, path) {
      const received = await bucket.get(id, size, (body) => write(body, path))
      return received?.size === size && received.sha256 === sha256
    },
    async remove(id) {
      const rows = await query('SELECT 1 FROM file_objects WHERE file_id = $1 AND place = $2', [id, bucket.place])
      if (rows.length > 0) await remove(id)
    },
    async removeUnused() {
      const rows = await query<{ id: string }>(
        `SELECT file_id AS id FROM file_objects o WHERE place = $1 AND at < now() - interval '1 hour'
           AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = o.file_id)`,
        [bucket.place],
      )
      for (const some of batches(rows, REMOVALS)) await Promise.all(some.map(({ id }) => remove(id)))
    },
  }
}

function* batches<T>(rows: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
}

/** Passes chunks on, and frees their buffers, which keeps the process small. */
async function* freeing(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let passed = 0
  for await (const chunk of chunks) {
    yield chunk
    passed += chunk.length
    if (passed < FREE_EVERY) continue
    freeBuffers()
    passed = 0
  }
}

const bytesOf = (path: string): AsyncIterable<Buffer> => freeing(createReadStream(path) as AsyncIterable<Buffer>)

async function write(body: AsyncIterable<Buffer>, path: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'w', 0o600)
  try {
    for await (const chunk of freeing(body)) {
      hash.update(chunk)
      await file.writeFile(chunk)
      size += chunk.length
    }
  } finally {
    await file.close()
  }
  return { size, sha256: hash.digest('hex') }
}
