import { scryptSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVault } from '../../server/lib/vault.ts'
import { sealedSize, unseal } from '../../server/slices/backup/archive.ts'
import { PLACES } from '../../server/store/index.ts'
import { OWNER_TOKEN, SANDBOX, startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { fencesOf, ROOT, readPage } from '../support/markdown.ts'
import { run } from '../support/run.ts'

const PAGE = 'docs/backup-format.md'
const PASSPHRASE = 'kopi susu é'
const [hex = '', json = ''] = ['', 'json'].map((name) => fencesOf(PAGE).find(({ language }) => language === name)?.code)
const vector = Buffer.from(hex.replace(/\s/g, ''), 'hex')
const cell = (name: string): string | undefined =>
  new RegExp(`^\\| ${name} \\| \`([0-9a-f]+)\` \\|$`, 'm').exec(readPage(PAGE))?.[1]

/** Opens a file with the program of the page, into a new folder. */
async function open(backup: Buffer, passphrase: string) {
  const home = temporaryFolder()
  const folder = join(home, 'opened')
  writeFileSync(join(home, 'file'), backup)
  const program = [process.execPath, join(ROOT, 'docs', 'open-backup.mjs'), join(home, 'file'), folder]
  const ended = await run(program, { env: {}, input: `${passphrase}\n` })
  return {
    ...ended,
    read: (name: string) => readFileSync(join(folder, name)),
    file: (name: string) => join(folder, name),
  }
}

describe('the test vector', () => {
  test('is opened by Kurir and has the values of the page', async () => {
    const plain = await buffer(Readable.from(unseal(Readable.from([vector]), PASSPHRASE)))
    expect([plain.readUInt32BE(), plain.subarray(4).toString()]).toEqual([json.length, `${json}kurirsessions`])
    expect(vector.length).toBe(sealedSize(plain.length))
    const scrypt = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 }
    const derived = scryptSync(PASSPHRASE, vector.subarray(9, 25), 48, scrypt).toString('hex')
    expect(derived).toBe(`${cell('key')}${cell('check')}`)
    expect(vector.toString('hex', 25, 41)).toBe(cell('check'))
    expect(cell('nonce of its only chunk')).toBe(`${vector.toString('hex', 41, 48)}0000000001`)
  })

  test.each(['NFC', 'NFD'])('is opened by the program of the page, its passphrase written in %s', async (form) => {
    const { out, err, code, read } = await open(vector, PASSPHRASE.normalize(form))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.trim()).toBe(json)
    expect([String(read('kurir.db')), String(read('sessions.db'))]).toEqual(['kurir', 'sessions'])
  })

  const changed = (at: number, value: number) => Buffer.from(vector).fill(value, at, at + 1)
  test.each([
    ['another passphrase', vector, 'kopi susu', 'not its passphrase'],
    ['something else', changed(0, 0), PASSPHRASE, 'no backup of Kurir'],
    ['a newer format', changed(8, 2), PASSPHRASE, 'version 2 of the format'],
    ['a changed byte', changed(100, 0), PASSPHRASE, 'unable to authenticate'],
    ['a file that was cut off', vector.subarray(0, -1), PASSPHRASE, 'unable to authenticate'],
    ['a header alone', vector.subarray(0, 48), PASSPHRASE, 'ends too early'],
  ])('%s is refused by the program', async (_what, backup, passphrase, reason) => {
    const { err, code } = await open(backup, passphrase)
    expect(code).toBe(1)
    expect(err).toContain(reason)
  })
})

test('the program of the page opens a backup of many chunks, and its secrets open with the key that is in it', async () => {
  const app = await startApp()
  const key = await app.key()
  const text = 'Terima kasih. '.repeat(200)
  for (let sent = 0; sent < 150; sent += 1)
    await app.call(key, '/send', {
      sender_code: SANDBOX,
      phone: '6281234560002',
      message: `${text}${sent}`,
      delay: 3600,
    })
  const { body: hook } = await app.owner<{ id: string; secret: string }>('/api/webhooks', {
    body: { url: 'http://127.0.0.1:9/' },
  })
  const answer = await app.connect('/api/backup', {
    body: { passphrase: PASSPHRASE },
    headers: { authorization: `Bearer ${OWNER_TOKEN}` },
  })
  const backup = Buffer.from(await answer.body.arrayBuffer())
  expect(backup.length).toBeGreaterThan(3 * 256 * 1024)

  const { out, err, code, file } = await open(backup, PASSPHRASE)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { data_key } = JSON.parse(out) as { data_key: string }
  const [main, sessions] = [new Database(file('kurir.db')), new Database(file('sessions.db'))]
  onTestFinished(() => void [main, sessions].map((db) => db.close()))
  expect([main, sessions].map((db) => db.pragma('quick_check', { simple: true }))).toEqual(['ok', 'ok'])
  expect(main.prepare('SELECT count(*) FROM messages WHERE body LIKE ?').pluck().get(`${text}%`)).toBe(150)
  const sealed = main
    .prepare<[string], Buffer>('SELECT secret FROM webhook_endpoints WHERE id = ?')
    .pluck()
    .get(hook.data.id)
  const vault = createVault(Buffer.from(data_key, 'hex'))
  expect(vault.open(sealed as Buffer, PLACES.endpoint(Number(hook.data.id))).toString()).toBe(hook.data.secret)

  const cut = await open(backup.subarray(0, 48 + 2 * (256 * 1024 + 16)), PASSPHRASE)
  expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('unable to authenticate')])
})
