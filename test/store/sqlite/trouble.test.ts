import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { asStorageError } from '../../../server/lib/storage-error.ts'
import { integer } from '../../../server/store/index.ts'
import { type Db, openDatabase, openReadOnly, refuseReadOnly } from '../../../server/store/sqlite/database.ts'
import { selecting } from '../../../server/store/sqlite/sql.ts'
import { SANDBOX, startApp, type TestApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { closed, readOpenApi } from '../../support/openapi.ts'

const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, delay: 3600 }
const asRoot = process.getuid?.() === 0

/** A data folder as a start and a message leave it. */
async function usedFolder(): Promise<string> {
  const home = join(temporaryFolder(), 'kurir')
  const app = await startApp({ home })
  await app.owner('/send', { body })
  await app.close()
  return home
}

const bytesOf = (home: string) =>
  Object.fromEntries(
    readdirSync(home, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(join(home, name))]),
  )

// `npm run soak -- power` shows what it is for.
test.each(['kurir.db', 'sessions.db'])('a commit to %s is on the disk, past the cache of the drive as well', (name) => {
  const db = openDatabase(join(temporaryFolder(), name))
  const pragma = (of: string) => db.pragma(of, { simple: true })
  expect([pragma('synchronous'), pragma('fullfsync'), pragma('checkpoint_fullfsync')]).toEqual([2, 1, 1])
  db.close()
})

describe('a start that cannot be says why and changes nothing', () => {
  test.each([
    ['a newer version', 'user_version = 999', /newer version of Kurir.*install that version/],
    ['a development version', 'application_id = 0', /development version of Kurir.*start with an empty data folder/],
  ])('a file of %s', async (_made, mark, words) => {
    const home = await usedFolder()
    const db = new Database(join(home, 'kurir.db'))
    db.pragma(mark)
    db.close()
    const before = bytesOf(home)
    await expect(startApp({ home })).rejects.toThrow(words)
    expect(bytesOf(home)).toEqual(before)
  })

  test.each([
    ['that is something else', () => Buffer.from('This is a letter, not a database.\n'.repeat(200))],
    ['whose middle was overwritten', (good: Buffer) => Buffer.from(good).fill(0xaa, 4096)],
    ['that was cut off', (good: Buffer) => good.subarray(0, 5000)],
  ])('a file %s', async (_why, damage) => {
    const home = await usedFolder()
    const file = join(home, 'kurir.db')
    writeFileSync(file, damage(readFileSync(file)))
    const damaged = readFileSync(file)
    await expect(startApp({ home })).rejects.toThrow(/damaged.*restore a backup/)
    expect(readFileSync(file)).toEqual(damaged)
  })

  test('a damaged vault key is not replaced: what it sealed would be lost', async () => {
    const home = await usedFolder()
    writeFileSync(join(home, 'vault.key'), 'half a key')
    await expect(startApp({ home })).rejects.toThrow(/vault\.key is damaged.*put the key of this folder back/)
    expect(readFileSync(join(home, 'vault.key'), 'utf8')).toBe('half a key')
  })

  test('a file that another program keeps open on Windows, so that SQLite only reads it', () => {
    const file = join(temporaryFolder(), 'kurir.db')
    openDatabase(file).close()
    const db = openReadOnly(file)
    expect(() => refuseReadOnly(db)).toThrow(/Another program holds the database.*try again/)
    db.close()
  })

  test('a file where the folder should be', async () => {
    const home = join(temporaryFolder(), 'kurir')
    writeFileSync(home, 'mine')
    await expect(startApp({ home })).rejects.toThrow(/data folder.*\/kurir/)
    expect(readFileSync(home, 'utf8')).toBe('mine')
  })

  test('a folder where the file should be', async () => {
    const home = join(temporaryFolder(), 'kurir')
    mkdirSync(join(home, 'kurir.db'), { recursive: true })
    await expect(startApp({ home })).rejects.toThrow(/cannot be opened/)
  })

  // To root every folder is writable.
  test.skipIf(asRoot)('a folder that may only be read', async () => {
    const home = await usedFolder()
    for (const name of readdirSync(home)) chmodSync(join(home, name), 0o400)
    chmodSync(home, 0o500)
    await expect(startApp({ home })).rejects.toThrow(/may not write to its data folder/)
    chmodSync(home, 0o700)
  })

  test('a second Kurir on the same folder; the first one goes on', async () => {
    const home = join(temporaryFolder(), 'kurir')
    const first = await startApp({ home })
    await expect(startApp({ home })).rejects.toThrow(/Another Kurir already uses this data folder.*KURIR_HOME/)
    expect((await first.owner('/send', { body })).status).toBe(200)
    await first.close()
    const second = await startApp({ home })
    expect((await second.owner<object[]>('/api/messages')).body.data).toHaveLength(1)
  })

  test('a port that another program has; the folder is free again afterwards', async () => {
    const home = join(temporaryFolder(), 'kurir')
    const other = await startApp()
    const { port } = new URL(other.url)
    const taken = startApp({ home, env: { KURIR_PORT: port } })
    await expect(taken).rejects.toThrow(
      `Port ${port} is taken by another program. Close the other program, or choose another port with KURIR_PORT=<number> or in Settings.`,
    )
    await startApp({ home })
  })
})

