import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { NodeView } from '../../server/contract/operation.ts'
import { judge } from '../cluster/judge.ts'
import { startCluster } from '../cluster/world.ts'
import { ask } from '../crash/program.ts'
import { createRandom } from '../crash/random.ts'
import { findPostgres, startPostgres } from '../support/postgres-server.ts'
import type { JournalEntry } from '../support/whatsapp-peer/journal.ts'
import { createFaults } from './faults.ts'

const MINUTE = 60_000
const FAULTS = Number(process.env.CLUSTER_FAULTS ?? 1_000)
const SENDERS = Number(process.env.CLUSTER_SENDERS ?? 20)
// Seconds from one fault to the next one.
const EVERY = Number(process.env.CLUSTER_EVERY ?? 10)
// After so many minutes no fault begins any more, and what happened until then is judged.
const MINUTES = Number(process.env.CLUSTER_MINUTES ?? Number.POSITIVE_INFINITY)
// Between two posts of a number, in milliseconds; on a small machine full speed leaves nothing for what is measured.
const PAUSE = Number(process.env.CLUSTER_PAUSE ?? 0)
// One of them is always sound; with more of them more faults can play themselves out at a time.
const NODES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'].slice(
  0,
  Number(process.env.CLUSTER_NODES ?? 3),
)
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31))
const TAKEN_OVER_WITHIN = 30_000
// A number that nothing comes from for so long hangs.
const HANGS_AFTER = 5 * MINUTE

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0
const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(1)

/** Between two stanzas of one number, in milliseconds. */
const pauses = (journal: readonly JournalEntry[]): number[] =>
  [...Map.groupBy(journal, ({ account }) => account).values()].flatMap((entries) =>
    entries.slice(1).map(({ at }, n) => at - (entries[n]?.at ?? at)),
  )

test.skipIf(findPostgres() === undefined)(
  `${NODES.length} nodes, ${SENDERS} linked numbers, ${FAULTS} faults (CRASH_SEED=${seed})`,
  { timeout: Math.min(FAULTS, MINUTES * 6) * MINUTE + 30 * MINUTE },
  async () => {
    const random = createRandom(seed)
    const server = await startPostgres()
    onTestFinished(server.close)
    const cluster = await startCluster(server.url)
    onTestFinished(cluster.close)
    for (const name of NODES) await cluster.start(name)
    await cluster.listen('first')
    const codes: string[] = []
    for (let n = 0; n < SENDERS; n += 1) codes.push(await cluster.link('second', `62811111${String(10_000 + n)}`))
    const tills = codes.map((code) => cluster.till(code, PAUSE))
    const allGoOn = () => Promise.all(tills.map((till) => till.after(2)))
    await allGoOn()

    const began = Date.now()
    const faults = createFaults(cluster, server, random)
    onTestFinished(() => faults.over().catch(() => undefined))
    const { holders } = faults
    const takeOvers = () => holders.gaps.map(({ withServer }) => withServer)
    const minutes = () => (Date.now() - began) / MINUTE

    async function run(): Promise<number> {
      let fault = 0
      while (fault < FAULTS && minutes() < MINUTES) {
        await setTimeout(EVERY * 1_000)
        const { kind, node } = await faults.begin()
        fault += 1
        const ended = tills.reduce((sum, till) => sum + till.ended(), 0)
        console.log(
          `${new Date().toISOString().slice(14, 21)} fault ${fault} of ${FAULTS}, minute ${minutes().toFixed(1)}: ${kind} ${node ?? ''}; ${ended} messages ended, longest take-over ${seconds(quantile(takeOvers(), 1))} s`,
        )
        const hanging = codes.filter((_, n) => Date.now() - (tills[n]?.lastEnd() ?? 0) > HANGS_AFTER)
        expect(hanging, 'numbers that nothing comes from').toEqual([])
      }
      await faults.over()
      await allGoOn()
      await Promise.all(tills.map((till) => till.close()))
      await cluster.settled('first')
      return fault
    }

    const judged = run().then((count) => judge(cluster, count))
    const { rounds, messages, callbacks } = await judged.catch(async (error: unknown) => {
      const file = join(tmpdir(), `kurir-cluster-trace-${process.pid}.json`)
      writeFileSync(file, JSON.stringify({ ...(await cluster.trace()), holders: holders.history }))
      console.log(`Everything that is known of every message: ${file}`)
      throw error
    })
    const nodes = await ask<NodeView[]>(cluster.programOf('first'), '/api/nodes')
    const journal = await cluster.peer.call('journal')
    const refused = new Map<string, number>()
    for (const till of tills) for (const [why, n] of till.refused) refused.set(why, (refused.get(why) ?? 0) + n)
    const figures: Record<string, number | string> = {
      nodes: NODES.length,
      numbers: SENDERS,
      minutes: Math.round(minutes()),
      faults: rounds,
      ...Object.fromEntries(faults.counts),
      'messages accepted': messages.length,
      read: messages.filter(({ status }) => status === 'read').length,
      'of these tried again, because WhatsApp did not answer': (await cluster.steppedAside()).size,
      callbacks: callbacks.length,
      'callbacks given again': callbacks.length - new Set(callbacks.map(({ webhookId }) => webhookId)).size,
      'stanzas at the phones': (await cluster.arrivals()).length,
      'times that a number was held by no sound node': holders.gaps.length,
      'taken over, median seconds': seconds(quantile(takeOvers(), 0.5)),
      'taken over, longest seconds': seconds(quantile(takeOvers(), 1)),
      'taken over after more than 30 seconds': takeOvers().filter((time) => time > TAKEN_OVER_WITHIN).length,
      'the longest with the time in which the server was away, seconds': seconds(
        quantile(
          holders.gaps.map(({ sinceLastFault }) => sinceLastFault),
          1,
        ),
      ),
      'longest with all faults of its nodes, seconds': seconds(
        quantile(
          holders.gaps.map(({ all }) => all),
          1,
        ),
      ),
      'longest seconds between two stanzas of a number': seconds(quantile(pauses(journal), 1)),
      'writes refused by an epoch, of nodes that still run': nodes.reduce((sum, node) => sum + node.fenced, 0),
      ...Object.fromEntries([...refused].map(([why, n]) => [`posts answered ${why}`, n])),
    }
    console.log(
      `The cluster\n${Object.entries(figures)
        .map(([name, n]) => `  ${name}: ${n}`)
        .join('\n')}`,
    )
    expect(messages.length).toBeGreaterThan(rounds)
  },
)
