import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LoadResult } from './support/load.ts'
import { load, type Started, start, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

/** Address and credentials of Meta's stand-in. */
interface Meta {
  url: string
  token: string
  secret: string
}

interface Ready {
  origin: string
  key: string
}
type Kurir = Started<Ready & { webhook: string }>

const ROUNDS = 5
const PLANS = [
  { connections: 1, requests: 1_000 },
  { connections: 20, requests: 4_000 },
  { connections: 100, requests: 6_000 },
]
const BODY = JSON.stringify({
  phone: '6281234567890',
  template_name: 'invoice_ready',
  parameters: ['Budi', 'INV-{n}', 'Rp 125.000'],
  reference_id: 'INV-{n}',
})

async function measure(server: Ready, plan: (typeof PLANS)[number]): Promise<LoadResult> {
  const result = await load({
    ...plan,
    origin: server.origin,
    path: '/waba/send-template',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.key}` },
    body: BODY,
  })
  if (result.failures > 0) throw new Error(`${result.failures} requests were refused`)
  return result
}

/**
 * Measures template sends relative to an Express handler that forwards with fetch and stores
 * nothing; rounds alternate.
 */
export async function benchOfficial(): Promise<string> {
  const peer = await start<Meta>('graph-peer.ts')
  const folder = temporaryFolder()
  const { url, token, secret } = peer.ready
  const kurir = await start<Ready>('kurir-official.ts', [folder.path, url, token, secret])
  const bare = await start<Ready>('bare-forward.ts', [url, token])
  const rows: string[][] = []
  for (const plan of PLANS) {
    for (const { ready } of [kurir, bare]) await measure(ready, { ...plan, requests: plan.requests / 2 })
    const rounds = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const result = { kurir: await measure(kurir.ready, plan), bare: await measure(bare.ready, plan) }
      if (process.env.BENCH_VERBOSE) console.error(plan.connections, JSON.stringify(result))
      rounds.push(result)
    }
    rows.push([
      String(plan.connections),
      ratio(median(rounds.map((r) => r.kurir.perSecond / r.bare.perSecond))),
      ratio(median(rounds.map((r) => r.kurir.p99 / r.bare.p99))),
    ])
  }
  for (const each of [kurir, bare, peer]) await each.stop()
  folder.remove()
  return table(['callers', 'template sends per second, ratio', 'p99, ratio'], rows)
}

const INGEST = [
  { name: 'one status a call, 1 caller', batch: 1, callers: 1, count: 2_000 },
  { name: 'one status a call, 20 callers', batch: 1, callers: 20, count: 6_000 },
  { name: '1,000 statuses a call, 1 caller', batch: 1_000, callers: 1, count: 20_000 },
]

/**
 * Measures from Meta's first call until the last status is applied. Absolute numbers, because there
 * is no baseline.
 */
export async function benchCallbacks(): Promise<string> {
  const peer = await start<Meta>('graph-peer.ts')
  const folder = temporaryFolder()
  const { url, token, secret } = peer.ready
  const kurir: Kurir = await start('kurir-official.ts', [folder.path, url, token, secret])
  const rows: string[][] = []
  let first = 0
  for (const { name, batch, callers, count } of INGEST) {
    const rates: number[] = []
    for (let round = 0; round < 3; round += 1) {
      await kurir.ask({ prepare: count })
      const numbers = [first, count, batch, callers].map(String)
      const { stdout } = await promisify(execFile)(process.execPath, [
        join(import.meta.dirname, 'support/call-back.ts'),
        kurir.ready.webhook,
        secret,
        ...numbers,
      ])
      await kurir.ask({ drained: true })
      rates.push(count / ((Date.now() - Number(stdout)) / 1000))
      first += count
    }
    rows.push([name, median(rates).toFixed(0)])
  }
  for (const each of [kurir, peer]) await each.stop()
  folder.remove()
  return table(['Meta’s callbacks', 'statuses per second'], rows)
}

if (import.meta.main) {
  console.log(await benchOfficial())
  console.log(await benchCallbacks())
}
