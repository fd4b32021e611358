import type { LoadResult } from './support/load.ts'
import { load, start, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

interface Ready {
  origin: string
  key: string
  device: string
}

const ROUNDS = 5
const REQUESTS = 150
/** Calls that a neighbour makes at the same time. */
const AT_ONCE = 4
const HONEST = JSON.stringify({ phone: '6281234567890', message: 'Your invoice INV-{n} is ready.' })
const list = (member: string, times: number): string => `[${Array.from({ length: times }, () => member).join()}]`
const template = (members: string): string => `{"phone":"6281234567890","template_name":"hello",${members}}`

interface Input {
  name: string
  method?: 'GET'
  path: string
  body?: string
}

const HOSTILE: Input[] = [
  {
    name: 'a wrong object in each of 300,000 places',
    path: '/waba/send-template',
    body: template(`"parameters":${list('{}', 300_000)}`),
  },
  {
    name: '80,000 wrong objects, below the limit of bytes',
    path: '/waba/send-template',
    body: template(`"parameters":${list('{}', 80_000)}`),
  },
  {
    name: '9,000 wrong objects, below the limit of values',
    path: '/waba/send-template',
    body: template(`"parameters":${list('{}', 9_000)}`),
  },
  { name: 'a nest of 8,000 levels', path: '/send', body: `${'['.repeat(8_000)}${']'.repeat(8_000)}` },
  { name: '500 KB of text in a member that nobody knows', path: '/send', body: `{"x":"${'x'.repeat(500_000)}"}` },
  { name: '1 MB of text in a member that nobody knows', path: '/send', body: `{"x":"${'x'.repeat(1_000_000)}"}` },
  {
    name: 'metadata of 9,000 values',
    path: '/send',
    body: `{"phone":"6281234567890","message":"x","metadata":{"a":${list('1', 9_000)}}}`,
  },
  { name: 'the description as a page, without a key', method: 'GET', path: '/docs' },
  { name: 'a search of three words', method: 'GET', path: '/messages?q=a+b+c' },
  { name: 'a wrong key', path: '/send', body: '{}' },
]

/** Calls as fast as it is answered until it is stopped. */
function repeat(origin: string, key: string, { method = 'GET', path, body }: Input): () => Promise<void> {
  let running = true
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const init = body === undefined ? { method, headers } : { method: 'POST', headers, body }
  async function go(): Promise<void> {
    while (running) {
      const answer = await fetch(origin + path, init)
      await answer.arrayBuffer()
    }
  }
  const done = Promise.all(Array.from({ length: AT_ONCE }, go))
  return async () => {
    running = false
    await done
  }
}

/** Resident memory of the program, in bytes. */
async function memoryOf({ origin, key }: Ready): Promise<number> {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await answer.text())?.[1])
}

/** Kurir, and a well-behaved caller whom others call beside. */
async function startShop() {
  const folder = temporaryFolder()
  const server = await start<Ready>('kurir.ts', [folder.path])
  const { origin, key, device } = server.ready
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  return {
    async beside(input: Input): Promise<LoadResult> {
      const stop = repeat(origin, input.name === 'a wrong key' ? 'kurir_d_wrong' : device, input)
      const result = await load({ origin, path: '/send', headers, body: HONEST, connections: 1, requests: REQUESTS })
      await stop()
      return result
    },
    memory: () => memoryOf(server.ready),
    async stop() {
      await server.stop()
      folder.remove()
    },
  }
}

/**
 * What a well-behaved caller notices of a neighbour that posts hostile input as fast as it is answered. The memory is that of
 * a program whose callers are all honest: it grows as well, until its garbage is worth a collection.
 */
export async function benchAbuse(): Promise<string> {
  const abused = await startShop()
  const spared = await startShop()
  const honest = { name: 'another caller like itself', path: '/send', body: HONEST }
  // Caches fill and code is compiled.
  for (const shop of [abused, spared]) for (let round = 0; round < ROUNDS; round += 1) await shop.beside(honest)
  const rows: string[][] = []
  for (const input of HOSTILE) {
    const rounds: { honest: LoadResult; hostile: LoadResult }[] = []
    // In turn, so that both meet what else the machine does.
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({ honest: await spared.beside(honest), hostile: await abused.beside(input) })
    const p50 = ratio(median(rounds.map((round) => round.hostile.p50 / round.honest.p50)))
    const p99 = ratio(median(rounds.map((round) => round.hostile.p99 / round.honest.p99)))
    rows.push([input.name, p50, p99, ratio((await abused.memory()) / (await spared.memory()))])
  }
  await abused.stop()
  await spared.stop()
  return table(['beside, against beside an honest caller', 'p50', 'p99', 'memory'], rows)
}
