import { existsSync, renameSync, rmSync } from 'node:fs'
import { StorageError } from '../../lib/storage-error.ts'
import type { Db } from './database.ts'

export interface Migration {
  /** Rises by one; kept in `user_version`. */
  version: number
  sql: string
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
  if (version > 0 && !existsSync(copy)) await copyTo(db, copy)
  for (const migration of migrations.filter((m) => m.version > version)) {
    db.transaction(() => {
      db.exec(migration.sql)
      db.pragma(`user_version = ${migration.version}`)
    }).immediate()
  }
}

/** A copy of that name is a whole one, also when an earlier start was cut off while it made it. */
async function copyTo(db: Db, file: string): Promise<void> {
  const part = `${file}.part`
  rmSync(part, { force: true })
  await db.backup(part)
  renameSync(part, file)
}
