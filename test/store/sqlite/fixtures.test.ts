import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../server/store/index.ts'
import { migrations } from '../../../server/store/sqlite/migrations/index.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startReceiver, verify } from '../../support/receiver.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')
// As in ../fixtures/make.ts, which wrote them.
const VAULT_KEY = Buffer.alloc(32, 7)

interface Known {
  key: string
  webhook_id: string
  shop: string
  read: string
  queued: string
}

const versions = readdirSync(FIXTURES).flatMap((name) => /^v(\d+)\.db\.gz$/.exec(name)?.[1] ?? [])

test('there is a file of the present version of the schema', () => {
  expect(versions.map(Number)).toContain(migrations.at(-1)?.version)
})

test.each(versions)('a file of version %s opens, and everything in it works', async (version) => {
  const home = join(temporaryFolder(), 'kurir')
  mkdirSync(home)
  writeFileSync(join(home, 'kurir.db'), gunzipSync(readFileSync(join(FIXTURES, `v${version}.db.gz`))))
  const known = JSON.parse(readFileSync(join(FIXTURES, `v${version}.json`), 'utf8')) as Known
  const app = await startApp({ home, overrides: { vaultKey: VAULT_KEY } })

  const { body: list } = await app.call<{ id: string }[]>(known.key, '/messages')
  expect(list.data).toMatchObject([
    { id: known.queued, sender_code: known.shop, recipient: '628123456789', status: 'queued' },
    { id: known.read, status: 'read', reference_id: 'INV-1', metadata: { total: 1 }, message: 'Terima kasih 🙏' },
  ])
  const { body: found } = await app.call<{ id: string }[]>(known.key, '/messages?q=terima')
  expect(found.data.map(({ id }) => id)).toEqual([known.read])
  const { body: detail } = await app.call<{ timeline: { type: string }[]; deliveries: object[] }>(
    known.key,
    `/messages/${known.read}`,
  )
  expect(detail.data.timeline.map(({ type }) => type)).toEqual(['queued', 'attempt', 'sent', 'delivered', 'read'])
  expect(detail.data.deliveries).toMatchObject([
    { webhook_id: known.webhook_id, event: 'message.read', state: 'delivered' },
  ])

  // What was sealed then opens now: the old secret still signs beside a new one.
  const hook = await startReceiver()
  const path = `/api/webhooks/${known.webhook_id}`
  await app.owner(path, { method: 'PATCH', body: { url: hook.url } })
  const { body: rotated } = await app.owner<{ secret: string }>(`${path}/rotate-secret`, { method: 'POST' })
  const message = { phone: '6281234567890', message: 'new', sender_code: 'SND-SANDBOX' }
  const { body: sent } = await app.call<{ id: string }>(known.key, '/send', message)
  const callback = await hook.event('message.read', sent.data.id)
  expect(callback.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  verify(callback, rotated.data.secret)
})

test('with version 14 what was counted of a day stays, and is counted on', async () => {
  const home = join(temporaryFolder(), 'kurir')
  mkdirSync(home)
  writeFileSync(join(home, 'kurir.db'), gunzipSync(readFileSync(join(FIXTURES, 'v13.db.gz'))))
  const { queued } = JSON.parse(readFileSync(join(FIXTURES, 'v13.json'), 'utf8')) as Known
  const db = new Database(join(home, 'kurir.db'))
  const day = '2026-11-20'
  db.prepare("INSERT INTO daily_counts (day, status, count) VALUES (?, 'sent', 41), (?, 'failed', 2)").run(day, day)
  db.close()
  const store = await openStore({ home, now: Date.now, soon: 0 })
  onTestFinished(store.close)
  const at = new Date(2026, 10, 20, 12).getTime()
  await store.messages.change({ id: queued }, () => ({ status: 'sent', at, nextAt: null }))
  expect(await store.dailyCounts.since('')).toEqual([
    { day, status: 'failed', count: 2 },
    { day, status: 'sent', count: 42 },
  ])
})

test('with version 2 what the program keeps about itself has left the owner’s settings', async () => {
  const home = join(temporaryFolder(), 'kurir')
  mkdirSync(home)
  writeFileSync(join(home, 'kurir.db'), gunzipSync(readFileSync(join(FIXTURES, 'v1.db.gz'))))
  const namesIn = (table: string): string[] => {
    const db = new Database(join(home, 'kurir.db'), { readonly: true })
    const rows = db.prepare<[], { name: string }>(`SELECT name FROM ${table} ORDER BY name`).all()
    db.close()
    return rows.map(({ name }) => name)
  }
  expect(namesIn('settings')).toContain('data_key')
  const store = await openStore({ home, now: Date.now })
  expect(store.meta.get('data_key')).toMatch(/^[A-Za-z0-9+/]+=*$/)
  expect(store.settings.all()).not.toHaveProperty('data_key')
  expect((await store.sendingState.get(1)).sentOnDay, 'the sandbox has sent one').toBe(1)
  await store.close()
  expect(namesIn('settings')).not.toContain('data_key')
  expect(namesIn('meta')).toContain('data_key')
})
