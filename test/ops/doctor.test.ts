import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { VERSION } from '../../server/lib/program.ts'
import { OWNER_TOKEN, SANDBOX, startApp } from '../support/app.ts'
import { programFile, SPARSE_ENV } from '../support/built.ts'
import { runCommand } from '../support/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { APP_SECRET, addOfficial, SENDER, startShopPeer, VERIFY_TOKEN } from '../support/official.ts'
import { run } from '../support/run.ts'
import { CUSTOMER, SHOP, startShop } from '../support/shop.ts'

const doctor = (home: string, ...options: string[]) =>
  run([process.execPath, programFile('cli'), 'doctor', ...options], { env: { ...SPARSE_ENV, KURIR_HOME: home } })

/** Every phone number in any column of a database. */
function numbersIn(file: string): Set<string> {
  const db = new Database(file, { readonly: true })
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[]
  const values = tables.flatMap((name) => db.prepare(`SELECT * FROM "${name}"`).raw().all().flat())
  db.close()
  return new Set(values.flatMap((value) => String(value).match(/(?<!\d)62\d{8,12}(?!\d)/g) ?? []))
}

test('doctor says how a filled Kurir is, and no secret, number, name or text of it', async () => {
  const graph = await startShopPeer()
  onTestFinished(graph.close)
  const { app, peer, link, send } = await startShop({ env: { KURIR_GRAPH_URL: graph.url } })
  await addOfficial(app)
  await link()
  peer.recipient(CUSTOMER)
  const id = await send({ phone: CUSTOMER, message: 'a private text', reference_id: 'INV-77' })
  await app.reached(id, 'sent', 'delivered', 'read', 'failed')
  const key = await app.key({ name: 'Kasir Sari' })
  await app.call(key, '/send', { phone: '6281234567890', message: 'a private text', sender_code: SANDBOX })
  await app.call(key, '/send', { phone: '62812345', message: '' })
  await app.call(key, '/suppressions', { phone: '6285551112223', scope: 'all' })
  await app.owner('/api/settings', { method: 'PATCH', body: { media_allowed_hosts: ['files.budi.example'] } })
  const url = 'http://127.0.0.1:9/a-secret-path'
  const hook = await app.owner<{ id: string; secret: string }>('/api/webhooks', { body: { url } })
  await app.owner(`/api/webhooks/${hook.body.data.id}/test`, { method: 'POST' })
  app.app.logger.error({ to: '6281234567890', key }, 'a fault at 6281234567890')

  const [shown, json] = [await doctor(app.home), await doctor(app.home, '--json')]
  expect([shown.code, shown.err, json.code, json.err]).toEqual([0, '', 0, ''])
  expect(shown.out).toContain(`Kurir ${VERSION} has run for`)
  expect(shown.out).toMatch(/^ {2}kurir\.db {2}\d+\.\d MB$/m)
  expect(shown.out).toMatch(/^CONCERN +WEIGHT/m)
  expect(shown.out).toMatch(/SND-SANDBOX +sandbox +connected/)
  expect(shown.out).toMatch(/"msg":"a fault at \[number\]"/)
  expect(JSON.parse(json.out)).toMatchObject({
    command: { version: VERSION },
    problem: null,
    kurir: { version: VERSION },
  })

  const numbers = numbersIn(join(app.home, 'kurir.db'))
  expect([...numbers]).toEqual(expect.arrayContaining([CUSTOMER, SHOP, '6281234567890', '6285551112223']))
  const kept = ['owner.token', 'vault.key'].map((name) => readFileSync(join(app.home, name), 'utf8').trim())
  const secrets = [
    key,
    key.slice(-8),
    hook.body.data.secret,
    OWNER_TOKEN,
    ...kept,
    APP_SECRET,
    VERIFY_TOKEN,
    SENDER.access_token,
  ]
  const told = ['Melati', 'Sari', 'Budi', 'budi', 'private', 'INV-77', 'a-secret-path', '812-3456']
  for (const one of [...numbers, ...secrets, ...told]) expect(shown.out + json.out).not.toContain(one)
})

test('where Kurir does not run, doctor tells what lies in its folder, and ends with 3', async () => {
  const home = join(temporaryFolder(), 'home', 'sari', 'kurir')
  mkdirSync(join(home, 'uploads'), { recursive: true })
  writeFileSync(join(home, 'uploads', 'one'), Buffer.alloc(2_500_000))
  const shown = await doctor(home)
  expect(shown.code).toBe(3)
  expect(shown.out).toContain(`This command is version ${VERSION}`)
  expect(shown.out).toContain('Kurir does not run')
  expect(shown.out).toMatch(/^ {2}uploads {2}2\.5 MB$/m)
  expect(shown.out).not.toContain('sari')
  const json = JSON.parse((await doctor(home, '--json')).out)
  expect(json).toMatchObject({ kurir: null, folders: [{ entries: [{ name: 'uploads', bytes: 2_500_000 }] }] })
})

test.each([
  ['a file', (home: string) => writeFileSync(home, ''), /its folder is a file\./],
  [
    'a folder in place of the address',
    (home: string) => mkdirSync(join(home, 'address.json'), { recursive: true }),
    /it is a folder\./,
  ],
])('a data folder that is %s is told in words', async (_what, make, words) => {
  const home = join(temporaryFolder(), 'data')
  make(home)
  const ended = await runCommand(home, ['status'])
  expect([ended.code, ended.out]).toEqual([1, ''])
  expect(ended.refused).toMatch(words)
  expect(ended.refused).not.toMatch(/\bE[A-Z]{4,}\b/)
})

test('the help says where the data lies', async () => {
  const app = await startApp()
  expect((await runCommand(app.home, ['--help'])).out).toContain(`Data lies in ${app.home}.`)
})
