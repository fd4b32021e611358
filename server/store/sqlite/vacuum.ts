import { asStorageError, StorageError } from '../../lib/storage-error.ts'
import type { Db } from './database.ts'
import type { SqliteMeta } from './meta.ts'

/**
 * Rewrites the file where a migration asked for it: what was deleted before `secure_delete` was on is still in free pages.
 * Needs room for a second file; without it the next start tries again.
 */
export function vacuumIfDue(db: Db, meta: Pick<SqliteMeta, 'read'>): void {
  if (meta.read('vacuum') === undefined) return
  try {
    db.exec('VACUUM')
    db.exec("DELETE FROM meta WHERE name = 'vacuum'")
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (!(asStorageError(error, db.name) instanceof StorageError)) throw error
  }
}
