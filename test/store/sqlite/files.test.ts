import { chmodSync, copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SANDBOX, startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/folder.ts'

const MINUTE = 60_000
const asRoot = process.getuid?.() === 0

async function open() {
  const clock = createTestClock()
  // Not removed by the program: its files are elsewhere during the test.
  const home = join(temporaryFolder(), 'kurir')
  const app = await startApp({ clock, home })
  const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, delay: 3_600 }
  const send = () => app.owner('/send', { body })
  expect((await send()).status).toBe(200)
  return { app, clock, send, file: (name: string) => join(home, name) }
}

test.each(['kurir.db', 'kurir.db-wal', 'sessions.db'])(
  '%s was moved away: 503 within a second, until it is back',
  async (name) => {
    const { app, clock, send, file } = await open()
    renameSync(file(name), file('elsewhere'))
    await clock.advance(1_000)
    const refused = await send()
    expect([refused.status, refused.body.error.code]).toEqual([503, 'storage_unavailable'])
    expect(refused.body.message).toMatch(/deleted, moved or replaced.*Put it back.*Nothing was accepted/)
    expect((await app.fetch('/health')).status).toBe(503)
    renameSync(file('elsewhere'), file(name))
    expect((await app.fetch('/health')).status, 'health looks by itself').toBe(200)
    expect((await send()).status).toBe(200)
  },
)

test('a database that was replaced by another file is refused as well', async () => {
  const { clock, send, file } = await open()
  renameSync(file('kurir.db'), file('true.db'))
  copyFileSync(file('true.db'), file('kurir.db'))
  await clock.advance(MINUTE)
  expect((await send()).status).toBe(503)
  rmSync(file('kurir.db'))
  renameSync(file('true.db'), file('kurir.db'))
  await clock.advance(MINUTE)
  expect((await send()).status).toBe(200)
})

// To root every file is writable.
test.skipIf(asRoot)('a database that may only be read is refused', async () => {
  const { clock, send, file } = await open()
  chmodSync(file('kurir.db'), 0o400)
  await clock.advance(MINUTE)
  const refused = await send()
  expect(refused.status).toBe(503)
  expect(refused.body.message).toMatch(/may not write to its data folder/)
  chmodSync(file('kurir.db'), 0o600)
  await clock.advance(MINUTE)
  expect((await send()).status).toBe(200)
})
