import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../server/cli/client.ts'
import type { OwnerAct } from '../../server/slices/owner-acts/contract.ts'
import { createOwnerActStore } from '../../server/slices/owner-acts/store.ts'
import { ask, startProgram } from '../crash/program.ts'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { engineEnv, isShared } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startReceiver } from '../support/receiver.ts'
import { openSession } from '../support/session.ts'

const DAY = 24 * 3_600_000
const actsOf = async (app: TestApp) => (await app.owner<OwnerAct[]>('/api/owner-acts?limit=200')).body.data
const shown = async (app: TestApp) => (await actsOf(app)).map(({ words, thing }) => [words, thing])

test('an act is noted with what it was done to, and without secrets, texts and numbers', async () => {
  const app = await startApp()
  const { body } = await app.owner<{ id: string; key: string }>('/api/keys', {
    body: { kind: 'global', name: 'Kasir' },
  })
  const gudang = await app.sender('linked', { name: 'Gudang' })
  await app.owner(`/api/senders/${gudang}/pause`, { method: 'POST' })
  await app.owner(`/api/senders/${gudang}`, { method: 'PATCH', body: { name: 'Gudang 2' } })
  const changed = { compat_fonnte: true, file_folders: ['/srv/rahasia'] }
  await app.owner('/api/settings', { method: 'PATCH', body: changed })
  const hook = { url: 'http://127.0.0.1:9/callback?token=rahasia', events: ['message.sent'] }
  const endpoint = await app.owner<{ id: string }>('/api/webhooks', { body: hook })
  await app.owner(`/api/webhooks/${endpoint.body.data.id}`, { method: 'PATCH', body: { enabled: false } })
  await app.owner('/suppressions', { body: { phone: '6281234567890', scope: 'all' } })
  await app.owner('/suppressions?phone=6281234567890', { method: 'DELETE' })
  await app.owner('/api/texts', { body: { name: 'Siap', text: 'rahasia' } })
  await app.owner('/waba/send-template', {
    body: { sender_code: SANDBOX, phone: '6281234567890', template_name: 'invoice', language: 'id' },
  })
  await app.owner(`/api/keys/${body.data.id}`, { method: 'DELETE' })
  const acts = await actsOf(app)
  expect(acts.toReversed().map(({ words, thing, details }) => [words, thing, details.join(', ')])).toEqual([
    ['Made an API key', 'Kasir', 'Kind: for all senders'],
    ['Added a sender', 'Gudang', 'Kind: linked number'],
    ['Paused a sender', 'Gudang', ''],
    ['Changed a sender', 'Gudang 2 · Gudang', 'Name'],
    ['Changed settings', null, 'Folders on this PC, Answer as Fonnte does: on'],
    ['Added a webhook', '127.0.0.1:9', ''],
    ['Changed a webhook', '127.0.0.1:9', 'Switch: off'],
    ['Noted an opt-out', '…7890', 'What is stopped: all messages'],
    ['Lifted an opt-out', '…7890', ''],
    ['Saved a text', 'Siap', ''],
    ['Sent a template', 'invoice · Sandbox', ''],
    ['Revoked an API key', 'Kasir', ''],
  ])
  expect(acts.every(({ done, by }) => done && by === 'token')).toBe(true)
  const stored = JSON.stringify([acts, await app.disk.rows('SELECT * FROM owner_acts')])
  for (const secret of ['rahasia', body.data.key, '6281234567890']) expect(stored).not.toContain(secret)
})

test('an act on a message is told with its recipient while the message is there, and kept without', async () => {
  const app = await startApp()
  const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'x', reference_id: 'INV-7', delay: 3_600 }
  const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
  await app.owner(`/api/messages/${id}`, { method: 'DELETE' })
  await app.key({ name: 'till' })
  expect((await actsOf(app)).map(({ thing, message }) => [thing, message])).toEqual([
    ['till', null],
    [id, { id, recipient: '6281234567890', reference_id: 'INV-7' }],
  ])
  expect(JSON.stringify(await app.disk.rows('SELECT * FROM owner_acts'))).not.toContain('6281234567890')
  await app.disk.write(`DELETE FROM messages WHERE id = '${id}'`)
  expect((await actsOf(app)).at(-1)).toMatchObject({ thing: id, message: null })
})

