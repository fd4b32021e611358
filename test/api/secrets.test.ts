import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OWNER_TOKEN, SANDBOX, startApp } from '../support/app.ts'
import { isShared, KEY_FILE } from '../support/engine.ts'
import { startReceiver } from '../support/receiver.ts'
import { routesOf } from '../support/routes.ts'

interface Secret {
  id: string
  secret: string
}

// One life of the program, after which its secrets are looked for.
const app = await startApp({ lives: 'file' })
const hook = await startReceiver({ lives: 'file' })
const keys = [await app.key(), await app.key({ sender: SANDBOX })]
const { body: made } = await app.owner<Secret>('/api/webhooks', { body: { url: hook.url } })
const { body: rotated } = await app.owner<Secret>(`/api/webhooks/${made.data.id}/rotate-secret`, { method: 'POST' })
const meta = {
  access_token: 'EAAB-token-of-the-test',
  app_secret: 'app-secret-of-the-test',
  verify_token: 'verify-of-the-test',
}
const official = await app.owner<{ sender_code: string }>('/api/senders', {
  body: { kind: 'official', name: 'Official', phone_number_id: '1001', waba_id: '2002', ...meta },
})
const officialCode = official.body.data.sender_code
await app.owner(`/api/senders/${officialCode}`, { method: 'PATCH', body: { access_token: 'x' } })
await app.owner(`/api/senders/${officialCode}`, { method: 'PATCH', body: { access_token: meta.access_token } })
// Nobody answers there: what is logged about it must not hold the token either.
const template = { phone: '6281234567890', template_name: 'hello', sender_code: officialCode }
await app.call(keys[0] ?? '', '/waba/send-template', template)
const vaultKey = readFileSync(join(app.home, KEY_FILE), 'utf8').trim()
const secrets = [OWNER_TOKEN, ...keys, ...Object.values(meta), made.data.secret, rotated.data.secret, vaultKey]

for (const key of keys) {
  const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, reference_id: 'INV-1' }
  const { body: queued } = await app.call<{ id: string }>(key, '/send', body, {
    headers: { 'idempotency-key': 'order-1' },
  })
  await app.reached(queued.data.id, 'read')
  await hook.event('message.read', queued.data.id)
  await app.call(key, '/send', '{"broken')
  await app.call(`${key}x`, '/send', body)
  await app.fetch('/messages', { headers: { authorization: key } })
  await app.fetch(`/?token=${key}`)
  await app.fetch(`/waInstance1/sendMessage/${key}`)
  await app.fetch('/api/sessions', { body: { code: key } })
}
await app.fetch(`/?token=${OWNER_TOKEN}`)
await app.owner(`/api/webhooks/${made.data.id}/test`, { method: 'POST' })

test('no line of the log holds one, down to trace', () => {
  expect(app.logs()).toContain('refused')
  for (const secret of secrets) expect(app.logs()).not.toContain(secret)
})

test('no line of the log above debug holds a number or text of a customer', () => {
  const lines = app
    .logs()
    .split('\n')
    .filter((line) => !/"level":[12]0/.test(line))
  expect(lines.join('\n')).not.toMatch(/6281234567890|Halo|INV-1/)
})

test('no answer holds one that is not made by it', async () => {
  const ids: Record<string, string> = {
    '/api/senders/{code}': SANDBOX,
    '/api/webhooks/{id}': made.data.id,
    '/api/deliveries/{id}': '1',
  }
  let looked = 0
  for (const { method, path } of await routesOf(app)) {
    if (method !== 'GET' || path === '/api/events') continue
    const answer = await app.owner(path.replace(/\{\w+\}/, ids[path] ?? 'NOBODY'))
    for (const secret of secrets) expect(answer.text, path).not.toContain(secret)
    if (answer.status === 200) looked += 1
  }
  expect(looked).toBeGreaterThan(15)
})

test('no callback holds one', () => {
  for (const { text, headers } of hook.received)
    for (const secret of secrets) expect(text + JSON.stringify(headers)).not.toContain(secret)
})

test('on the disk they stand only where they are kept for this user alone', async () => {
  const files = readdirSync(app.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  if (!isShared) expect(files.map(({ name }) => name)).toContain('kurir.db-wal')
  const kept: Record<string, string> = { 'owner.token': OWNER_TOKEN, [KEY_FILE]: vaultKey }
  const modes = files.filter(({ name }) => name in kept).map(({ name, parentPath }) => statSync(join(parentPath, name)))
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual(modes.map(() => 0o600))
  for (const secret of secrets) {
    const places = await app.disk.places((bytes) => bytes.includes(secret))
    expect(places).toEqual(files.map(({ name }) => name).filter((name) => kept[name] === secret))
  }
})
