import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type PeerProcess, startPeerProcess } from '../test/support/whatsapp-peer/process.ts'
import { temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

const ROUNDS = 7
const MESSAGES = 1_000

interface Said {
  qr?: string
  n?: number
  ready?: true
  rss?: number
  origin?: string
  token?: string
  perSecond?: number
}

/** Starts a client whose phones belong to the peer. Resolves when all its numbers are linked. */
export async function startClient(peer: PeerProcess, script: string, args: string[], prefix: string) {
  const child: ChildProcess = fork(join(import.meta.dirname, 'support', script), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ready = Promise.withResolvers<Said>()
  let answer = Promise.withResolvers<number>()
  child.on('message', (said: Said) => {
    if (said.qr !== undefined) void peer.call('scan', `${prefix}${String(said.n).padStart(4, '0')}`, said.qr)
    if (said.ready) ready.resolve(said)
    if (said.perSecond !== undefined) answer.resolve(said.perSecond)
  })
  const { rss = 0, origin = '', token = '' } = await ready.promise
  return {
    rss,
    origin,
    token,
    run(recipient: string, count: number): Promise<number> {
      answer = Promise.withResolvers()
      child.send({ recipient, count })
      return answer.promise
    },
    async stop() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

async function startBoth(peer: PeerProcess, numbers: number) {
  const folder = temporaryFolder()
  const where = [peer.url, peer.rootKeyHex, peer.mediaCa]
  const kurir = await startClient(peer, 'kurir-linked.ts', [folder.path, ...where, String(numbers)], '62811')
  const plain = await startClient(peer, 'plain-loop.ts', [...where, String(numbers)], '62822')
  return {
    kurir,
    plain,
    async stop() {
      await kurir.stop()
      await plain.stop()
      folder.remove()
    },
  }
}

/**
 * Measures the way from the queue on disk to WhatsApp's acknowledgement, relative to a plain
 * Baileys loop on the same peer; rounds alternate.
 */
export async function benchLinked(): Promise<string> {
  const peer = await startPeerProcess({ lazy: true })
  const both = await startBoth(peer, 1)
  const known = '6285555555555'
  for (const client of [both.kurir, both.plain]) await client.run(known, 50)
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const kurir = await both.kurir.run(known, MESSAGES)
    const plain = await both.plain.run(known, MESSAGES)
    if (process.env.BENCH_VERBOSE) console.error({ kurir, plain })
    rounds.push(kurir / plain)
  }
  await both.stop()
  await peer.close()
  return table(['messages to a known contact', 'ratio'], [['per second, pacing 0', ratio(median(rounds))]])
}

/** Measures memory after linking, relative to plain Baileys with as many numbers. */
export async function benchMemory(): Promise<string> {
  const rows: string[][] = []
  for (const numbers of [1, 10]) {
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const peer = await startPeerProcess({ lazy: true })
      const both = await startBoth(peer, numbers)
      if (process.env.BENCH_VERBOSE) console.error({ kurir: both.kurir.rss, plain: both.plain.rss })
      rounds.push(both.kurir.rss / both.plain.rss)
      await both.stop()
      await peer.close()
    }
    rows.push([String(numbers), ratio(median(rounds))])
  }
  return table(['linked numbers', 'resident memory, ratio'], rows)
}

if (import.meta.main) {
  console.log(await benchLinked())
  console.log(await benchMemory())
}
