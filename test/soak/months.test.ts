import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from '../crash/random.ts'
import { programFile } from '../support/built.ts'
import { temporaryFolder } from '../support/folder.ts'
import { callbacks } from '../support/graph-peer/callbacks.ts'
import { APP_SECRET, SENDER, startShopPeer } from '../support/official.ts'
import { startReceiver } from '../support/receiver.ts'
import { startWhatsAppPeer } from '../support/whatsapp-peer/index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const DAYS = Number(process.env.MONTHS_DAYS ?? 60)
const SEED = Number(process.env.MONTHS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const TOKEN = 'owner-token-of-the-months-0123456789'
const SHOP = '6281111111111'
const CUSTOMERS = ['6285555555501', '6285555555502', '6285555555503', '6285555555504']
const RETENTION_DAYS = 14
/** An owner who makes no backup, and a PC that nobody else reaches, are not what is judged. */
const ALLOWED = /^(backup_|retention_never|missing_public_address|checks_failed|statuses)/

/** Midnight of a day in a time zone. */
function midnight(zone: string, year: number, month: number, day: number): number {
  const guess = Date.UTC(year, month - 1, day)
  const shown = new Date(guess).toLocaleString('sv', { timeZone: zone })
  return guess - (Date.parse(`${shown.replace(' ', 'T')}Z`) - guess)
}

interface Program {
  url: string
  webhookUrl: string
  advance(ms: number): Promise<void>
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

async function startAt(home: string, zone: string, at: number, env: Record<string, string>): Promise<Program> {
  const modules = (['composition/app', 'settings/config'] as const).map((name) => pathToFileURL(programFile(name)).href)
  const child = fork(new URL('./months-program.ts', import.meta.url), [...modules, String(at)], {
    execArgv: [],
    env: {
      ...process.env,
      ...{ TZ: zone, KURIR_HOME: home, KURIR_PORT: '0', KURIR_WEBHOOK_PORT: '0', KURIR_OWNER_TOKEN: TOKEN },
      ...{ KURIR_LOG_LEVEL: process.env.MONTHS_LOG ?? 'silent' },
      ...env,
    },
  })
  const exited = once(child, 'exit')
  const died = exited.then(([code, signal]) => Promise.reject(new Error(`Kurir ended with ${code ?? signal}`)))
  died.catch(() => undefined)
  const [{ url, webhookUrl }] = (await Promise.race([once(child, 'message'), died])) as [Program]
  return {
    url,
    webhookUrl,
    async advance(ms) {
      child.send(ms)
      await Promise.race([once(child, 'message'), died])
    },
    async end(signal) {
      child.kill(signal)
      await exited
    },
  }
}

interface Sent {
  id: string
  text: string
}

test.each([
  // Over a month's and a year's end, and over 28 March.
  ['Asia/Jakarta', [2026, 11, 30]],
  ['Europe/Berlin', [2027, 2, 8]],
] as const)(
  `a PC in %s that is on from 8:30 to 17:30 on working days, for ${DAYS} days (seed ${SEED})`,
  async (zone, [year, month, first]) => {
    const random = createRandom(SEED)
    const home = temporaryFolder()
    const [whatsapp, graph, till] = [await startWhatsAppPeer(), await startShopPeer(), await startReceiver()]
    onTestFinished(async () => {
      await whatsapp.close()
      await graph.close()
    })
    const env = {
      ...{ KURIR_WHATSAPP_URL: whatsapp.url, KURIR_WHATSAPP_ROOT_KEY: whatsapp.rootKeyHex, KURIR_GRAPH_URL: graph.url },
    }
    const phone = whatsapp.phone(SHOP, { name: 'Toko Melati' })
    const customers = new Map(CUSTOMERS.map((number) => [number, whatsapp.recipient(number)]))
    const all: Sent[] = []
    const replies: string[] = []
    const strange: string[] = []
    const figures: Record<string, number>[] = []
    let known = new Set<string>()
    let linked = ''
    let official = ''
    let program: Program | undefined
    let untold: string[] = []
    onTestFinished(async () => {
      await program?.end('SIGKILL').catch(() => undefined)
    })

    async function ask<D>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<D> {
      const answer = await fetch(`${program?.url}${path}`, {
        method,
        // Its real time between two calls may be as long as the program keeps a connection.
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', connection: 'close' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
      return (JSON.parse(text) as { data: D }).data
    }
    /** Looks again until it holds; what waits for another attempt gets its time. */
    async function wait(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
      for (let look = 1; look < 600; look += 1) {
        if (await holds()) return
        await setTimeout(20)
        if (look % 25 === 0) await program?.advance(MINUTE)
      }
      throw new Error(`not in 24 minutes: ${what}`)
    }
    const statusOf = async (id: string) => (await ask<{ status: string }>(`/messages/${id}`)).status
    const meta = () => callbacks({ to: program?.webhookUrl ?? '', appSecret: APP_SECRET })
    const isLinked = async () => (await ask<{ state: string }>(`/api/senders/${linked}`)).state === 'connected'

    async function setUp(): Promise<void> {
      await ask('/api/settings', { retention_days: RETENTION_DAYS }, 'PATCH')
      const url = `${till.url}`
      await ask('/api/webhooks', {
        url,
        events: ['message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.received'],
      })
      const pacing = { min_seconds: 0, max_seconds: 0 }
      linked = (await ask<{ sender_code: string }>('/api/senders', { kind: 'linked', name: 'Toko Melati', pacing }))
        .sender_code
      official = (await ask<{ sender_code: string }>('/api/senders', SENDER)).sender_code
      await ask(`/api/senders/${linked}/link`, { method: 'qr' })
      const codeOf = async () => (await ask<{ qr: string | null }>(`/api/senders/${linked}`)).qr
      await wait('a QR code', async () => (await codeOf()) !== null)
      await phone.scan((await codeOf()) ?? '')
      await wait('the link', isLinked)
    }

    async function text(more: object = {}): Promise<Sent> {
      const message = `pesan ${all.length}`
      const to = CUSTOMERS[Math.floor(random() * CUSTOMERS.length)]
      const { id } = await ask<{ id: string }>('/send', { phone: to, message, sender_code: linked, ...more })
      const sent = { id, text: message }
      all.push(sent)
      return sent
    }

    /** Taken by Meta; what becomes of it is told by `reported`. */
    async function template(): Promise<{ id: string; wamid: string }> {
      const body = { phone: CUSTOMERS[0], template_name: 'invoice', sender_code: official }
      const { id, messageId } = await ask<{ id: string; messageId: string }>('/waba/send-template', body)
      all.push({ id, text: '' })
      return { id, wamid: messageId }
    }
    async function reported(wamid: string): Promise<void> {
      for (const status of ['sent', 'delivered', 'read']) await meta().status({ wamid, status })
    }

    async function look(when: string): Promise<void> {
      // A query may take longer here than its time by this clock.
      await wait(`${when}: connected`, isLinked)
      const { concerns } = await ask<{ concerns: { id: string; code: string }[] }>('/api/overview')
      const ids = concerns.map(({ id }) => id).filter((id) => !ALLOWED.test(id))
      for (const id of ids) if (!known.has(id)) strange.push(`${when}: ${id}`)
    }

    function measure(): Record<string, number> {
      const db = new Database(join(home, 'kurir.db'), { readonly: true })
      const tables = [
        'messages',
        'events',
        'webhook_deliveries',
        'webhook_attempts',
        'contacts',
        'idempotency',
        'replies',
        'meta_inbox',
      ]
      const rows = tables.map((table) => [table, Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get())])
      db.close()
      const sessions = new Database(join(home, 'sessions.db'), { readonly: true })
      rows.push(['signal_keys', Number(sessions.prepare('SELECT count(*) FROM signal_keys').pluck().get())])
      sessions.close()
      const bytes = readdirSync(home).filter((name) => name.startsWith('kurir.db'))
      return {
        ...Object.fromEntries(rows),
        kilobytes: Math.round(bytes.reduce((sum, name) => sum + statSync(join(home, name)).size, 0) / 1024),
      }
    }

    for (let day = 0, worked = 0; day < DAYS; day += 1) {
      const at = midnight(zone, year, month, first + day)
      if (new Date(at + 12 * HOUR).toLocaleDateString('en', { timeZone: zone, weekday: 'short' }) === 'Sun') continue
      const name = new Date(at + 12 * HOUR).toLocaleDateString('sv', { timeZone: zone })
      worked += 1
      // The till opens five minutes after Kurir.
      till.always('drop')
      program = await startAt(home, zone, at + 8.5 * HOUR, env)
      if (worked === 1) await setUp()
      await wait(`${name}: connected`, isLinked)
      await program.advance(2 * MINUTE)
      for (const wamid of untold) await reported(wamid)
      untold = []
      await program.advance(3 * MINUTE)
      till.always({ status: 200 })
      await look(`${name} 8:35`)
      await program.advance(30 * MINUTE)
      const today = [await text(), await text(), await text({ delay: 3_600 }), await text()]
      const named = await text({ send_at: new Date(at + 20 * HOUR + DAY).toISOString() })
      const templates = [await template(), await template()]
      for (const { wamid } of templates) await reported(wamid)
      for (const { id } of templates) await wait(`${name}: template`, async () => (await statusOf(id)) === 'read')
      await program.advance(90 * MINUTE)
      for (const { id, text: words } of today)
        await wait(`${name}: ${words}`, async () => /delivered|read/.test(await statusOf(id)))
      expect(await statusOf(named.id), 'a moment of tomorrow').toBe('queued')
      await look(`${name} 10:35`)
      const words = `balasan ${day}`
      const writer = customers.get(CUSTOMERS[day % CUSTOMERS.length] ?? '')
      await program.advance(6 * HOUR + 40 * MINUTE)
      await look(`${name} 17:15`)
      // The last quarter of an hour: the till is off already.
      till.always('drop')
      await writer?.send(words)
      replies.push(words)
      await text()
      const late = await template()
      untold.push(late.wamid)
      await program.advance(15 * MINUTE)
      if (worked === 1) {
        const { concerns } = await ask<{ concerns: { id: string }[] }>('/api/overview')
        known = new Set(concerns.map(({ id }) => id))
      }
      await program.end(random() < 0.5 ? 'SIGTERM' : 'SIGKILL')
      program = undefined
      if (worked % 6 === 0) figures.push(measure())
    }

    // Some more time for what was planned for tomorrow, with the till open.
    const end = midnight(zone, year, month, first + DAYS)
    program = await startAt(home, zone, end + 2 * DAY + 8.5 * HOUR, env)
    till.always({ status: 200 })
    await wait('connected', isLinked)
    await program.advance(2 * MINUTE)
    for (const wamid of untold) await reported(wamid)
    await program.advance(3 * HOUR)
    const unsettled = []
    for (const { id } of all) {
      const answer = await fetch(`${program.url}/messages/${id}`, {
        headers: { authorization: `Bearer ${TOKEN}`, connection: 'close' },
      })
      if (answer.status === 404) continue
      const { data } = (await answer.json()) as { data: { status: string } }
      if (!/delivered|read/.test(data.status)) unsettled.push(`${id} ${data.status}`)
    }
    const webhooks = await ask<{ pending: number; dead: number }[]>('/api/webhooks')
    await program.end('SIGTERM')
    program = undefined

    const told = new Map<string, string[]>()
    for (const { event, headers } of till.received) {
      const id = String(event.data.id ?? '')
      const mark = `${event.type} ${headers['webhook-id']}`
      const list = told.get(id) ?? []
      if (!list.includes(mark)) told.set(id, [...list, mark])
    }
    const untoldOf = all.filter(
      ({ id }) =>
        !['sent', 'delivered', 'read'].every(
          (what) => (told.get(id) ?? []).filter((mark) => mark.startsWith(`message.${what} `)).length === 1,
        ),
    )
    const failed = till.received.filter(({ event }) => event.type === 'message.failed')
    const heard = new Set(
      till.received
        .filter(({ event }) => event.type === 'message.received')
        .map(({ event }) => String(event.data.text)),
    )
    const got = await Promise.all([...customers.values()].map((each) => each.messages()))
    const arrived = got.flat()
    const texts = all.filter((each) => each.text !== '')
    const doubled = texts.filter(
      (each) => new Set(arrived.filter(({ text: words }) => words === each.text).map(({ id }) => id)).size !== 1,
    )
    const posts = graph.requests.filter(({ route }) => route === 'messages').length
    console.log({
      zone,
      seed: SEED,
      days: DAYS,
      messages: all.length,
      texts: texts.length,
      posts,
      callbacks: till.received.length,
      replies: [replies.length, heard.size],
    })
    console.table(figures)
    expect(strange, 'what Home says').toEqual([])
    expect(unsettled, 'lost or stuck').toEqual([])
    expect(
      failed.map(({ text: words }) => words),
      'failed',
    ).toEqual([])
    expect(doubled, 'doubled or never arrived').toEqual([])
    expect(posts, 'posts to Meta').toBe(all.length - texts.length)
    expect(untoldOf, 'not told once each').toEqual([])
    expect(
      replies.filter((words) => !heard.has(words)),
      'replies that the till never got',
    ).toEqual([])
    expect(webhooks.map(({ pending, dead }) => [pending, dead])).toEqual([[0, 0]])
    const [half, last] = [figures[Math.floor(figures.length / 2)], figures.at(-1)]
    if (DAYS >= 60)
      for (const [what, count] of Object.entries(last ?? {}))
        expect(count, what).toBeLessThan((half?.[what] ?? 0) * 1.3 + 50)
  },
)
