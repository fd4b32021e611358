import type { LoadResult } from './support/load.ts'
import { load, type Started, start, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

interface Ready {
  origin: string
  key: string
  /** Code of the linked sender. It is not connected, so its messages wait. */
  linked: string
}

interface Door {
  name: string
  path: string
  /** Members of the call, including the key if the gateway expects it there. */
  members: (text: string, key: string) => Record<string, string | object>
  as: 'JSON' | 'form' | 'address'
}

// Short rounds that alternate, so that other load on the machine meets both sides.
const ROUNDS = 9
// Rounds before measuring: V8 has optimized a door after some two thousand calls.
const WARM_UP = 3
// All rounds of all doors must fit into one queue.
const PLAN = { connections: 20, requests: 500 }
// New recipients in each turn: a call by address is compared with the messages that its recipient
// got in the last ten seconds.
const TO = '62812{turn}{n}'

const DOORS: readonly Door[] = [
  ...(['JSON', 'form'] as const).map((as) => ({
    name: 'Fonnte',
    path: '/compat/fonnte/send',
    members: (message: string) => ({ target: TO, message }),
    as,
  })),
  {
    name: 'Fonnte',
    path: '/compat/fonnte/send',
    members: (message, token) => ({ token, target: TO, message }),
    as: 'address',
  },
  {
    name: 'Wablas',
    path: '/compat/wablas/api/send-message',
    members: (message) => ({ phone: TO, message }),
    as: 'form',
  },
  {
    name: 'panel',
    path: '/compat/panel/send-message',
    members: (message, api_key) => ({ api_key, sender: TO, number: TO, message }),
    as: 'form',
  },
  {
    name: 'panel',
    path: '/compat/panel/send-message',
    members: (message, api_key) => ({ api_key, sender: TO, number: TO, message }),
    as: 'address',
  },
  {
    name: 'WAHA',
    path: '/compat/waha/api/sendText',
    members: (text) => ({ session: 'default', chatId: `${TO}@c.us`, text }),
    as: 'JSON',
  },
  {
    name: 'Cloud API',
    path: '/compat/cloud/v22.0/{sender}/messages',
    members: (body) => ({ messaging_product: 'whatsapp', to: TO, type: 'text', text: { body } }),
    as: 'JSON',
  },
]

/** Returns the same message through /send. A call by address is compared with a form. */
const plainly = (as: Door['as']): Door => ({
  name: '/send',
  path: '/send',
  members: (message) => ({ phone: TO, message }),
  as: as === 'address' ? 'form' : as,
})

const encoded = (members: Record<string, string | object>): string =>
  // Keep `{n}`, which the load generator replaces, and `{turn}`, which measure() replaces.
  new URLSearchParams(members as Record<string, string>).toString().replace(/%7B(n|turn)%7D/g, '{$1}')

interface Measured extends LoadResult {
  /** CPU time of Kurir's process, in microseconds. */
  cpuMicros: number
}

let turns = 100

async function measure(kurir: Started<Ready>, door: Door, round: number): Promise<Measured> {
  turns += 1
  const inTurn = (text: string) => text.replaceAll('{turn}', String(turns))
  const { origin, key, linked } = kurir.ready
  // A different text in each round, because a repetition would count as the same message.
  const text = `Your invoice ${door.name} ${door.as} ${round}-{n} of Rp 125.000 is ready. Thank you for shopping at Toko Melati!`
  const members = door.members(text, key)
  const isInAddress = door.as === 'address'
  const path = door.path.replace('{sender}', linked)
  const type = door.as === 'JSON' ? 'application/json' : 'application/x-www-form-urlencoded'
  const before = await cpuMicros(kurir)
  const result = await load({
    ...PLAN,
    origin,
    method: isInAddress ? 'GET' : 'POST',
    path: isInAddress ? inTurn(`${path}?${encoded(members)}`) : path,
    headers: isInAddress ? {} : { authorization: key, 'content-type': type },
    body: isInAddress ? '' : inTurn(door.as === 'JSON' ? JSON.stringify(members) : encoded(members)),
  })
  if (result.failures > 0) throw new Error(`${door.name}: ${result.failures} requests were refused`)
  return { ...result, cpuMicros: (await cpuMicros(kurir)) - before }
}

async function cpuMicros(kurir: Started<Ready>): Promise<number> {
  const { user, system } = (await kurir.ask({})) as NodeJS.CpuUsage
  return user + system
}

/**
 * Measures accepts through the doors of other gateways relative to /send of the same program;
 * rounds alternate.
 */
export async function benchDoors(): Promise<string> {
  const folder = temporaryFolder()
  const kurir = await start<Ready>('kurir.ts', [folder.path])
  const rows: string[][] = []
  for (const door of DOORS) {
    const rounds: { perSecond: number; p99: number; cpu: number }[] = []
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      // Alternate the order, so that neither side is always first.
      const order = round % 2 === 0 ? [door, plainly(door.as)] : [plainly(door.as), door]
      const results = new Map<string, Measured>()
      for (const each of order) results.set(each.name, await measure(kurir, each, round))
      const [own, plain] = [results.get(door.name), results.get('/send')]
      if (round >= 0 && own && plain)
        rounds.push({
          perSecond: own.perSecond / plain.perSecond,
          p99: own.p99 / plain.p99,
          cpu: plain.cpuMicros / own.cpuMicros,
        })
    }
    rows.push([
      `${door.name}, ${door.as}`,
      ratio(median(rounds.map(({ perSecond }) => perSecond))),
      ratio(median(rounds.map(({ p99 }) => p99))),
      ratio(median(rounds.map(({ cpu }) => cpu))),
    ])
  }
  await kurir.stop()
  folder.remove()
  return table(['door', 'accepts per second ÷ /send', 'p99 ÷ /send', 'accepts per CPU second ÷ /send'], rows)
}

if (import.meta.main) console.log(await benchDoors())
