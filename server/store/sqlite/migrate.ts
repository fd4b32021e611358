import { existsSync, renameSync, rmSync } from 'node:fs'
import { StorageError } from '../../lib/storage-error.ts'
import type { Db } from './database.ts'

export interface Migration {
  /** Rises by one; kept in `user_version`. */
  version: number
  sql: string
  /** The same for PostgreSQL; its schema begins with the newest version that has none (postgres/schema.ts). */
  postgres?: string
  /**
   * Nodes on PostgreSQL are upgraded one after the other: only programs that know this version can work with what the migration leaves.
   * Absent: every program that could before. Its own number: nodes of the version before must all be gone.
   */
  needs?: number
}

/** The version of a file's schema; 0 for an empty one. */
export const versionOf = (db: Db): number => db.pragma('user_version', { simple: true }) as number

/**
 * Migrates a file to the newest version. Each step is one transaction, of a new file all together; before the first one a copy of the file is made
 * beside it. A file from a newer version is refused and left alone.
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<void> {
  const version = versionOf(db)
  const newest = migrations.at(-1)?.version ?? 0
  if (version > newest) throw new StorageError('newer', db.name)
  if (version === newest) return
  const copy = `${db.name}.v${version}.bak`
  if (version > 0 && !existsSync(copy)) await copyTo(db, copy)
  const apply = db.transaction(({ sql, version: to }: Migration) => {
    db.exec(sql)
    db.pragma(`user_version = ${to}`)
  })
  const applyAll = () => {
    for (const migration of migrations) if (migration.version > version) apply.immediate(migration)
  }
  // A new file waits for the disk once.
  if (version === 0) db.transaction(applyAll).immediate()
  else applyAll()
}

/** A copy of that name is a whole one, also when an earlier start was cut off while it made it. */
async function copyTo(db: Db, file: string): Promise<void> {
  const part = `${file}.part`
  rmSync(part, { force: true })
  await db.backup(part)
  renameSync(part, file)
}
