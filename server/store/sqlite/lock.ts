import { join } from 'node:path'
import Database from 'better-sqlite3'
import { asStorageError, StorageError } from '../../lib/storage-error.ts'

/**
 * Holds the data folder for this process. A lock of SQLite is released by the operating system even
 * after `kill -9`, which a file with a process number is not.
 * @returns the release.
 * @throws StorageError `in_use`
 */
export function lockFolder(home: string): () => void {
  const file = join(home, 'kurir.lock')
  let db: Database.Database
  try {
    db = new Database(file, { timeout: 0 })
  } catch (error) {
    throw asStorageError(error, file)
  }
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw (error as { code?: string }).code?.startsWith('SQLITE_BUSY')
      ? new StorageError('in_use', home, error)
      : asStorageError(error, file)
  }
  return () => void db.close()
}
