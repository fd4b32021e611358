import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '../../lib/storage-error.ts'
import { renameFileNow, syncFolderNow } from '../../lib/sync-folder.ts'
import type { Migration } from '../statements.ts'
import type { Db } from './database.ts'

/** Id in the header of every file. Development versions before the first release wrote none. */
const APPLICATION_ID = Buffer.from('Kuri').readInt32BE()

/** Returns the version of a file's schema; 0 for an empty file. */
export const versionOf = (db: Db): number => db.pragma('user_version', { simple: true }) as number

/**
 * Migrates a file to the newest version. Each step is one transaction; the steps of a new file
 * share one. Makes a copy of an existing file before the first step.
 * @throws StorageError `newer`, `development`: the file was not changed
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<void> {
  const version = versionOf(db)
  const newest = migrations.at(-1)?.version ?? 0
  if (version > 0 && db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw new StorageError('development', db.name)
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
  const create = db.transaction(() => {
    db.pragma(`application_id = ${APPLICATION_ID}`)
    applyAll()
  })
  // One transaction, so that a new file waits for the disk once.
  if (version === 0) create.immediate()
  else applyAll()
}

/**
 * Copies to a temporary name and renames, so that a copy is complete even if an earlier start was
 * interrupted.
 */
async function copyTo(db: Db, file: string): Promise<void> {
  const part = `${file}.part`
  rmSync(part, { force: true })
  await db.backup(part)
  renameFileNow(part, file)
  syncFolderNow(dirname(file))
}