describe('who did it', () => {
  test('a window by its browser, the command line, the tray, a program with the token', async () => {
    const app = await startApp()
    const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const { headers } = await openSession(app, { 'user-agent': browser })
    const body = { name: 'Siap', text: 'x' }
    await app.fetch('/api/texts', { body, headers })
    await createClient([app.home]).call('/api/texts', { json: { ...body, name: 'Lunas' } })
    await app.app.setAllPaused(true)
    await app.owner('/api/senders/resume', { method: 'POST' })
    const nobody = { browser: null, address: null }
    expect((await actsOf(app)).toReversed()).toMatchObject([
      { by: 'window', browser, address: '127.0.0.1', thing: 'Siap' },
      { by: 'command_line', ...nobody, thing: 'Lunas' },
      { by: 'tray', ...nobody, words: 'Paused all senders' },
      { by: 'token', ...nobody, words: 'Resumed all senders' },
    ])
  })

  test('nobody, where a program called with its key, somebody only looked, or it was refused', async () => {
    const app = await startApp()
    const key = await app.key({ name: 'till' })
    await app.call(key, '/suppressions', { phone: '6281234567890', scope: 'all' })
    await app.owner('/api/overview')
    await app.owner('/send', { body: { sender_code: SANDBOX, phone: '6281234567891', message: 'x' } })
    expect((await app.owner('/api/keys/nobody', { method: 'DELETE' })).status).toBe(404)
    expect((await app.owner('/api/texts', { body: { name: '' } })).status).toBe(400)
    expect((await app.fetch('/api/texts', { body: { name: 'x', text: 'x' } })).status).toBe(403)
    expect(await shown(app)).toEqual([['Made an API key', 'till']])
  })
})

describe('the list', () => {
  test('survives a restart, is kept for a year, and comes in pages', async () => {
    const clock = createTestClock()
    const app = await startApp({ clock })
    const act = { actedBy: 'tray', browser: null, address: null, act: 'tray pause', details: [], done: true } as const
    const rows = [366, 364].map((days) => ({
      ...act,
      id: `${days}`,
      at: clock.now() - days * DAY,
      thing: `${days} days`,
    }))
    await createOwnerActStore(app.app.store.statements).add(rows, { since: 0, most: 10 })
    await app.restart()
    expect((await actsOf(app)).map(({ thing }) => thing)).toEqual(['364 days'])
    for (const name of ['one', 'two', 'three']) await app.key({ name })
    const first = await app.owner<OwnerAct[]>('/api/owner-acts?limit=3')
    expect(first.body.data.map(({ thing }) => thing)).toEqual(['three', 'two', 'one'])
    const next = await app.owner<OwnerAct[]>(`/api/owner-acts?limit=3&cursor=${first.body.next_cursor}`)
    expect([next.body.data.map(({ thing }) => thing), next.body.next_cursor]).toEqual([['364 days'], null])
    expect(await app.disk.rows("SELECT * FROM owner_acts WHERE thing = '366 days'")).toEqual([])
  })

  test('as a table runs no formula, in the language of whom it is for', async () => {
    const app = await startApp()
    await app.key({ name: '=HYPERLINK("http://evil.example")' })
    await app.owner('/api/settings', { method: 'PATCH', body: { compat_waha: true } })
    const english = await app.owner('/api/owner-acts/export.csv?time_zone=Asia/Jakarta')
    expect(english.headers['content-disposition']).toContain('owner-acts.csv')
    const [head, settings, key, end] = english.text.split('\r\n')
    expect(head).toBe('Time,By,From,What,Which,Changed,Remark')
    expect(settings).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,Program with .*,,Changed settings,,Answer as WAHA does: on,$/,
    )
    expect(key).toContain(`,"'=HYPERLINK(""http://evil.example"")",`)
    expect(end).toBe('')
    const indonesian = await app.owner('/api/owner-acts/export.csv?language=id')
    expect(indonesian.text.split('\r\n')[1]).toContain(';Mengubah pengaturan;;Menjawab seperti WAHA: nyala;')
  })
})

