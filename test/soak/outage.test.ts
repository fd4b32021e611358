import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { judge } from '../cluster/judge.ts'
import { post } from '../cluster/node-alone.ts'
import { startCluster } from '../cluster/world.ts'
import { ask } from '../crash/program.ts'
import { eventually } from '../support/eventually.ts'
import { findPostgres, startPostgres } from '../support/postgres-server.ts'

const NODES = ['first', 'second', 'third']
const NUMBERS = ['6281111111101', '6281111111102', '6281111111103']
const AWAY = 60_000
const POSTED_EVERY = 1_000

test.skipIf(findPostgres() === undefined)(
  'a minute without the database server: every accept is refused with words; when it is back everything goes on by itself',
  { timeout: 600_000 },
  async () => {
    const server = await startPostgres()
    onTestFinished(server.close)
    const cluster = await startCluster(server.url)
    onTestFinished(cluster.close)
    for (const name of NODES) await cluster.start(name)
    await cluster.listen('first')
    const codes: string[] = []
    for (const number of NUMBERS) codes.push(await cluster.link('second', number))
    const tills = codes.map((code) => cluster.till(code, 100))
    const allGoOn = () => Promise.all(tills.map((till) => till.after(5)))
    await allGoOn()

    await server.stop('immediate')
    const words = new Map<string, number>()
    for (const until = Date.now() + AWAY; Date.now() < until; await setTimeout(POSTED_EVERY)) {
      for (const name of NODES) {
        const node = cluster.programOf(name)
        const { status, body } = await post(node, 'meanwhile')
        expect(status, body.message).toBe(503)
        expect(body.message).toMatch(/does not answer.*Nothing was accepted/)
        words.set(body.message, (words.get(body.message) ?? 0) + 1)
        expect((await fetch(`${node.url}/health`)).status).toBe(503)
      }
    }
    console.log(words)
    const stanzas = (await cluster.arrivals()).length

    await server.start()
    const began = Date.now()
    await allGoOn()
    console.log(`all numbers had sent five messages ${Date.now() - began} ms after the start of the server`)
    expect((await cluster.arrivals()).length).toBeGreaterThan(stanzas)
    await Promise.all(tills.map((till) => till.close()))
    await cluster.settled('first')
    const { messages } = await judge(cluster, 1)
    expect(messages.every(({ status }) => status === 'read')).toBe(true)
    for (const code of codes)
      await eventually(async () => {
        const { state } = await ask<{ state: string }>(cluster.programOf('second'), `/api/senders/${code}`)
        return state === 'connected'
      })
  },
)
