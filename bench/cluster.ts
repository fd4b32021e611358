import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../test/support/eventually.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { residentBytes } from './support/memory.ts'
import { load, type Started, start, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

interface Ready {
  origin: string
}

const ROUNDS = 5
const NODES = 3
const CONNECTIONS = 48
const REQUESTS = 3_000
const TOKEN = 'bench-owner-token-0123456789-0123456789'
const BODY = JSON.stringify({
  phone: '6281234567890',
  message: 'Your invoice INV-{n} of Rp 125.000 is ready. Thank you for shopping at Toko Melati!',
  reference_id: 'INV-{n}',
  metadata: { branch: 'Bandung', cashier: 'Ayu' },
})

/**
 * Returns the accepts per second of several servers together; each gets an equal share of the load.
 */
async function perSecond(servers: readonly Started<Ready>[], key: string): Promise<number> {
  const plan = {
    path: '/send',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: BODY,
    connections: CONNECTIONS / servers.length,
    requests: REQUESTS / servers.length,
  }
  const results = await Promise.all(servers.map(({ ready }) => load({ ...plan, origin: ready.origin })))
  const refused = results.reduce((sum, { failures }) => sum + failures, 0)
  if (refused > 0) throw new Error(`${refused} requests were refused`)
  return results.reduce((sum, result) => sum + result.perSecond, 0)
}

const call = async (origin: string, path: string, body: unknown) => {
  const answer = await fetch(origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return ((await answer.json()) as { data: Record<string, string> }).data
}

/**
 * Resolves with an API key once every node accepts it; nodes hear of each other's changes within a
 * second.
 */
async function keyFor(nodes: readonly Started<Ready>[]): Promise<string> {
  const [first] = nodes
  if (first === undefined) throw new Error('no node')
  const { sender_code } = await call(first.ready.origin, '/api/senders', { kind: 'linked', name: 'Bench' })
  const { key = '' } = await call(first.ready.origin, '/api/keys', { kind: 'device', name: 'Bench', sender_code })
  for (const { ready } of nodes) {
    const headers = { authorization: `Bearer ${key}` }
    await eventually(async () => (await fetch(`${ready.origin}/messages?limit=1`, { headers })).status === 200)
  }
  return key
}

/**
 * Measures one, two and three nodes on one PostgreSQL relative to Express with one INSERT per
 * request on the same database; rounds alternate.
 */
export async function benchCluster(): Promise<string> {
  const server = await startPostgres({ fsync: 'on' })
  const folder = temporaryFolder()
  const keyFile = join(folder.path, 'vault.key')
  writeFileSync(keyFile, '5a'.repeat(32), { mode: 0o600 })
  const bare = await start<Ready>('bare-postgres.ts', [server.url])
  const nodes: Started<Ready>[] = []
  for (let n = 1; n <= NODES; n += 1) {
    const home = join(folder.path, `node-${n}`)
    nodes.push(await start<Ready>('kurir-node.ts', [home, server.url, keyFile, `node-${n}`, TOKEN]))
  }
  const key = await keyFor(nodes)
  const memory = async () => median(await Promise.all(nodes.map(({ ready }) => residentBytes(ready.origin, TOKEN))))
  const idle = await memory()
  for (const each of [bare, ...nodes]) await perSecond([each], key)
  const rounds: number[][] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const baseline = await perSecond([bare], key)
    const counts: number[] = []
    for (let n = 1; n <= NODES; n += 1) counts.push((await perSecond(nodes.slice(0, n), key)) / baseline)
    rounds.push(counts)
  }
  const busy = await memory()
  for (const each of [bare, ...nodes]) await each.stop()
  await server.close()
  folder.remove()
  const rows = nodes.map((_, i) => [String(i + 1), ratio(median(rounds.map((counts) => counts[i] ?? 0)))])
  const resident = `A node: ${Math.round(idle / 1e6)} MB after its start, ${Math.round(busy / 1e6)} MB after the calls.`
  return `${table(['nodes', 'accepts per second, ratio'], rows)}\n\n${resident}`
}

if (import.meta.main) console.log(await benchCluster())
