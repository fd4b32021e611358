import { EventEmitter } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Overrides } from '../../server/composition/core.ts'
import { type Attention, type FromServer, fromServer, type ToServer } from '../../server/contract/desktop.ts'
import { overview } from '../../server/contract/operation.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { runDesktop } from '../../server/process/desktop.ts'
import { readConfig } from '../../server/settings/config.ts'
import { startHttpServer } from '../support/http-server.ts'

const TOKEN = 'token-that-the-shell-made'
const KEY = '11'.repeat(32)
const temporary = { TMPDIR: process.env.TMPDIR, TEMP: process.env.TEMP, TMP: process.env.TMP }
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  for (const [name, value] of Object.entries(temporary)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

/** Electron's line between the two processes, seen from the shell. */
class FakePort extends EventEmitter {
  readonly said: FromServer[] = []
  readonly #heard = new EventEmitter()

  postMessage(message: unknown): void {
    this.said.push(fromServer.parse(message))
    this.#heard.emit('said')
  }

  send(message: ToServer): void {
    this.emit('message', { data: message })
  }

  /** The first message that fits, said already (but after the first `skip`) or later. */
  async hears<M extends FromServer>(fits: (message: FromServer) => message is M, skip = 0): Promise<M> {
    for (;;) {
      const found = this.said.slice(skip).find(fits)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#heard.once('said', resolve))
    }
  }
}

const of =
  <T extends FromServer['type']>(type: T) =>
  (message: FromServer): message is Extract<FromServer, { type: T }> =>
    message.type === type

const attention =
  (fits: (received: Attention) => boolean) =>
  (message: FromServer): message is Attention =>
    message.type === 'attention' && fits(message)

function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'kurir-desktop-'))
  closers.push(async () => rmSync(home, { recursive: true, force: true }))
  return home
}

function createServer(home = temporaryHome(), { key = KEY, port = '0', overrides = {} as Overrides } = {}) {
  const line = new FakePort()
  const log: string[] = []
  const logger = createLogger('info', { write: (text) => void log.push(text) })
  runDesktop(line, () => readConfig({ KURIR_PORT: port, KURIR_WEBHOOK_PORT: '0' }), { ...overrides, logger })
  line.send({ type: 'init', home, ownerToken: TOKEN, vaultKeyHex: key })
  const stop = async () => {
    if (line.said.some(of('failed'))) return
    line.send({ type: 'stop' })
    await line.hears(of('stopped'))
  }
  closers.push(stop)
  const call = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
    const { url } = await line.hears(of('ready'))
    return fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
  return { line, home, stop, call, log: () => log.join('') }
}

test("serves with the shell's token and key, and says nothing of the token", async () => {
  const { line, home, call, stop, log } = createServer()
  const { url } = await line.hears(of('ready'))
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await call('/api/settings')).status).toBe(200)
  expect(existsSync(join(home, 'vault.key'))).toBe(false)
  const { instance, ...address } = JSON.parse(readFileSync(join(home, 'address.json'), 'utf8'))
  expect([instance, address]).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), { url }])
  expect(process.env.TMPDIR).toBe(join(home, 'tmp'))

  await stop()
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  expect(existsSync(join(home, 'address.json'))).toBe(false)
  for (const secret of [TOKEN, instance]) expect(log()).not.toContain(secret)
})

test('stopped while it starts, it never says that it is ready', async () => {
  const { line, stop } = createServer()
  await stop()
  expect(line.said.map(({ type }) => type)).toEqual(['stopped'])
})

test('a taken port is reported with its number and what to do', async () => {
  const other = await startHttpServer((_req, res) => res.end())
  closers.push(other.close)
  const { line } = createServer(undefined, { port: String(other.port) })
  const { message } = await line.hears(of('failed'))
  expect(message).toContain(`Port ${other.port} is taken`)
  expect(message).toContain('Settings')
})

test('a folder that is in use is reported, and the first program goes on', async () => {
  const first = createServer()
  await first.line.hears(of('ready'))
  const { message } = await createServer(first.home).line.hears(of('failed'))
  expect(message).toContain('Another Kurir already uses this data folder')
  expect((await first.call('/health')).status).toBe(200)
})

test('another key than the one that sealed the secrets stops the start and changes nothing', async () => {
  const first = createServer()
  const made = await first.call('/api/webhooks', { url: 'http://127.0.0.1:9/hook' })
  expect(made.status).toBe(200)
  await first.stop()

  const { message } = await createServer(first.home, { key: '22'.repeat(32) }).line.hears(of('failed'))
  expect(message).toContain('sealed with another key')
  expect(message).toContain('Nothing was changed')

  const again = createServer(first.home)
  await again.line.hears(of('ready'))
  expect((await again.call('/api/webhooks/1/rotate-secret', {})).status).toBe(200)
})

test('a wrong setting is reported by its name', async () => {
  const { message } = await createServer(undefined, { port: 'many' }).line.hears(of('failed'))
  expect(message).toContain('KURIR_PORT')
})

