import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../../server/store/index.ts'
import { SANDBOX, startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { newRow } from '../../support/new-message.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
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

test('a customer whom nobody wrote to or heard from in the time of the log is in no file any more', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const { store } = app.app
  await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: 14 } })
  const linked = store.senders.byCode(await app.sender('linked'))?.id ?? 0
  const [wrote, written, refused, mapped] = ['6281200011101', '6281200011102', '6281200011103', '6281200011104']
  const send = (phone: string, more = {}) =>
    app.owner('/send', { body: { phone, message: 'Halo', sender_code: SANDBOX, ...more } })
  await store.contacts.learn(linked, [{ phone: wrote, lastMessageAt: clock.now(), timer: null }])
  await store.contacts.change(linked, written, { jid: `${written}@s.whatsapp.net`, checkedAt: clock.now() })
  const keys = [mapped, wrote].flatMap((number) => [
    { type: 'lid-mapping', id: number, value: Buffer.of(1) },
    { type: 'session', id: `${number}.0`, value: Buffer.of(1) },
  ])
  await store.sessions.setKeys(linked, keys)
  for (let n = 0; n < 300; n += 1) await send(written, { message: `Pesanan ${n} untuk ${written}` })
  const till = await app.key()
  await app.call(till, '/send', { phone: refused, message: 'Halo', sender_code: 'SND-NOBODY' })
  while ((await store.messages.list({ statuses: ['read'], limit: 400 })).length < 300) await clock.advance(100)
  await clock.advance(MINUTE)
  const found = (number: string): string[] => filesUnder(app.home).filter((file) => readFileSync(file).includes(number))
  for (const number of [wrote, written, refused, mapped]) expect(found(number), number).not.toEqual([])
  await app.restart(() => clock.sleep(15 * DAY))
  await app.app.store.contacts.learn(linked, [{ phone: '6281200011105', lastMessageAt: clock.now(), timer: null }])
  // What has no date gets one first.
  await app.restart(() => clock.sleep(15 * DAY))
  await clock.advance(2 * HOUR)
  const left = () => Object.fromEntries([wrote, written, refused, mapped].map((number) => [number, found(number)]))
  await expect.poll(left).toEqual({ [wrote]: [], [written]: [], [refused]: [], [mapped]: [] })
})

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
