import type { LoadResult } from './support/load.ts'
import { load, start, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

interface Ready {
  origin: string
  key: string
}

const ROUNDS = 5
const PLANS = [
  { connections: 1, requests: 3_000 },
  { connections: 50, requests: 8_000 },
]
const BODY = JSON.stringify({
  phone: '6281234567890',
  message: 'Your invoice INV-{n} of Rp 125.000 is ready. Thank you for shopping at Toko Melati!',
  reference_id: 'INV-{n}',
  metadata: { branch: 'Bandung', cashier: 'Ayu' },
})

async function measure(server: Ready, plan: (typeof PLANS)[number]): Promise<LoadResult> {
  const result = await load({
    ...plan,
    origin: server.origin,
    path: '/send',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.key}` },
    body: BODY,
  })
  if (result.failures > 0) throw new Error(`${result.failures} requests were refused`)
  return result
}

const BASELINES = {
  commits: 'Express, one commit a row',
  shared: 'Express, shared commits',
  nothing: 'Express, no database',
}
type Baseline = keyof typeof BASELINES

/**
 * Measures accepts per second relative to Express servers that commit in two ways or store nothing;
 * rounds alternate.
 */
export async function benchAccept(): Promise<string> {
  const rows: string[][] = []
  for (const plan of PLANS) {
    const folder = temporaryFolder()
    const servers = {
      kurir: await start<Ready>('kurir.ts', [folder.path]),
      commits: await start<Ready>('bare-express.ts', [folder.path]),
      shared: await start<Ready>('bare-express.ts', [folder.path, 'shared']),
      nothing: await start<Ready>('bare-express.ts'),
    }
    for (const { ready } of Object.values(servers)) await measure(ready, { ...plan, requests: plan.requests / 4 })
    const rounds = []
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push({
        kurir: await measure(servers.kurir.ready, plan),
        commits: await measure(servers.commits.ready, plan),
        shared: await measure(servers.shared.ready, plan),
        nothing: await measure(servers.nothing.ready, plan),
      })
    }
    for (const server of Object.values(servers)) await server.stop()
    folder.remove()
    for (const baseline of Object.keys(BASELINES) as Baseline[]) {
      rows.push([
        String(plan.connections),
        BASELINES[baseline],
        ratio(median(rounds.map((r) => r.kurir.perSecond / r[baseline].perSecond))),
        ratio(median(rounds.map((r) => r.kurir.p99 / r[baseline].p99))),
      ])
    }
  }
  return table(['connections', 'baseline', 'accepts per second, ratio', 'p99, ratio'], rows)
}

if (import.meta.main) console.log(await benchAccept())
