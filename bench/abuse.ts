import { Agent, request } from 'node:http'
import type { LoadResult } from './support/load.ts'
import { residentBytes } from './support/memory.ts'
import { load, start, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

export interface Ready {
  origin: string
  owner: string
  shop: string
  empty: string
  neighbours: string[]
}

const ROUNDS = 3
/** Interval at which the till, the caller that is measured, posts. */
export const TILL_EVERY_MS = 20
export const ALONE_MS = 2_000
// Kurir indexes the words of new messages within ten seconds, so measure for longer.
export const TOGETHER_MS = 12_000
export const AT_ONCE = 4
const PHONE = '6281234567890'
export const HONEST = JSON.stringify({ phone: PHONE, message: 'Your invoice INV-{n} is ready.' })
const list = (member: string, times: number): string => `[${Array.from({ length: times }, () => member).join()}]`
const template = (members: string): string => `{"phone":"${PHONE}","template_name":"hello",${members}}`
const send = (message: string): string => JSON.stringify({ phone: PHONE, message })
const words = (n: number): string => Array.from({ length: 8_000 }, (_, i) => (n * 8_000 + i).toString(36)).join(' ')

export interface Abuse {
  name: string
  /** GET, or POST if there is a `body`. */
  path: string
  /** Returns the body of the nth call. */
  body?: (n: number) => string
  type?: string
  /** Whose key calls. Default: the first neighbour's. */
  as?: 'owner' | 'empty' | 'nobody' | 'all keys'
}

const metadata = `{${Array.from({ length: 1_200 }, (_, i) => `"m${i}":${i}`).join()}}`
const FORM = 'application/x-www-form-urlencoded'
const orders = `Phone,Text\n${Array.from({ length: 5_000 }, (_, i) => `6281${200_000_000 + i},Order ${i} is ready`).join('\n')}`
const targets = Array.from({ length: 500 }, (_, i) => `6281${300_000_000 + i}`).join()

export const ABUSES: readonly Abuse[] = [
  { name: 'another caller like itself', path: '/send', body: () => send('Your invoice is ready.') },
  {
    name: 'a wrong object in each of 300,000 places',
    path: '/waba/send-template',
    body: () => template(`"parameters":${list('{}', 300_000)}`),
  },
  {
    name: '80,000 wrong objects, below the limit of bytes',
    path: '/waba/send-template',
    body: () => template(`"parameters":${list('{}', 80_000)}`),
  },
  {
    name: '9,000 wrong objects, below the limit of values',
    path: '/waba/send-template',
    body: () => template(`"parameters":${list('{}', 9_000)}`),
  },
  { name: 'a nest of 8,000 levels', path: '/send', body: () => `${'['.repeat(8_000)}${']'.repeat(8_000)}` },
  { name: '1 MB of text in a member that nobody knows', path: '/send', body: () => `{"x":"${'x'.repeat(1_000_000)}"}` },
  {
    name: 'metadata of 9,000 values',
    path: '/send',
    body: () => `{"phone":"${PHONE}","message":"x","metadata":{"a":${list('1', 9_000)}}}`,
  },
  {
    name: 'metadata of 1,200 members',
    path: '/send',
    body: () => `{"phone":"${PHONE}","message":"x","metadata":${metadata}}`,
  },
  { name: 'texts of 8,000 new words', path: '/send', body: (n) => send(words(n)) },
  {
    name: "500 targets in Fonnte's form",
    path: '/compat/fonnte/send',
    body: () => `target=${targets}&message=${'x'.repeat(50_000)}`,
    type: FORM,
  },
  {
    name: '500 numbers through Wablas',
    path: '/compat/wablas/api/send-message',
    body: () => `phone=${targets}&message=${'x'.repeat(4_000)}`,
    type: FORM,
  },
  {
    name: '500 numbers through a panel',
    path: '/compat/panel/send-message',
    body: () => `number=${targets}&message=${'x'.repeat(4_000)}`,
    type: FORM,
  },
  {
    name: '4,000 wrong objects through WAHA',
    path: '/compat/waha/api/sendText',
    body: () => `{"session":"default","chatId":"${PHONE}@c.us","text":${list('{}', 4_000)}}`,
  },
  {
    name: '4,000 wrong objects through the Cloud API',
    path: '/compat/cloud/v22.0/SND-SANDBOX/messages',
    body: () => `{"messaging_product":"whatsapp","to":"${PHONE}","type":"template","template":${list('{}', 4_000)}}`,
  },
  {
    name: 'tables of 5,000 rows',
    path: '/api/tables',
    body: () => orders,
    type: 'application/octet-stream',
    as: 'owner',
  },
  { name: 'files of 100 KB', path: '/files', body: () => 'x'.repeat(100_000), type: 'application/octet-stream' },
  { name: 'lists of 200 long texts', path: '/messages?limit=200' },
  { name: 'the same, with sixteen keys', path: '/messages?limit=200', as: 'all keys' },
  { name: 'lists by time, of a sender without messages', path: '/messages?from=2020-01-01T00:00:00Z', as: 'empty' },
  {
    name: 'lists by time and status, of all',
    path: '/api/messages?from=2020-01-01T00:00:00Z&status=failed',
    as: 'owner',
  },
  { name: 'a search of three words', path: '/messages?q=a+b+c' },
  { name: "the owner's search", path: '/api/messages?q=invoice&limit=200', as: 'owner' },
  { name: "the owner's table of everything", path: '/api/messages/export.csv', as: 'owner' },
  { name: "the owner's first page", path: '/api/overview', as: 'owner' },
  { name: 'the description as a page, without a key', path: '/docs', as: 'nobody' },
  { name: 'a wrong key', path: '/send', body: () => '{}', as: 'nobody' },
]

/**
 * Calls without pause, each call as soon as the last one is answered, until the returned function
 * stops it.
 */
export function repeat({ origin, owner, empty, neighbours }: Ready, abuse: Abuse, atOnce: number): () => Promise<void> {
  const agent = new Agent({ keepAlive: true })
  let running = true
  let next = 0
  const keyOf = (n: number): string => {
    if (abuse.as === 'owner') return owner
    if (abuse.as === 'empty') return empty
    if (abuse.as === 'nobody') return 'kurir_d_wrong'
    return neighbours[abuse.as === 'all keys' ? n : 0] ?? ''
  }
  function call(key: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const body = abuse.body?.(next++)
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined
        ? {}
        : { 'content-type': abuse.type ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    // A call that is cut off counts as answered.
    const end = () => resolve()
    const req = request(origin + abuse.path, { method: body === undefined ? 'GET' : 'POST', headers, agent }, (res) =>
      res.resume().on('close', end),
    )
    req.on('error', end).end(body)
    if (!running) req.destroy()
    stops.add(req)
    req.on('close', () => stops.delete(req))
    return promise
  }
  const stops = new Set<{ destroy(): void }>()
  async function go(key: string): Promise<void> {
    while (running) await call(key)
  }
  const callers = abuse.as === 'all keys' ? neighbours.length : atOnce
  const done = Promise.all(Array.from({ length: callers }, (_, n) => go(keyOf(n))))
  return async () => {
    running = false
    // Destroy open calls, because a table of everything would continue for a long time.
    for (const each of stops) each.destroy()
    await done
    agent.destroy()
  }
}

/**
 * Measures a well-behaved caller beside neighbours that ask for as much as they can, relative to
 * the same caller alone. Rounds alternate on the same program.
 */
export async function benchAbuse(): Promise<string> {
  const folder = temporaryFolder()
  const { ready, stop } = await start<Ready>('kurir-filled.ts', [folder.path])
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ready.shop}` }
  const till = (forMs: number): Promise<LoadResult> =>
    load({
      origin: ready.origin,
      path: '/send',
      headers,
      body: HONEST,
      connections: 1,
      requests: 0,
      everyMs: TILL_EVERY_MS,
      forMs,
    })

  async function beside(abuses: readonly Abuse[], atOnce: number, forMs: number): Promise<string[]> {
    const rounds: { alone: LoadResult; beside: LoadResult }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await till(ALONE_MS)
      const stops = abuses.map((abuse) => repeat(ready, abuse, atOnce))
      rounds.push({ alone, beside: await till(forMs) })
      await Promise.all(stops.map((end) => end()))
    }
    const failures = rounds.reduce((sum, round) => sum + round.alone.failures + round.beside.failures, 0)
    if (failures > 0) throw new Error(`${failures} posts of the till were refused`)
    const ratioOf = (of: 'p50' | 'p95') => ratio(median(rounds.map((round) => round.beside[of] / round.alone[of])))
    const memory = (await residentBytes(ready.origin, ready.owner)) / before
    const row = [ratioOf('p50'), ratioOf('p95'), ratio(memory)]
    const timesOf = ({ p50, p95 }: LoadResult) => `${p50.toFixed(1)}/${p95.toFixed(1)}`
    console.error(`${row.join(' ')}: ${rounds.map((r) => `${timesOf(r.alone)} → ${timesOf(r.beside)}`).join(', ')} ms`)
    return row
  }

  // Warm up first: caches fill, and code is compiled.
  let before = 1
  const [honest] = ABUSES
  if (honest !== undefined) await beside([honest], AT_ONCE, ALONE_MS)
  before = await residentBytes(ready.origin, ready.owner)
  const rows: string[][] = []
  for (const abuse of ABUSES) rows.push([abuse.name, ...(await beside([abuse], AT_ONCE, ALONE_MS))])
  rows.push(['all of these together, one call of each', ...(await beside(ABUSES, 1, TOGETHER_MS))])
  await stop()
  folder.remove()
  return table(['beside, against undisturbed', 'p50', 'p95', 'memory'], rows)
}

if (import.meta.main) console.log(await benchAbuse())
