import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { NodeView } from '../../server/contract/nodes.ts'
import { judge } from '../cluster/judge.ts'
import { startCluster } from '../cluster/world.ts'
import { ask } from '../crash/program.ts'
import { createRandom } from '../crash/random.ts'
import { eventually } from '../support/eventually.ts'
import { findPostgres, startPostgres } from '../support/postgres-server.ts'

const FAULTS = Number(process.env.CLUSTER_FAULTS ?? 1_000)
const SENDERS = Number(process.env.CLUSTER_SENDERS ?? 20)
// Between two posts of a number, in milliseconds; on a small machine full speed leaves nothing for what is measured.
const PAUSE = Number(process.env.CLUSTER_PAUSE ?? 0)
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31))
const KINDS = ['killed', 'frozen', 'cut from the database', 'database crashed'] as const
const NODES = ['first', 'second', 'third']

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0

test.skipIf(findPostgres() === undefined)(
  `three nodes, ${SENDERS} linked numbers, ${FAULTS} faults (CRASH_SEED=${seed})`,
  { timeout: FAULTS * 180_000 + 600_000 },
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
    const counts = new Map<string, number>()
    const takeOvers: number[] = []
    const began = Date.now()
    await allGoOn()

    for (let fault = 0; fault < FAULTS; fault += 1) {
      const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'killed'
      const code = codes[Math.floor(random() * codes.length)] ?? ''
      const name = (await cluster.holderOf(code)) ?? 'first'
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      const at = Date.now()
      const moved = async () => {
        await eventually(async () => ![undefined, name].includes(await cluster.holderOf(code)))
        takeOvers.push(Date.now() - at)
      }
      if (kind === 'killed') {
        await cluster.kill(name)
        await moved()
        await allGoOn()
        await cluster.start(name)
      } else if (kind === 'frozen') {
        cluster.programOf(name).freeze()
        await moved()
        await allGoOn()
        cluster.programOf(name).thaw()
      } else if (kind === 'cut from the database') {
        cluster.cut(name)
        await moved()
        await allGoOn()
        cluster.join(name)
      } else {
        await server.stop('immediate')
        await server.start()
      }
      await allGoOn()
      if ((fault + 1) % 10 === 0)
        console.log(`${fault + 1} of ${FAULTS} faults, ${Math.round((Date.now() - began) / 60_000)} minutes`)
    }

    await Promise.all(tills.map((till) => till.close()))
    const judged = cluster.settled('first').then(() => judge(cluster, FAULTS))
    const { messages, callbacks } = await judged.catch(async (error: unknown) => {
      const file = join(tmpdir(), `kurir-cluster-trace-${process.pid}.json`)
      writeFileSync(file, JSON.stringify(await cluster.trace()))
      console.log(`Everything that is known of every message: ${file}`)
      throw error
    })
    const nodes = await ask<NodeView[]>(cluster.programOf('first'), '/api/nodes')
    const refused = new Map<string, number>()
    for (const till of tills) for (const [why, n] of till.refused) refused.set(why, (refused.get(why) ?? 0) + n)
    const figures: Record<string, number> = {
      faults: FAULTS,
      ...Object.fromEntries(counts),
      messages: messages.length,
      read: messages.filter(({ status }) => status === 'read').length,
      callbacks: callbacks.length,
      'callbacks given again': callbacks.length - new Set(callbacks.map(({ webhookId }) => webhookId)).size,
      'stanzas at the phones': (await cluster.arrivals()).length,
      'take-over, median seconds': quantile(takeOvers, 0.5) / 1_000,
      'take-over, longest seconds': quantile(takeOvers, 1) / 1_000,
      'writes refused by an epoch, of nodes that still run': nodes.reduce((sum, node) => sum + node.fenced, 0),
      ...Object.fromEntries([...refused].map(([why, n]) => [`posts answered ${why}`, n])),
    }
    console.log(
      `The cluster\n${Object.entries(figures)
        .map(([name, n]) => `  ${name}: ${n}`)
        .join('\n')}`,
    )
    expect(messages.length).toBeGreaterThan(FAULTS)
  },
)
