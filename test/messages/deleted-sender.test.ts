import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SANDBOX, startApp } from '../support/app.ts'
import { startHttpServer } from '../support/http-server.ts'

const phone = '6281234567890'
const WAITING = new Set(['queued', 'sending'])

test('a sender that is deleted while callers send: everything accepted comes to an end', async () => {
  const app = await startApp()
  for (let round = 0; round < 3; round += 1) {
    const code = await app.sender('sandbox')
    const key = await app.key({ sender: code })
    const accepted: string[] = []
    let isThere = true
    const till = async () => {
      while (isThere) {
        const answer = await app.call<{ id: string }>(key, '/send', { phone, message: 'Halo', delay: 3_600 })
        if (answer.status === 200) accepted.push(answer.body.data.id)
        else isThere = false
        expect([200, 404], answer.text).toContain(answer.status)
      }
    }
    const tills = Array.from({ length: 16 }, till)
    while (accepted.length < 40) await app.fetch('/health')
    expect((await app.owner(`/api/senders/${code}`, { method: 'DELETE' })).status).toBe(200)
    await Promise.all(tills)
    const ends = await Promise.all(accepted.map((id) => app.message(id)))
    expect(ends.filter(({ status }) => WAITING.has(status))).toEqual([])
    expect(new Set(ends.map(({ error }) => error?.code))).toEqual(new Set(['sender_deleted']))
  }
})

test('what may have left is not called failed because of the deletion', async () => {
  const app = await startApp()
  const code = await app.sender('sandbox')
  const answer = await app.owner<{ id: string }>('/send', {
    body: { phone: '6281234560004', message: 'Halo', sender_code: code },
  })
  const { id } = answer.body.data
  await app.reached(id, 'sending')
  await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  expect(await app.message(id)).toMatchObject({ status: 'failed', error: { code: 'not_acknowledged' } })
})

test('it cannot be sent again', async () => {
  const app = await startApp()
  const code = await app.sender('sandbox')
  const body = { phone, message: 'Halo', sender_code: code, delay: 60 }
  const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
  await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  const again = await app.owner(`/api/messages/${id}/retry`, { method: 'POST' })
  expect([again.status, again.body.error.code]).toEqual([409, 'conflict'])
  expect(await app.app.store.messages.newest()).toMatchObject({ seq: 1 })
})

test('at a start what waits for a sender that was deleted comes to an end', async () => {
  const app = await startApp()
  const code = await app.sender('sandbox')
  const body = { phone, message: 'Halo', sender_code: code, delay: 3_600 }
  const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
  // As a power cut between the two steps of the deletion leaves it.
  await app.restart(() => app.disk.write(`UPDATE senders SET deleted_at = 1 WHERE code = '${code}'`))
  expect(await app.message(id)).toMatchObject({ status: 'failed', nextAt: null, error: { code: 'sender_deleted' } })
})

test('files that were fetched for it are deleted', async () => {
  const server = await startHttpServer((_req, res) => void res.end('%PDF-1.4\n%%EOF\n'))
  const app = await startApp()
  await app.owner('/api/settings', { method: 'PATCH', body: { media_allowed_hosts: ['127.0.0.1'] } })
  const code = await app.sender('sandbox')
  const body = { phone, message: 'Faktur', file: `${server.url}/invoice.pdf`, sender_code: code, delay: 20 }
  const answer = await app.owner('/send', { body })
  expect(answer.status, answer.text).toBe(200)
  const folder = join(app.home, 'media')
  while (!existsSync(folder) || readdirSync(folder).length === 0) await app.fetch('/health')
  await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  expect(readdirSync(folder)).toEqual([])
  await app.close()
  await server.close()
})

test('callers hear once that it is unlinked', async () => {
  const app = await startApp()
  const code = await app.sender('sandbox')
  await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  expect(await app.app.store.events.newest(), 'a sandbox was never linked').toBe(0)
  expect((await app.owner(`/api/senders/${SANDBOX}`, { method: 'DELETE' })).status).toBe(409)
})

test('its keys open nothing any more', async () => {
  const app = await startApp()
  const code = await app.sender('sandbox')
  const key = await app.key({ sender: code, name: 'Kasir' })
  const { body } = await app.call<{ id: string }>(key, '/send', { phone, message: 'Halo', delay: 60 })
  await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  const calls = await Promise.all([
    app.call(key, '/messages', undefined),
    app.call(key, `/messages/${body.data.id}`, undefined),
    app.call(key, '/suppressions', undefined),
    app.call(key, '/files', Buffer.from('x')),
    app.call(key, '/send', { phone, message: 'Halo' }),
  ])
  expect(calls.map(({ status, body }) => [status, body.error.code])).toEqual(Array(5).fill([404, 'sender_not_found']))
  const refused = await app.owner<{ key: string }[]>('/api/refused-calls')
  expect(new Set(refused.body.data.map((each) => each.key))).toEqual(new Set(['Kasir']))
})
