import { start, temporaryFolder } from './support/processes.ts'
import type { Stretch } from './support/stretches.ts'
import { median, ratio, table } from './support/table.ts'

const ROWS = 5_000
const ROUNDS = 7

const csv = [
  'No HP;Nama;Tagihan;Kota',
  ...Array.from({ length: ROWS }, (_, n) => `0812${10_000_000 + n};Pelanggan ${n};${n}.000;Surabaya`),
].join('\r\n')

const PLAN = {
  sender_code: 'SND-SANDBOX',
  phone_column: 'No HP',
  message: 'Halo {nama}, tagihan Anda {tagihan} di {kota}.',
}

/** Baseline: splits the rows and turns them into JSON, without quotes, checks or a database. */
function plain(): number {
  const began = performance.now()
  const [head = [], ...rows] = csv.split('\r\n').map((line) => line.split(';'))
  const text = JSON.stringify(rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]]))))
  if (JSON.parse(text).length !== ROWS) throw new Error('rows are missing')
  return performance.now() - began
}

interface Ready {
  origin: string
  owner: string
}

/** Measures taking and checking a table with the most rows allowed. */
export async function benchTables(): Promise<string> {
  const folder = temporaryFolder()
  const { ready, ask, stop } = await start<Ready>('kurir-tables.ts', [folder.path])

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(ready.origin + path, {
      method,
      headers: {
        authorization: `Bearer ${ready.owner}`,
        'content-type': typeof body === 'string' ? 'application/octet-stream' : 'application/json',
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return ((await answer.json()) as { data: T }).data
  }

  async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; stretch: Stretch; result: T }> {
    await ask({ watch: true })
    const began = performance.now()
    const result = await work()
    const ms = performance.now() - began
    return { ms, stretch: (await ask({ watch: false })) as Stretch, result }
  }

  await call('PATCH', '/api/senders/SND-SANDBOX', { country_code: '62' })
  const rounds: { name: string; ms: number; plain: number; stretch: Stretch }[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const base = plain()
    const taken = await timed(() => call<{ id: string }>('POST', '/api/tables', csv))
    const path = `/api/tables/${taken.result.id}`
    const checked = await timed(() => call<{ count: number }>('POST', `${path}/check`, PLAN))
    if (checked.result.count !== ROWS) throw new Error(`only ${checked.result.count} rows are good`)
    await call('DELETE', path)
    // The first round compiles the code.
    if (round > 0) rounds.push({ name: 'take', plain: base, ...taken }, { name: 'check', plain: base, ...checked })
  }
  await stop()
  folder.remove()
  const rows = ['take', 'check'].map((name) => {
    const its = rounds.filter((round) => round.name === name)
    const of = (value: (round: (typeof its)[number]) => number) => median(its.map(value))
    const worst = its.toSorted((a, b) => b.stretch.cpuMs - a.stretch.cpuMs)[0]?.stretch
    return [
      ...[name, String(ROWS), (of(({ ms }) => ms) / 1000).toFixed(2), (of((round) => round.plain) / 1000).toFixed(3)],
      ...[ratio(of((round) => round.ms / round.plain)), of(({ stretch }) => stretch.ms).toFixed(0)],
      ...[(worst?.cpuMs ?? 0).toFixed(0), worst?.place ?? ''],
    ]
  })
  const heads = [
    's',
    'split + JSON, s',
    'ratio',
    'longest stretch, ms',
    'most processor time in one, ms',
    'most of it in',
  ]
  return table(['step', 'rows', ...heads], rows)
}

if (import.meta.main) console.log(await benchTables())
