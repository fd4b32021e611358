import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../server/store/sqlite/database.ts'
import { migrate } from '../../server/store/sqlite/migrate.ts'
import { migrations, sessionMigrations } from '../../server/store/sqlite/schema.ts'

const MIGRATIONS = { 'kurir.db': migrations, 'sessions.db': sessionMigrations }

let migrated: Promise<string> | undefined

async function migrateOnce(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kurir-migrated-'))
  for (const [name, steps] of Object.entries(MIGRATIONS)) {
    const db = openDatabase(join(folder, name))
    await migrate(db, steps)
    db.close()
  }
  return folder
}

/**
 * Creates a data folder with empty, migrated databases, because migrations would take half of every
 * start. Tests of a first start use an empty folder instead (`startProgram()`, or a `home` of their
 * own).
 */
export async function newHome(): Promise<string> {
  migrated ??= migrateOnce()
  const from = await migrated
  const home = mkdtempSync(join(tmpdir(), 'kurir-test-'))
  for (const name of Object.keys(MIGRATIONS)) copyFileSync(join(from, name), join(home, name))
  return home
}
