import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bucket, BucketOptions } from '../../lib/s3-bucket.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import { loadBucket } from '../postgres/file-objects.ts'
import { type Connection, placeOf } from '../postgres/pool.ts'
import { createFileBytes } from '../postgres/uploads.ts'
import type { FileSummary } from '../uploads.ts'

/** Folder of uploads' bytes in a data folder; see media/uploads.ts. */
const FILES = 'files'

/**
 * The bytes of uploads. One that is gone has a row without them, as before: its message says so
 * when its turn comes.
 */
async function copyFiles(
  files: readonly FileSummary[],
  home: string,
  copy: (file: FileSummary, path: string) => Promise<unknown>,
): Promise<void> {
  for (const file of files) {
    try {
      await copy(file, join(home, FILES, file.id))
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error
    }
  }
}

export async function copyFilesToServer(connection: Connection, url: string, home: string): Promise<void> {
  await copyFiles(await filesIn(connection), home, bytesOn(connection, url, null).save)
}

export async function copyFilesToFolder(connection: Connection, url: string, home: string, store?: BucketOptions) {
  mkdirSync(join(home, FILES), { recursive: true, mode: 0o700 })
  const bytes = bytesOn(connection, url, store === undefined ? null : await loadBucket(store))
  try {
    await copyFiles(await filesIn(connection), home, async (file, path) => {
      await bytes.load(file, path)
      await using copied = await open(path, 'r+')
      await copied.sync()
    })
    for (const folder of [join(home, FILES), home]) await syncFolder(folder)
  } finally {
    await bytes.close()
  }
}

const bytesOn = (connection: Connection, url: string, bucket: Bucket | null) =>
  createFileBytes({ query: (sql, values = []) => connection.query(sql, values) }, placeOf(url), bucket, 'migrate-to')

async function filesIn(connection: Connection): Promise<FileSummary[]> {
  return (await connection.query<FileSummary>('SELECT id, size, sha256 FROM files ORDER BY id')).rows
}