describe('nothing is lost in silence', () => {
  test('an act during which the power fails is there at the next start', async () => {
    const home = temporaryFolder()
    const env = await engineEnv(home)
    const receiver = await startReceiver()
    receiver.answer('hold')
    const program = await startProgram(home, env)
    const { id } = await ask<{ id: string }>(program, '/api/webhooks', { url: receiver.url, events: ['message.sent'] })
    const lost = ask(program, `/api/webhooks/${id}/test`, {}).catch(() => 'lost')
    await receiver.calls(1)
    await program.kill()
    receiver.release()
    expect(await lost).toBe('lost')
    const again = await startProgram(home, env)
    onTestFinished(again.kill)
    expect(await ask<OwnerAct[]>(again, '/api/owner-acts')).toMatchObject([
      { words: 'Sent a test callback', done: false },
      { words: 'Added a webhook', done: true },
    ])
  })

  test('what ended in the middle stays, and says that its end is not known', async () => {
    const app = await startApp()
    const letThrough = await app.disk.refuse({ event: 'INSERT', table: 'saved_texts', when: "NEW.name = 'Siap'" })
    expect((await app.owner('/api/texts', { body: { name: 'Siap', text: 'x' } })).status).toBeGreaterThanOrEqual(500)
    await letThrough()
    const [act] = await actsOf(app)
    expect(act).toMatchObject({ words: 'Saved a text', thing: 'Siap', done: false })
    const { text } = await app.owner('/api/owner-acts/export.csv')
    expect(text).toContain('Whether it was completed is not known')
  })

  test.each([
    ['begun', 'INSERT', "NEW.thing = 'Siap'", []],
    ['ended', 'UPDATE', "NEW.thing = 'Siap'", [{ thing: 'Siap', done: false }]],
  ] as const)(
    'an act whose note cannot be %s is done all the same, and stands in the log',
    async (_, event, when, left) => {
      const app = await startApp()
      const letThrough = await app.disk.refuse({ event, table: 'owner_acts', when })
      expect((await app.owner('/api/texts', { body: { name: 'Siap', text: 'x' } })).status).toBe(200)
      await letThrough()
      expect(app.logs()).toContain('what an owner did could not be noted')
      expect(await actsOf(app)).toMatchObject(left)
    },
  )

  test.skipIf(isShared)('a restored backup does not take away what was done after it', async () => {
    const app = await startApp()
    await app.key({ name: 'before' })
    const backup = await app.connect('/api/backup', {
      ...{ method: 'POST', body: { passphrase: 'kunci yang panjang sekali' } },
      headers: { authorization: `Bearer ${OWNER_TOKEN}` },
    })
    const file = Buffer.from(await backup.body.arrayBuffer())
    await app.key({ name: 'after' })
    const headers = {
      'content-type': 'application/octet-stream',
      'x-passphrase': encodeURIComponent('kunci yang panjang sekali'),
    }
    const wrong = { ...headers, 'x-passphrase': 'wrong-passphrase' }
    expect((await app.owner('/api/restore', { method: 'POST', headers: wrong, body: file })).status).toBeGreaterThan(
      399,
    )
    expect((await app.owner('/api/restore', { method: 'POST', headers, body: file })).status).toBe(200)
    await app.owner('/api/texts', { body: { name: 'until the restart', text: 'x' } })
    await app.restart()
    expect((await app.owner<{ name: string }[]>('/api/keys')).body.data.map(({ name }) => name)).toEqual(['before'])
    expect(await shown(app)).toEqual([
      ['Saved a text', 'until the restart'],
      ['Restored a backup', null],
      ['Made an API key', 'after'],
      ['Made a backup file', null],
      ['Made an API key', 'before'],
    ])
    expect((await actsOf(app)).every(({ done }) => done)).toBe(true)
    await app.restart()
    expect(await actsOf(app)).toHaveLength(5)
  })
})
