import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { request } from 'undici'
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createApp } from '../../server/composition/app.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createVault } from '../../server/lib/vault.ts'
import { readConfig } from '../../server/settings/config.ts'
import { packArchive, unpackArchive } from '../../server/slices/backup/archive.ts'
import { createBackup, createRestore } from '../../server/slices/backup/backup.ts'
import type { BackupContext } from '../../server/slices/backup/context.ts'
import { stagedFolder } from '../../server/store/index.ts'
import { migrations } from '../../server/store/sqlite/schema.ts'
import type { Migration } from '../../server/store/statements.ts'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { type Received, startReceiver, verify } from '../support/receiver.ts'
import { samples } from '../support/samples.ts'
import { openSession } from '../support/session.ts'

const PASSPHRASE = 'rahasia warung – ñ 你好'
const homes: string[] = []

afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

/** A folder that outlives its app, so that another can be started on it. */
function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'kurir-restored-'))
  homes.push(home)
  return home
}

async function backup(app: TestApp, passphrase = PASSPHRASE) {
  const answer = await request(`${app.url}/api/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ passphrase }),
    reset: true,
  })
  const file = Buffer.from(await answer.body.arrayBuffer())
  expect(answer.statusCode, file.subarray(0, 500).toString()).toBe(200)
  return { file, headers: answer.headers }
}

const restore = (app: TestApp, file: Buffer, passphrase = PASSPHRASE) =>
  app.owner<{ restarts: boolean; created_at: string }>('/api/restore', {
    body: file,
    headers: { 'content-type': 'application/octet-stream', 'x-passphrase': encodeURIComponent(passphrase) },
  })

const send = async (app: TestApp, message: string, more = {}): Promise<string> => {
  const body = { phone: '6281234567890', message, sender_code: SANDBOX, ...more }
  const answer = await app.owner<{ id: string }>('/send', { body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data.id
}

const names = async (app: TestApp) =>
  (await app.owner<{ name: string }[]>('/api/senders')).body.data.map(({ name }) => name)

test('everything comes back on another PC, with its own key: log, senders, keys, secrets', async () => {
  const receiver = await startReceiver()
  const old = await startApp({ overrides: { vaultKey: Buffer.alloc(32, 1) } })
  const key = await old.key()
  await old.sender('linked', { name: 'Toko' })
  const hook = await old.owner<{ secret: string }>('/api/webhooks', { body: { url: receiver.url } })
  const id = await send(old, 'before the move')
  await old.reached(id, 'read')
  const { file, headers } = await backup(old)
  expect(headers['content-length']).toBe(String(file.length))
  expect(headers['content-disposition']).toMatch(/^attachment; filename="kurir-\d{4}-\d\d-\d\d\.kurirbackup"$/)

  const home = createHome()
  const fresh = await startApp({ home, overrides: { vaultKey: Buffer.alloc(32, 2) } })
  const answer = await restore(fresh, file)
  expect(answer.body, answer.text).toMatchObject({ success: true, data: { restarts: false } })
  expect(await names(fresh)).toEqual(['Sandbox'])
  await fresh.restart()

  expect((await names(fresh)).sort()).toEqual(['Sandbox', 'Toko'])
  const dataKey = ({ app }: TestApp, pc: number) =>
    createVault(Buffer.alloc(32, pc)).open(Buffer.from(app.store.meta.get('data_key') ?? '', 'base64'), 'data-key')
  expect(dataKey(fresh, 2).equals(dataKey(old, 1)), 'what opens the backup opens nothing that comes later').toBe(false)
  expect((await fresh.call(key, `/messages/${id}`)).body.data).toMatchObject({ id, status: 'read' })
  await fresh.owner('/api/webhooks/1/test', { method: 'POST' })
  const tested = receiver.received.findLast(({ event }) => event.type === 'webhook.test')
  expect(() => verify(tested as Received, hook.body.data.secret)).not.toThrow()
  expect(
    readdirSync(home)
      .filter((name) => name.endsWith('.before-restore'))
      .sort(),
  ).toEqual(['kurir.db.before-restore', 'sessions.db.before-restore'])
  expect(existsSync(join(home, 'restore'))).toBe(false)
})

test('what waited when the backup was made leaves only when the owner says so', async () => {
  const app = await startApp()
  const id = await send(app, 'for later', { delay: 1 })
  const { file } = await backup(app)
  await app.reached(id, 'read')

  await restore(app, file)
  await app.restart()
  expect((await app.message(id)).status).toBe('queued')
  const sandbox = await app.owner<{ state: string; waiting: number }>(`/api/senders/${SANDBOX}`)
  expect(sandbox.body.data).toMatchObject({ state: 'paused', waiting: 1 })
  const pausedBy = () => app.app.store.meta.get('paused_by_return')
  expect(pausedBy(), 'not the owner').toBe(SANDBOX)
  await app.owner(`/api/senders/${SANDBOX}/resume`, { method: 'POST' })
  await app.reached(id, 'read')
  expect(pausedBy(), 'a later pause is the owner’s').toBe('')
})

/** A folder on another disk than those of the tests: a file has no second name there. */
const OTHER_DISK = ['/dev/shm', '/var/tmp'].find(
  (path) => existsSync(path) && statSync(path).dev !== statSync(tmpdir()).dev,
)

test.runIf(OTHER_DISK)('a file that leaves while it is copied is missing, and all else is in the backup', async () => {
  const app = await startApp()
  const form = new FormData()
  const fields = { phone: '6281234567890', message: 'Faktur', sender_code: SANDBOX, delay: '1' }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([samples.pdf]), 'inv.pdf')
  const headers = { authorization: `Bearer ${OWNER_TOKEN}` }
  await fetch(`${app.url}/send`, { method: 'POST', headers, body: form })
  const elsewhere = mkdtempSync(join(OTHER_DISK ?? '', 'kurir-test-'))
  homes.push(elsewhere)
  vi.stubEnv('TMPDIR', elsewhere)
  onTestFinished(() => void vi.unstubAllEnvs())
  // It is there for `link`, and no more when it is copied.
  const [stored = ''] = readdirSync(join(app.home, 'files'))
  rmSync(join(app.home, 'files', stored))
  symlinkSync('gone', join(app.home, 'files', stored))
  expect((await backup(app)).file.length).toBeGreaterThan(0)
})

test('what waits with a file that was sent along takes it along, and says what is missing where it is lost', async () => {
  const app = await startApp()
  const resume = (one: TestApp) => one.owner(`/api/senders/${SANDBOX}/resume`, { method: 'POST' })
  const form = new FormData()
  const fields = { phone: '6281234567890', message: 'Faktur', sender_code: SANDBOX, delay: '1' }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([samples.pdf]), 'inv.pdf')
  const headers = { authorization: `Bearer ${OWNER_TOKEN}` }
  const answer = await fetch(`${app.url}/send`, { method: 'POST', headers, body: form })
  const { id } = ((await answer.json()) as { data: { id: string } }).data
  const { file } = await backup(app)

  const fresh = await startApp()
  await restore(fresh, file)
  await fresh.restart()
  const [stored = ''] = readdirSync(join(fresh.home, 'files'))
  expect(readFileSync(join(fresh.home, 'files', stored))).toEqual(samples.pdf)
  await resume(fresh)
  await fresh.reached(id, 'read')

  const unlucky = await startApp()
  await restore(unlucky, file)
  await unlucky.restart()
  rmSync(join(unlucky.home, 'files', stored))
  await resume(unlucky)
  expect((await unlucky.reached(id, 'failed')).error).toMatchObject({
    code: 'media_gone',
    message: 'The file that was sent along is no longer on this PC.',
  })

  await restore(app, file)
  await app.restart()
  await resume(app)
  await app.reached(id, 'read')
})

test('a restore restarts the program where it can', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const app = await startApp({ overrides: { restart: resolve } })
  await app.sender('linked', { name: 'Toko' })
  const { file } = await backup(app)
  await app.sender('linked', { name: 'After the backup' })
  expect((await restore(app, file)).body.data.restarts).toBe(true)
  await promise
  await app.restart()
  expect((await names(app)).sort()).toEqual(['Sandbox', 'Toko'])
})

test('a second restore replaces what the first one has kept', async () => {
  const home = createHome()
  const app = await startApp({ home })
  const { file } = await backup(app)
  for (let round = 0; round < 2; round += 1) {
    await restore(app, file)
    await app.restart()
  }
  expect(readdirSync(home).filter((name) => name.includes('.before-restore'))).toHaveLength(2)
})

test('a power cut while files are put in place is gone on with by the next start', async () => {
  const home = createHome()
  const app = await startApp({ home })
  await app.sender('linked', { name: 'Toko' })
  const { file } = await backup(app)
  await restore(app, file)
  await app.close()
  // As if the cut came after the old file was moved away and before the new one was moved in.
  renameSync(join(home, 'kurir.db'), join(home, 'kurir.db.before-restore'))
  const again = await startApp({ home })
  expect((await names(again)).sort()).toEqual(['Sandbox', 'Toko'])
})

test('a backup that was being checked when the power was cut is not kept, opened as it lies there', async () => {
  const home = createHome()
  await (await startApp({ home })).close()
  mkdirSync(join(home, 'restore', 'incoming'), { recursive: true })
  writeFileSync(join(home, 'restore', 'incoming', 'kurir.db'), 'messages of customers')
  await startApp({ home })
  expect(existsSync(join(home, 'restore'))).toBe(false)
})

test('a backup made while messages are accepted opens and holds those that were there before', async () => {
  const app = await startApp()
  await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
  const before = await Promise.all(Array.from({ length: 50 }, (_, i) => send(app, `before ${i}`)))
  const [{ file }] = await Promise.all([
    backup(app),
    ...Array.from({ length: 200 }, (_, i) => send(app, `during ${i}`)),
  ])
  await restore(app, file)
  await app.restart()
  for (const id of before) expect((await app.message(id)).status).toBe('queued')
})

test('nothing readable lies in the file, and two backups share nothing but their beginning', async () => {
  const app = await startApp()
  await send(app, 'a text nobody may read')
  const [one, two] = [(await backup(app)).file, (await backup(app)).file]
  expect(one.includes('a text nobody may read')).toBe(false)
  expect(one.includes('SQLite format')).toBe(false)
  expect(one.subarray(0, 8).toString()).toBe('KURIRBAK')
  expect(one.subarray(9, 41).equals(two.subarray(9, 41))).toBe(false)
  await expect.poll(() => readdirSync(join(app.home, 'tmp'))).toEqual([])
})

const flip = (file: Buffer, at: number) => {
  const changed = Buffer.from(file)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}
const CASES: [name: string, change: (file: Buffer) => Buffer, code: string, passphrase?: string][] = [
  ['a wrong passphrase', (file) => file, 'wrong_passphrase', 'something else'],
  [
    'another file',
    () => Buffer.from('PK\u0003\u0004 a zip archive of other things that is long enough'),
    'backup_unreadable',
  ],
  ['an empty file', () => Buffer.alloc(0), 'backup_unreadable'],
  ['only its beginning', (file) => file.subarray(0, 30), 'backup_unreadable'],
  ['a changed byte in the middle', (file) => flip(file, 200), 'backup_unreadable'],
  ['a changed byte at the end', (file) => flip(file, file.length - 1), 'backup_unreadable'],
  ['a file that was cut off', (file) => file.subarray(0, file.length - 1000), 'backup_unreadable'],
  ['a file that was cut off between two chunks', (file) => file.subarray(0, 48 + 256 * 1024 + 16), 'backup_unreadable'],
  ['something behind its end', (file) => Buffer.concat([file, Buffer.from('x')]), 'backup_unreadable'],
  [
    'a newer kind of file',
    (file) => Buffer.concat([file.subarray(0, 8), Buffer.from([2]), file.subarray(9)]),
    'backup_newer',
  ],
]

describe('in the place of a backup', () => {
  let app: TestApp
  let file: Buffer
  beforeAll(async () => {
    app = await startApp({ lives: 'file' })
    for (let i = 0; i < 6; i += 1) await send(app, 'x'.repeat(65_000), { delay: 100 })
    ;({ file } = await backup(app))
    await app.sender('linked', { name: 'Stays' })
  })

  test.each(CASES)('%s is refused and nothing is changed', async (_name, change, code, passphrase = PASSPHRASE) => {
    const answer = await restore(app, change(file), passphrase)
    expect([answer.status, answer.body.error.code]).toEqual([422, code])
    expect(answer.body.message).toContain('Nothing was changed')
    expect(existsSync(stagedFolder(app.home))).toBe(false)
    expect(existsSync(join(app.home, 'restore', 'incoming'))).toBe(false)
    await app.restart()
    expect((await names(app)).sort()).toEqual(['Sandbox', 'Stays'])
  })
})

test.each([
  ['a newer version', 'user_version = 99', 'backup_newer'],
  ['a development version', 'application_id = 0', 'backup_unreadable'],
])('a backup with a database of %s is refused', async (_made, mark, code) => {
  const raised = createHome()
  const from = await startApp({ home: raised })
  const db = new Database(join(raised, 'sessions.db'))
  db.pragma(mark)
  db.close()
  const { file } = await backup(from)
  await from.close()
  const app = await startApp()
  const answer = await restore(app, file)
  expect([answer.status, answer.body.error.code]).toEqual([422, code])
  expect(answer.body.message).toContain('Nothing was changed')
})

test.each(['ENOSPC', 'EDQUOT'])('a disk that says %s is full, also to a restore', async (code) => {
  const app = await startApp()
  const restoring = createRestore({ home: app.home } as BackupContext)
  async function* source() {
    yield Buffer.from('KURIRBAK')
    throw Object.assign(new Error(code), { code })
  }
  await expect(restoring(source(), PASSPHRASE)).rejects.toMatchObject({ problem: 'full' })
})

test('a disk that is full is full, also where a backup is made', async () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  const context = { refusals: {}, store: { copyTo: () => Promise.reject(full) } } as unknown as BackupContext
  await expect(createBackup(context, PASSPHRASE)).rejects.toMatchObject({ problem: 'full' })
})

test('a backup whose database has triggers of somebody else is refused', async () => {
  const strange = createHome()
  const from = await startApp({ home: strange })
  const db = new Database(join(strange, 'kurir.db'))
  db.exec(
    `CREATE TRIGGER everything AFTER INSERT ON messages BEGIN UPDATE messages SET recipient = '6289' WHERE seq = NEW.seq; END`,
  )
  db.close()
  const { file } = await backup(from)
  await from.close()
  const app = await startApp()
  const answer = await restore(app, file)
  expect([answer.status, answer.body.error.code]).toEqual([422, 'backup_unreadable'])
  expect(existsSync(stagedFolder(app.home))).toBe(false)
})

test('a backup lets nobody in: browsers log in again, and the LAN waits for the owner', async () => {
  const from = await startApp()
  await from.owner('/api/settings', { method: 'PATCH', body: { remote_administration: true, retention_days: 30 } })
  const { headers } = await openSession(from)
  expect((await from.fetch('/api/settings', { headers })).status).toBe(200)
  const { file } = await backup(from)
  const app = await startApp()
  expect((await restore(app, file)).status).toBe(200)
  await app.restart()
  const { body } = await app.owner<object>('/api/settings')
  expect(body.data).toMatchObject({ remote_administration: false, retention_days: 30 })
  expect((await app.owner<object[]>('/api/sessions')).body.data).toEqual([])
  expect((await app.fetch('/api/settings', { headers })).status).toBe(403)
})

test('an archive that brings one file twice is refused', async () => {
  const folder = createHome()
  const two = { name: 'kurir.db', size: 0 } as const
  writeFileSync(join(folder, 'kurir.db'), '')
  const about = {
    kurir_version: '0.1.0',
    created_at: new Date(0).toISOString(),
    data_key: '0'.repeat(64),
    files: [two, two],
  }
  await expect(unpackArchive(packArchive(about, folder), folder)).rejects.toMatchObject({ code: 'backup_unreadable' })
})

test('a backup of an older version is brought up to date', async () => {
  const app = await startApp()
  const id = await send(app, 'from before', { delay: 100 })
  const { file } = await backup(app)
  const list = migrations as Migration[]
  list.push({ version: list.length + 1, sql: 'CREATE VIEW colours AS SELECT 1 AS colour' })
  onTestFinished(() => void list.pop())
  const answer = await restore(app, file)
  expect(answer.status, answer.text).toBe(200)
  await app.restart()
  expect((await app.message(id)).status).toBe('queued')
  const db = new Database(join(app.home, 'kurir.db'), { readonly: true })
  expect(db.prepare('SELECT colour FROM colours').all()).toHaveLength(1)
  db.close()
})

test('requests without a proper passphrase or type get an error that says what is wrong', async () => {
  const app = await startApp()
  const short = await app.owner('/api/backup', { body: { passphrase: 'short' } })
  expect([short.status, short.body.error.details?.[0]?.field]).toEqual([400, 'passphrase'])
  const file = Buffer.alloc(3 * 1024 * 1024)
  const noPhrase = await app.owner('/api/restore', {
    body: file,
    headers: { 'content-type': 'application/octet-stream' },
  })
  expect([noPhrase.status, noPhrase.body.error.details?.[0]?.field]).toEqual([400, 'X-Passphrase'])
  const json = await app.owner('/api/restore', { body: file, headers: { 'x-passphrase': 'long enough' } })
  expect(json.status).toBe(415)
})

test('a key file that is gone stops the start, and is not made again', async () => {
  const home = createHome()
  const app = await startApp({ home })
  await app.close()
  rmSync(join(home, 'vault.key'))
  const { config } = readConfig({ KURIR_HOME: home, KURIR_PORT: '0' })
  const logger = createLogger('silent')
  await expect(createApp(config, { logger })).rejects.toThrow(/vault\.key is missing.*Nothing was changed/)
  expect(existsSync(join(home, 'vault.key'))).toBe(false)
  writeFileSync(join(home, 'vault.key'), 'ff'.repeat(32))
  await expect(createApp(config, { logger })).rejects.toThrow(/sealed with another key.*Nothing was changed/)
})
