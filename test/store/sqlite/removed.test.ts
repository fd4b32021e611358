import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../../server/store/index.ts'
import { SANDBOX, startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { newRow } from '../../support/new-message.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const MARK = 'Rahasia'

/** The files of a folder that hold the mark. */
const marked = (folder: string): string[] =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(MARK))

test('of what was removed nothing can be found in a file', async () => {
  const home = temporaryFolder()
  const store = await openStore({ home, now: Date.now, soon: 0 })
  const settings = { name: 'Shop', pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null }
  const sender = { code: 'SND-1', kind: 'linked', state: 'connected', official: null, createdAt: 1 } as const
  const { id: senderId } = await store.senders.add({
    ...sender,
    settings: { ...settings, country_code: null, second_road: null },
  })
  const accept = (body: string, createdAt: number) =>
    store.messages.accept(newRow({ senderId, body, createdAt, status: 'failed', nextAt: null }), { unique: false })
  for (let n = 0; n < 40; n += 1) await accept(`${MARK}-${n} ${'x'.repeat(500)}`, 1)
  await accept('newer', 1_000)
  expect(marked(home)).not.toEqual([])
  expect(await store.retention.removeBefore({ ms: 500, silent: 500 }, 100)).toBe(40)
  await store.retention.scrub()
  await store.close()
  expect(marked(home)).toEqual([])
})

test('the copies that a migration or a restore leaves go with their time', async () => {
  const home = temporaryFolder()
  const store = await openStore({ home, now: Date.now })
  for (const name of ['kurir.db.v2.bak', 'kurir.db.before-restore', 'sessions.db.v1.bak']) {
    writeFileSync(join(home, name), MARK)
  }
  copyFileSync(join(home, 'kurir.db'), join(home, 'my own copy of kurir.db'))
  expect(await store.removeCopies(Date.now() - 60_000)).toEqual([])
  expect((await store.removeCopies(Date.now() + 60_000)).sort()).toEqual([
    'kurir.db.before-restore',
    'kurir.db.v2.bak',
    'sessions.db.v1.bak',
  ])
  await store.close()
  expect(readdirSync(home)).toContain('my own copy of kurir.db')
  expect(marked(home)).toEqual([])
})

test('a copy that cannot be deleted keeps nothing else', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: 1 } })
  const send = async (delay: number) => {
    const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, delay }
    return (await app.owner<{ id: string }>('/send', { body })).body.data.id
  }
  const id = await send(0)
  while ((await app.message(id)).status !== 'read') await clock.advance(100)
  // The newest row always stays.
  await send(20 * 86_400)
  // A folder in the place of a file.
  mkdirSync(join(app.home, 'kurir.db.v1.bak'))
  await app.restart(() => clock.sleep(40 * DAY))
  while ((await app.app.store.messages.find({ id })) !== undefined) await clock.advance(MINUTE)
})