test('what the owner sets in the tray reaches every sender, and the picture follows in the chosen language', async () => {
  const { line, call } = createServer()
  await line.hears(attention(({ language, paused, items }) => language === 'en' && !paused && items.length === 0))

  line.send({ type: 'pause-all' })
  await line.hears(attention(({ paused }) => paused))
  const { data } = (await (await call('/api/senders')).json()) as { data: { state: string }[] }
  expect(data.map(({ state }) => state)).toEqual(['paused'])

  await call('/api/settings', { language: 'id' }, 'PATCH')
  await line.hears(attention(({ language, paused }) => language === 'id' && paused))

  line.send({ type: 'resume-all' })
  await line.hears(attention(({ language, paused }) => language === 'id' && !paused))
})

test('callbacks that a receiver does not want any more need the owner, until the owner has corrected it', async () => {
  const gone = await startHttpServer((_req, res) => res.writeHead(410).end())
  closers.push(gone.close)
  const { line, call } = createServer()
  await call('/api/webhooks', { url: `${gone.url}/hook` })
  await call('/api/webhooks/1/test', {})
  const { items } = await line.hears(attention(({ items }) => items.length > 0))
  expect(items).toEqual([
    {
      id: 'endpoint_gone/1',
      page: '/webhooks?open=1',
      title: expect.stringContaining(`Callbacks to 127.0.0.1:${gone.port} are switched off: it answered “Gone”.`),
      body: expect.stringContaining('switch the webhook on again'),
    },
  ])

  const before = line.said.length
  await call('/api/webhooks/1', undefined, 'DELETE')
  const after = await line.hears(of('attention'), before)
  expect(after.items).toEqual([])
})

test('an update that is ready is a note for the owner, and no alarm', async () => {
  const { line, call } = createServer()
  const notes = async () => {
    const { data } = overview.parse(await (await call('/api/overview')).json())
    return data.concerns.filter(({ code }) => code === 'update_available')
  }
  expect(await notes()).toEqual([])
  line.send({ type: 'update-ready', version: '1.3.0' })
  await expect
    .poll(notes, { interval: 20 })
    .toMatchObject([{ detail: '1.3.0', weight: 'note', page: '/settings#about' }])
  const report = (await (await call('/health')).json()) as { concerns?: { code: string; message: string }[] }
  expect(JSON.stringify(report)).toContain('1.3.0')
  expect(line.said.filter(of('attention')).flatMap(({ items }) => items)).toEqual([])
})

test('what sleeps sends nothing, and goes on when it wakes', async () => {
  const { line, call } = createServer()
  const send = async () => {
    const answer = await call('/send', { phone: '6281234567890', message: 'Hi', sender_code: 'SND-SANDBOX' })
    return ((await answer.json()) as { data: { id: string } }).data.id
  }
  const statusOf = async (id: string) =>
    ((await (await call(`/messages/${id}`)).json()) as { data: { status: string } }).data.status
  await line.hears(of('ready'))

  line.send({ type: 'suspend' })
  const id = await send()
  expect(await statusOf(id)).toBe('queued')
  line.send({ type: 'resume' })
  await expect.poll(() => statusOf(id), { interval: 20 }).toBe('read')
})

test('Kurir restarts in the same process for a setting that counts from the next start', async () => {
  const { line, call } = createServer()
  await call('/api/settings', { port: 7999 }, 'PATCH')
  const { url } = await line.hears(of('ready'))
  const before = line.said.length
  const headers = { authorization: `Bearer ${TOKEN}` }
  const read = async (at: string) => (await (await fetch(`${at}/api/settings`, { headers })).json()) as object
  expect(await read(url)).toMatchObject({ data: { restart_needed: true } })
  const asked = await fetch(`${url}/api/restart`, { method: 'POST', headers })
  expect(await asked.json()).toMatchObject({ data: { restarts: true } })
  const again = await line.hears(of('ready'), before)
  const said = line.said.slice(before).map(({ type }) => type)
  expect(said.filter((type) => type !== 'attention')).toEqual(['restarting', 'ready'])
  expect(await read(again.url)).toMatchObject({ data: { restart_needed: false, port: 7999 } })
})

test('a restored backup counts at once: the same process starts again and says where', async () => {
  const { line, call } = createServer()
  await call('/api/senders', { kind: 'linked', name: 'In the backup' })
  const backup = await call('/api/backup', { passphrase: 'long enough' })
  const file = await backup.bytes()
  await call('/api/senders', { kind: 'linked', name: 'After it' })

  const { url } = await line.hears(of('ready'))
  const before = line.said.length
  const restored = await fetch(`${url}/api/restore`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/octet-stream',
      'x-passphrase': 'long%20enough',
    },
    body: file,
  })
  expect(await restored.json()).toMatchObject({ success: true, data: { restarts: true } })
  const again = await line.hears(of('ready'), before)
  const answer = await fetch(`${again.url}/api/senders`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const { data } = (await answer.json()) as { data: { name: string }[] }
  expect(data.map(({ name }) => name).sort()).toEqual(['In the backup', 'Sandbox'])
})
