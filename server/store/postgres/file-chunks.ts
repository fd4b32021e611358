import { open } from 'node:fs/promises'
import type { FileKeeper } from '../uploads.ts'
import type { Query } from './pool.ts'

// A file may be larger than what a node should have in memory.
const CHUNK = 1024 * 1024

/** Files in rows of a megabyte each. */
export function createFileChunks(query: Query): FileKeeper {
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
