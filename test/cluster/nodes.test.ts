import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { NodeView } from '../../server/contract/operation.ts'
import { ask, type Program, startProgram } from '../crash/program.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { startHttpServer } from '../support/http-server.ts'

interface Row {
  id: string
  status: string
}

/** Nodes as programs of their own, each with a folder of its own, on one database. */
async function cluster() {
  const folder = mkdtempSync(join(tmpdir(), 'kurir-cluster-'))
  const keyFile = join(folder, 'vault.key')
  writeFileSync(keyFile, '7e'.repeat(32))
  const databaseUrl = await databaseOf(folder)
  const running = new Map<string, Program>()
  onTestFinished(async () => {
    for (const program of running.values()) await program.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  async function start(name: string): Promise<Program> {
    const program = await startProgram(join(folder, name), {
      KURIR_DATABASE_URL: databaseUrl,
      KURIR_VAULT_KEY_FILE: keyFile,
      KURIR_NODE: name,
      KURIR_LOG_LEVEL: 'warn',
    })
    running.set(name, program)
    return program
  }
  return {
    start,
    async kill(name: string): Promise<void> {
      await running.get(name)?.kill()
      running.delete(name)
    },
  }
}

test('three nodes send for six senders; one is killed, the others take over and everything comes to its end', async () => {
  const told: { id: string; type: string }[] = []
  const receiver = await startHttpServer(async (req, res) => {
    const { type, data } = JSON.parse(Buffer.concat(await req.toArray()).toString())
    told.push({ id: data.id, type })
    res.end()
  })
  onTestFinished(() => receiver.close())
  const { start, kill } = await cluster()
  const first = await start('first')
  const second = await start('second')
  const third = await start('third')
  await ask(first, '/api/webhooks', { url: receiver.url, events: ['message.sent', 'message.read', 'message.failed'] })
  const codes = ['SND-SANDBOX']
  for (let n = 1; n < 6; n += 1) {
    const sender = await ask<{ sender_code: string }>(second, '/api/senders', { kind: 'sandbox', name: `Shop ${n}` })
    codes.push(sender.sender_code)
  }
  await eventually(async () => {
    const nodes = await ask<NodeView[]>(third, '/api/nodes')
    return nodes.length === 3 && nodes.every(({ senders }) => senders === 2)
  })
  // A sender that was made on one of them is known to the others within a second.
  for (const node of [first, second, third])
    await eventually(async () => (await ask<unknown[]>(node, '/api/senders')).length === codes.length)

  const accepted: string[] = []
  async function post(nodes: Program[], count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const node = nodes[n % nodes.length]
      if (node === undefined) return
      const sender_code = codes[n % codes.length]
      const body = { phone: '6281234567890', message: `Halo ${n}`, sender_code }
      accepted.push((await ask<{ id: string }>(node, '/send', body)).id)
    }
  }
  await post([first, second, third], 60)
  await Promise.all([kill('third'), post([first, second], 60)])
  const finished = async (): Promise<boolean> => {
    const rows = await ask<Row[]>(first, '/messages?status=queued,sending,sent,delivered&limit=1')
    const pending = await ask<Row[]>(first, '/api/deliveries?state=pending&limit=1')
    return rows.length + pending.length === 0
  }
  await eventually(finished)
  const nodes = await ask<NodeView[]>(first, '/api/nodes')
  expect(nodes.map(({ name, alive }) => [name, alive])).toEqual([
    ['first', true],
    ['second', true],
    ['third', false],
  ])
  // Each node says it when it renews its leases.
  await eventually(async () => {
    const counts = await ask<NodeView[]>(first, '/api/nodes')
    return counts.reduce((sum, node) => sum + node.taken_over, 0) === 2
  })
  for (const id of accepted) {
    expect(await ask<Row>(second, `/messages/${id}`)).toMatchObject({ id, status: 'read' })
    const types = told.filter((event) => event.id === id).map(({ type }) => type)
    expect([...new Set(types)], id).toEqual(['message.sent', 'message.read'])
  }
})