/** Whether the program describes the answer that /health gives with 503. */
async function fitsDescription(app: TestApp, body: object): Promise<boolean> {
  interface OpenApi {
    paths: { '/health': { get: { responses: { 503: { content: { 'application/json': { schema: object } } } } } } }
  }
  const { paths } = await readOpenApi<OpenApi>(app)
  const { schema } = paths['/health'].get.responses[503].content['application/json']
  return new Ajv2020({ strict: false, validateFormats: false }).validate(closed(schema) as object, body)
}

describe('while it runs', () => {
  async function onSmallDisk() {
    let db: Db | undefined
    const app = await startApp({ overrides: { opened: (opened) => (db = opened) } })
    const limit = (pages: number) => db?.pragma(`max_page_count = ${pages}`)
    const key = await app.key()
    const big = { ...body, message: 'x'.repeat(60_000) }
    const send = (more: object = {}) =>
      app.call<{ id: string }>(key, '/send', { ...big, ...more }, { headers: { 'idempotency-key': 'order-1' } })
    const accepted = async () => (await app.app.store.messages.list({ limit: 10 })).length
    return { app, limit, send, accepted, fill: () => limit(1), free: () => limit(1_000_000) }
  }

  test('a full disk refuses messages, accepts nothing, and is over when there is room', async () => {
    const { app, send, accepted, fill, free } = await onSmallDisk()
    fill()
    const refused = await send()
    expect(refused.status).toBe(503)
    expect(refused.body.error).toEqual({ code: 'storage_unavailable', retry_after: 5 })
    expect(refused.headers['retry-after']).toBe('5')
    expect(refused.body.message).toMatch(/The disk is full.*Nothing was accepted/)
    expect(await accepted()).toBe(0)
    expect(app.app.store.queues.waiting(1)).toBe(0)
    free()
    const taken = await send()
    expect(taken.status).toBe(200)
    expect(taken.headers['idempotent-replayed'], 'the refusal was not remembered').toBeUndefined()
    expect(await accepted()).toBe(1)
  })

  test('a full disk shows in /health, and /health sees by itself that it is over', async () => {
    const { app, send, fill, free } = await onSmallDisk()
    expect((await app.fetch('/health')).status).toBe(200)
    fill()
    await send()
    expect(await app.app.store.search.step(), 'writes nothing').toBe(false)
    const ill = await app.fetch<{ reasons: string[] }>('/health')
    expect(ill.status).toBe(503)
    expect(ill.body).toMatchObject({ success: false, data: { status: 'not_ready' } })
    expect(ill.body.data.reasons).toHaveLength(1)
    expect(await fitsDescription(app, ill.body)).toBe(true)
    free()
    expect((await app.fetch('/health')).status).toBe(200)
  })

  test('reading goes on with a full disk', async () => {
    const { app, send, fill } = await onSmallDisk()
    await send()
    fill()
    await send({ message: 'y'.repeat(60_000) })
    expect((await app.owner<object[]>('/api/messages')).body.data).toHaveLength(1)
    expect((await app.owner('/api/overview')).status).toBe(200)
  })

  test('a file that another program holds is answered with 503, and is over when it lets go', async () => {
    const { app, send } = await onSmallDisk()
    const other = new Database(join(app.home, 'kurir.db'))
    other.exec('BEGIN IMMEDIATE')
    const refused = await send()
    expect(refused.status).toBe(503)
    expect(refused.body.message).toMatch(/Another program holds the database/)
    other.exec('ROLLBACK')
    other.close()
    expect((await send()).status).toBe(200)
  })
  test('a session that cannot be written is told as a fault of the store', async () => {
    const app = await startApp()
    const other = new Database(join(app.home, 'sessions.db'))
    other.exec('BEGIN IMMEDIATE')
    const credentials = { generation: 'current', value: Buffer.from('sealed'), at: 1 } as const
    await expect(app.app.store.sessions.change(1, { credentials })).rejects.toThrow(
      /Another program holds the database/,
    )
    other.exec('ROLLBACK')
    other.close()
    await app.app.store.sessions.change(1, { credentials })
    expect(await app.app.store.sessions.credentials(1, 'current')).toEqual(credentials.value)
  })
})

test('a read that the drive refuses is told as a fault of the store', () => {
  const db = openDatabase(join(temporaryFolder(), 'kurir.db'))
  db.function('refused', () => {
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_READ')
  })
  const select = selecting(db, { value: integer('refused()') })('')
  expect(() => select.get()).toThrow(/The database file cannot be opened or read/)
  expect(() => select.all()).toThrow(/The database file cannot be opened or read/)
  db.close()
})

test.each([
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR_WRITE', 'full'],
  ['SQLITE_IOERR_SHMSIZE', 'full'],
  ['SQLITE_IOERR_READ', 'unreachable'],
  ['SQLITE_IOERR_LOCK', 'unreachable'],
])('%s is told as %s', (code, problem) => {
  expect(asStorageError(Object.assign(new Error(), { code }), 'kurir.db')).toMatchObject({ problem })
})
