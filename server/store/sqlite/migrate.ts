import { existsSync } from 'node:fs'
import { StorageError } from '../../lib/storage-error.ts'
import type { Db } from './database.ts'

export interface Migration {
  /** Rises by one; kept in `user_version`. */
  version: number
  sql: string
  /** The same for PostgreSQL; its schema begins with the newest version that has none (postgres/schema.ts). */
  postgres?: string
}

/** The version of a file's schema; 0 for an empty one. */
export const versionOf = (db: Db): number => db.pragma('user_version', { simple: true }) as number

/**
 * Migrates a file to the newest version. Each step is one transaction; before the first one a copy of the file is made
 * beside it. A file from a newer version is refused and left alone.
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<void> {
  const version = versionOf(db)
  const newest = migrations.at(-1)?.version ?? 0
  if (version > newest) throw new StorageError('newer', db.name)
  if (version === newest) return
  const copy = `${db.name}.v${version}.bak`
  if (version > 0 && !existsSync(copy)) await db.backup(copy)
  for (const migration of migrations.filter((m) => m.version > version)) {
    db.transaction(() => {
      db.exec(migration.sql)
      db.pragma(`user_version = ${migration.version}`)
    }).immediate()
  }
}
