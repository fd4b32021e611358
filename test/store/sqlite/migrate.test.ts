import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../server/store/sqlite/database.ts'
import { migrate } from '../../../server/store/sqlite/migrate.ts'
import { migrations, sessionMigrations } from '../../../server/store/sqlite/schema.ts'
import type { Migration } from '../../../server/store/statements.ts'
import { temporaryFolder } from '../../support/folder.ts'

const FIRST: Migration = { version: 1, sql: "CREATE TABLE a (x TEXT) STRICT; INSERT INTO a VALUES ('kept')" }
const SECOND: Migration = { version: 2, sql: 'ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7' }
const BROKEN: Migration = { version: 3, sql: 'CREATE TABLE b (z TEXT); INSERT INTO nowhere VALUES (1)' }

async function apply(file: string, list: readonly Migration[]): Promise<void> {
  const db = openDatabase(file)
  try {
    await migrate(db, list)
  } finally {
    db.close()
  }
}

function read(file: string): { version: unknown; rows: unknown[] } {
  const db = new Database(file, { readonly: true })
  const state = { version: db.pragma('user_version', { simple: true }), rows: db.prepare('SELECT * FROM a').all() }
  db.close()
  return state
}

test.each([
  ['main', migrations],
  ['sessions', sessionMigrations],
])('the migrations of the %s database are numbered from 1', (_name, list) => {
  expect(list.map(({ version }) => version)).toEqual(list.map((_migration, index) => index + 1))
})

test('a new file gets all of them, without a copy of nothing', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await apply(file, [FIRST, SECOND])
  expect(read(file)).toEqual({ version: 2, rows: [{ x: 'kept', y: 7 }] })
  expect(existsSync(`${file}.v0.bak`)).toBe(false)
})

test('an older file gets the rest, after a copy of it was made', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await apply(file, [FIRST])
  await apply(file, [FIRST, SECOND])
  expect(read(file)).toEqual({ version: 2, rows: [{ x: 'kept', y: 7 }] })
  expect(read(`${file}.v1.bak`)).toEqual({ version: 1, rows: [{ x: 'kept' }] })
})

test('one that fails leaves the file as the last good one made it', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await apply(file, [FIRST])
  await expect(apply(file, [FIRST, SECOND, BROKEN])).rejects.toThrow(/nowhere/)
  expect(read(file).version).toBe(2)
  const db = new Database(file, { readonly: true })
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'b'").get()).toBeUndefined()
  db.close()
})

test('one that fails leaves a new file empty', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await expect(apply(file, [FIRST, SECOND, BROKEN])).rejects.toThrow(/nowhere/)
  const db = new Database(file, { readonly: true })
  expect([db.pragma('user_version', { simple: true }), db.prepare('SELECT name FROM sqlite_schema').all()]).toEqual([
    0,
    [],
  ])
  db.close()
})

test('a copy that was made before is not overwritten by a second try', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await apply(file, [FIRST])
  await expect(apply(file, [FIRST, { ...BROKEN, version: 2 }])).rejects.toThrow()
  const copy = readFileSync(`${file}.v1.bak`)
  await apply(file, [FIRST, SECOND])
  expect(readFileSync(`${file}.v1.bak`)).toEqual(copy)
})

test('a copy that a power cut left half written is not taken for one', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await apply(file, [FIRST])
  const db = openDatabase(file)
  const cut = new Error('power cut')
  db.backup = async (to) => {
    writeFileSync(to, 'half of a cop')
    throw cut
  }
  await expect(migrate(db, [FIRST, SECOND])).rejects.toBe(cut)
  db.close()
  expect(read(file).version).toBe(1)
  await apply(file, [FIRST, SECOND])
  expect(read(`${file}.v1.bak`)).toEqual({ version: 1, rows: [{ x: 'kept' }] })
  expect(existsSync(`${file}.v1.bak.part`)).toBe(false)
})

test('a file of a newer version is refused and not touched', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await apply(file, [FIRST, SECOND])
  const bytes = readFileSync(file)
  await expect(apply(file, [FIRST])).rejects.toMatchObject({ problem: 'newer' })
  expect(readFileSync(file)).toEqual(bytes)
})

test.each([1, 16])('a file of version %i from a development version is refused and not touched', async (version) => {
  const file = join(temporaryFolder(), 'a.db')
  const db = new Database(file)
  db.exec(`CREATE TABLE a (x TEXT) STRICT; PRAGMA journal_mode = WAL; PRAGMA user_version = ${version}`)
  db.close()
  const bytes = readFileSync(file)
  await expect(apply(file, [FIRST])).rejects.toMatchObject({ problem: 'development' })
  expect(readFileSync(file)).toEqual(bytes)
})
