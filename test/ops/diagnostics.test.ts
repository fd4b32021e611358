import { expect, test } from 'vitest'
import type { Diagnostics, Health, Overview } from '../../server/contract/operation.ts'
import { DAY } from '../../server/lib/clock.ts'
import { scrub } from '../../server/lib/scrub.ts'
import { OWNER_TOKEN, SANDBOX, startApp } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'

test('the file says how Kurir is, and nothing of whom it writes to or how to get in', async () => {
  const app = await startApp()
  const key = await app.key({ name: 'Kasir Budi' })
  const sender = await app.sender('linked', { name: 'Toko Budi' })
  const hook = await app.owner<{ secret: string }>('/api/webhooks', {
    body: { url: 'http://127.0.0.1:9/a-secret-path' },
  })
  const settings = { media_allowed_hosts: ['files.budi.example'], file_folders: ['/home/Budi/faktur'] }
  await app.owner('/api/settings', { method: 'PATCH', body: settings })
  await app.call(key, '/send', { phone: '6281234567890', message: 'a private text', sender_code: SANDBOX })
  app.app.logger.warn(`something about 6281234567890, +62 812-3456-7890 and http://files.budi.example/INV-1.pdf?t=1`)

  // As errors have it: where the program lies, and what a mail server says of an address.
  const err = new Error('550 5.1.1 <ibu.sari@toko.example>: unknown')
  err.stack = 'Error: refused\n    at send (file:///home/sari/kurir/dist/server/main.js:10:5)'
  app.app.logger.warn({ err, file: 'C:\\Users\\Ibu Sari\\AppData\\kurir.db' }, 'an alarm could not be sent')

  const answer = await app.owner('/api/diagnostics')
  expect(answer.status).toBe(200)
  expect(answer.headers['content-disposition']).toBe('attachment; filename="kurir-diagnostics.json"')
  const report = JSON.parse(answer.text) as Diagnostics
  expect(report.senders).toContainEqual(expect.objectContaining({ sender_code: sender, state: 'unlinked', waiting: 0 }))
  expect(report.database_versions).toMatchObject({ kurir: expect.any(Number), sessions: expect.any(Number) })
  expect(report.settings).toMatchObject({ language: 'en', media_allowed_hosts: 1, file_folders: 1 })
  expect(report.log.at(-2)).toContain('something about [number]')
  expect(report.log.at(-1)).toContain('/home/[user]/kurir/dist/server/main.js:10:5')
  const secrets = [
    'Budi',
    'sari',
    'Sari',
    'private',
    '6281234567890',
    '812-3456',
    'INV-1',
    'a-secret-path',
    OWNER_TOKEN,
    key,
  ]
  for (const secret of [...secrets, hook.body.data.secret]) expect(answer.text).not.toContain(secret)
})

test('a line of the log keeps what helps and loses what is private', () => {
  expect(scrub('{"time":"2026-11-21T08:00:00.000Z","port":7420,"msg":"ready"}')).toBe(
    '{"time":"2026-11-21T08:00:00.000Z","port":7420,"msg":"ready"}',
  )
  expect(scrub('GET https://user:pass@files.example:8443/a/b.pdf?x=1 failed')).toBe(
    'GET https://files.example:8443/… failed',
  )
  expect(scrub('key kurir_g_abcDEF-1 and whsec_abc+/= and Bearer abc.def')).toBe(
    'key [key] and [secret] and Bearer [token]',
  )
  expect(scrub('to 6281234567890@s.whatsapp.net')).toBe('to [number]@s.whatsapp.net')
  expect(scrub('(/Users/sari/Library/kurir.db), "/home/sari"')).toBe('(/Users/[user]/Library/kurir.db), "/home/[user]"')
  expect(scrub('{"file":"D:\\\\Users\\\\Ibu Sari\\\\k.db","port":1}')).toBe(
    '{"file":"D:\\\\Users\\\\[user]\\\\k.db","port":1}',
  )
  expect(scrub('<ibu.sari+kurir@toko.co.id>: unknown')).toBe('<[mail]>: unknown')
  expect(scrub('message 019af3c2-1b2c-7d3e-8f4a-0123456789ab')).toContain('019af3c2-1b2c')
})

test('health says what needs the owner, to anybody and so without a name, and stays ready', async () => {
  const app = await startApp()
  await app.sender('linked', { name: 'Toko Budi' })
  await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: null } })
  const { status, body, text } = await app.fetch<Health['data']>('/health')
  expect(status).toBe(200)
  expect(body.data.concerns).toEqual([
    { code: 'nothing_linked', weight: 'choice', message: 'No number is linked yet.', count: 1, messages: 0 },
    { code: 'retention_never', weight: 'note', message: 'Messages are kept for ever.', count: 1, messages: 0 },
  ])
  expect(text).not.toMatch(/Budi|SND-/)
})

test('a shop that has had a number for a week is reminded of a backup, until it makes one', async () => {
  const app = await startApp()
  const { store } = app.app
  const codes = async () => (await app.owner<Overview>('/api/overview')).body.data.concerns.map(({ code }) => code)
  const add = (code: string, days: number) =>
    store.senders.add({
      ...{ code, kind: 'linked', state: 'connected', official: null, createdAt: Date.now() - days * DAY },
      settings: {
        ...{ name: 'Toko Budi', daily_cap: null, quiet_hours: null, country_code: null, second_road: null },
        pacing: { min_seconds: 0, max_seconds: 0 },
      },
    })
  await add('SND-NEW', 6)
  expect(await codes()).toEqual([])
  await add('SND-OLD', 8)
  expect(await codes()).toEqual(['backup_never'])
  const taken = await app.owner('/api/backup', { body: { passphrase: 'a long enough passphrase' } })
  expect(taken.status).toBe(200)
  await eventually(async () => (await codes()).length === 0)
  await app.restart()
  expect(await codes()).not.toContain('backup_never')
})
