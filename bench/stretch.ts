import { ABUSES, type Abuse, AT_ONCE, HONEST, type Ready, repeat, TILL_EVERY_MS, TOGETHER_MS } from './abuse.ts'
import { load, start, temporaryFolder } from './support/processes.ts'
import type { Stretch } from './support/stretches.ts'
import { ratio, table } from './support/table.ts'

const EACH_MS = 3_000

/**
 * Measures the main thread during each abuse: its longest stretch, and the stretch with the most
 * CPU time with the function that used most of it. Relative to the same program with only the till,
 * just before.
 */
export async function benchStretch(): Promise<string> {
  const folder = temporaryFolder()
  const { ready, ask, stop } = await start<Ready>('kurir-filled.ts', [folder.path])
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ready.shop}` }
  async function longest(abuses: readonly Abuse[], atOnce: number, forMs: number): Promise<Stretch> {
    const stops = abuses.map((abuse) => repeat(ready, abuse, atOnce))
    await ask({ watch: true })
    await load({
      ...{ origin: ready.origin, path: '/send', headers, body: HONEST },
      ...{ connections: 1, requests: 0, everyMs: TILL_EVERY_MS, forMs },
    })
    const stretch = (await ask({ watch: false })) as Stretch
    await Promise.all(stops.map((end) => end()))
    return stretch
  }
  async function row(name: string, abuses: readonly Abuse[], atOnce: number, forMs: number): Promise<string[]> {
    const alone = await longest([], 0, EACH_MS)
    const beside = await longest(abuses, atOnce, forMs)
    const times = [beside.ms, alone.ms, beside.cpuMs, alone.cpuMs].map((ms) => ms.toFixed(0))
    const cells = [name, ...times, ratio(beside.cpuMs / alone.cpuMs), beside.place]
    console.error(cells.join(' | '))
    return cells
  }

  // Warm up first: caches fill, and code is compiled.
  await longest(ABUSES.slice(0, 1), AT_ONCE, EACH_MS)
  const rows: string[][] = []
  for (const abuse of ABUSES) rows.push(await row(abuse.name, [abuse], AT_ONCE, EACH_MS))
  rows.push(await row('all of these together, one call of each', ABUSES, 1, TOGETHER_MS))
  await stop()
  folder.remove()
  const heads = ['longest stretch, ms', 'alone', 'most processor time in one, ms', 'alone', 'ratio', 'most of it in']
  return table(['during', ...heads], rows)
}

if (import.meta.main) console.log(await benchStretch())
