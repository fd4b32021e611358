import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '../../lib/storage-error.ts'
import { renameFileNow, syncFolderNow } from '../../lib/sync-folder.ts'
import type { Migration } from '../statements.ts'
import type { Db } from './database.ts'

/** In the header of every file. Development versions before the first release wrote none. */
const APPLICATION_ID = Buffer.from('Kuri').readInt32BE()

/** The version of a file's schema; 0 for an empty one. */
export const versionOf = (db: Db): number => db.pragma('user_version', { simple: true }) as number

/**
 * Migrates a file to the newest version. Each step is one transaction, of a new file all together;
 * before the first one a copy of the file is made beside it.
 * @throws StorageError `newer`, `development`: the file is left alone
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
  // A new file waits for the disk once.
  if (version === 0) create.immediate()
  else applyAll()
}

/** A copy of that name is a whole one, also when an earlier start was cut off while it made it. */
async function copyTo(db: Db, file: string): Promise<void> {
  const part = `${file}.part`
  rmSync(part, { force: true })
  await db.backup(part)
  renameFileNow(part, file)
  syncFolderNow(dirname(file))
}
