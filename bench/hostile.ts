import { startPeerProcess } from '../test/support/whatsapp-peer/process.ts'
import { startClient } from './linked.ts'
import type { LoadResult } from './support/load.ts'
import { load, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

/** Interval at which the till posts to another sender of the same program. */
const TILL_EVERY_MS = 20
const MEASURED_MS = 6_000
const ROUNDS = 3

/**
 * Measures the longest wait of a till while somebody attacks a linked number with what a client can
 * do, relative to the same till just before. The till does not use the linked number, so it waits
 * for the event loop alone.
 */
export async function benchHostile(): Promise<string> {
  const peer = await startPeerProcess({ lazy: true })
  const folder = temporaryFolder()
  const kurir = await startClient(
    peer,
    'kurir-linked.ts',
    [folder.path, peer.url, peer.rootKeyHex, peer.mediaCa, '1'],
    '62811',
  )
  const headers = { authorization: `Bearer ${kurir.token}`, 'content-type': 'application/json' }
  // The replies' webhooks go to a receiver that does not exist.
  const receiver = JSON.stringify({ url: 'http://127.0.0.1:9/', events: ['message.received'] })
  await fetch(`${kurir.origin}/api/webhooks`, { method: 'POST', headers, body: receiver })
  const body = JSON.stringify({ sender_code: 'SND-SANDBOX', phone: '6281234567890', message: 'INV-{n}' })
  const till = () =>
    load({
      ...{ origin: kurir.origin, path: '/send', headers, body },
      ...{ connections: 1, requests: 0, everyMs: TILL_EVERY_MS, forMs: MEASURED_MS },
    })

  const owner = '628110000'
  await till()
  const rows: string[][] = []
  for (const name of await peer.call('attacks', owner)) {
    const rounds: { alone: LoadResult; beside: LoadResult }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await till()
      const [beside] = await Promise.all([till(), peer.call('attack', owner, name)])
      if (alone.failures + beside.failures > 0) throw new Error(`${name}: the till was refused`)
      rounds.push({ alone, beside })
    }
    const middle = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of))
    const waits = [middle(({ alone }) => alone.p50), middle(({ beside }) => beside.p50)]
    const longest = [middle(({ alone }) => alone.max), middle(({ beside }) => beside.max)]
    const times = [...waits, ...longest].map((ms) => ms.toFixed(1))
    rows.push([name, ...times, ratio(middle(({ alone, beside }) => beside.max / alone.max))])
  }
  await kurir.stop()
  await peer.close()
  folder.remove()
  return table(['meanwhile', 'p50 alone, ms', 'p50', 'longest alone', 'longest', 'ratio of the longest'], rows)
}

if (import.meta.main) console.log(await benchHostile())
