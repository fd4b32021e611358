import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { StorageError } from '../../../server/lib/storage-error.ts'
import { type Db, openDatabase } from '../../../server/store/sqlite/database.ts'
import { createGroupCommit } from '../../../server/store/sqlite/group-commit.ts'
import { temporaryFolder } from '../../support/folder.ts'

function open() {
  const file = join(temporaryFolder(), 'test.db')
  const db = openDatabase(file)
  onTestFinished(() => void db.close())
  db.exec('CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT')
  const insert = db.prepare('INSERT INTO notes (text) VALUES (?)')
  const group = createGroupCommit(
    db,
    0,
    () => null,
    () => {},
  )
  const add = (text: string) => group.write(() => insert.run(text).lastInsertRowid)
  return { file, db, add, ...group }
}
const notes = (db: Db) =>
  db
    .prepare<[], { text: string }>('SELECT text FROM notes ORDER BY rowid')
    .all()
    .map((row) => row.text)
const fill = (db: Db) => db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
const BIG = 'x'.repeat(100_000)

test('writes of one moment are done in their order, and each gets its own result', async () => {
  const { db, add } = open()
  expect(await Promise.all([add('a'), add('b'), add('c')])).toEqual([1, 2, 3])
  expect(notes(db)).toEqual(['a', 'b', 'c'])
})

test('nothing is promised before it is committed', async () => {
  const { file, add } = open()
  const reader = openDatabase(file)
  const added = add('a').then(() => notes(reader))
  expect(notes(reader)).toEqual([])
  expect(await added).toEqual(['a'])
  reader.close()
})

test('a busy event loop, of which each turn brings another write, does not put the commit off', async () => {
  const { add } = open()
  let turns = 0
  let isCommitted = false
  const first = add('first').then(() => {
    isCommitted = true
  })
  const others: Promise<unknown>[] = []
  for (; turns < 15 && !isCommitted; turns += 1) {
    others.push(add(`turn ${turns}`))
    const until = performance.now() + 2
    while (performance.now() < until);
    await setImmediate()
  }
  await Promise.all([first, ...others])
  expect(turns).toBeLessThan(10)
})

test('one that fails takes none of its neighbours down', async () => {
  const { db, add, write, problem } = open()
  const results = await Promise.allSettled([
    add('a'),
    add('a'),
    write(() => {
      db.prepare("INSERT INTO notes (text) VALUES ('half')").run()
      throw new Error('changed my mind')
    }),
    add('b'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(notes(db)).toEqual(['a', 'b'])
  expect(problem(), 'a fault of ours is none of the disk').toBeNull()
})

test('a full disk refuses them all, writes nothing, and is over when there is room', async () => {
  const { db, add, problem } = open()
  fill(db)
  const results = await Promise.allSettled([add('a'), add(BIG), add('b')])
  for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { problem: 'full' } })
  expect(notes(db)).toEqual([])
  expect(problem()).toBe('full')
  db.pragma('max_page_count = 1000000')
  await add(BIG)
  expect(problem()).toBeNull()
})

test('a file that another program holds refuses them all after one wait', async () => {
  const { file, db, add } = open()
  db.pragma('busy_timeout = 1')
  const other = openDatabase(file)
  other.exec('BEGIN IMMEDIATE')
  const results = await Promise.allSettled([add('a'), add('b')])
  for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { problem: 'locked' } })
  other.exec('ROLLBACK')
  other.close()
  await add('a')
})

test('what waits is written when the program closes', async () => {
  const { db, add, drain } = open()
  const added = add('a')
  drain()
  expect(notes(db)).toEqual(['a'])
  await added
})

test('errors of the disk are reported as a sentence that says what to do', async () => {
  const { file, db, add } = open()
  fill(db)
  const error = await add(BIG).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(StorageError)
  expect((error as StorageError).message).toBe(`The disk is full. Free some space; Kurir goes on by itself. (${file})`)
})
