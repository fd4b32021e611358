import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Concern } from '../../server/contract/concerns.ts'
import type { NodeView, Overview } from '../../server/contract/operation.ts'
import { MINUTE } from '../../server/lib/clock.ts'
import { describeConcern } from '../../server/words/concern-text.ts'
import { en } from '../../server/words/en/index.ts'
import { type Program, startProgram } from '../crash/program.ts'
import { startApp } from '../support/app.ts'
import { programFile, SPARSE_ENV } from '../support/built.ts'
import { createTestClock } from '../support/clock.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startHttpServer } from '../support/http-server.ts'
import { run } from '../support/run.ts'

/** One node here, whose time is moved, and others as programs of their own. */
async function startNodes() {
  const folder = temporaryFolder()
  const databaseUrl = await databaseOf(folder)
  const keyFile = join(folder, 'vault.key')
  writeFileSync(keyFile, '5a'.repeat(32))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  const clock = createTestClock()
  const shared = { KURIR_DATABASE_URL: databaseUrl, KURIR_VAULT_KEY_FILE: keyFile }
  const app = await startApp({ clock, env: { ...shared, KURIR_NODE: 'first' } })
  const nodes = async () => (await app.owner<NodeView[]>('/api/nodes')).body.data
  return {
    app,
    clock,
    nodes,
    concerns: async (): Promise<Concern[]> => (await app.owner<Overview>('/api/overview')).body.data.concerns,
    /** In the list when it resolves. */
    async start(name: string): Promise<Program> {
      const program = await startProgram(join(folder, name), { ...shared, KURIR_NODE: name })
      onTestFinished(program.kill)
      await eventually(async () => (await nodes()).some((node) => node.name === name && node.alive))
      return program
    },
    /** As if so much time had passed since anything was heard of it. */
    silent: (name: string, span: string) =>
      client.query('UPDATE nodes SET seen_at = seen_at - $2::interval WHERE name = $1', [name, span]),
  }
}

const gone = (concerns: readonly Concern[]) => concerns.filter(({ code }) => code === 'node_gone')

test('a node that was killed is a warning after a minute, until it is started again; one that was stopped is none', async () => {
  const { app, clock, nodes, concerns, start, silent } = await startNodes()
  const third = await start('third')
  const second = await start('second')
  await clock.advance(MINUTE)
  await second.stop()
  await third.kill()
  expect((await nodes()).map(({ name }) => name)).toEqual(['first', 'third'])
  await silent('third', '55 seconds')
  expect(gone(await concerns())).toEqual([])
  await silent('third', '10 seconds')
  const [only, ...others] = gone(await concerns())
  expect([only?.id, only?.weight, only?.page, others]).toEqual(['node_gone/third', 'warning', '/nodes', []])
  const { seen_at } = (await nodes()).find(({ name }) => name === 'third') ?? expect.unreachable()
  expect(only?.since).toBe(seen_at)
  const words = describeConcern(only ?? expect.unreachable(), en, Date.now())
  expect(words.title).toMatch(/^Node third was not heard of since \d/)
  const { text } = await app.fetch('/health')
  expect(JSON.parse(text).data.concerns).toContainEqual(
    expect.objectContaining({ code: 'node_gone', message: expect.stringMatching(/^Node was not heard of since/) }),
  )

  // For a day; then it is in the list, and worth knowing.
  await silent('third', '1 day')
  expect(gone(await concerns()).map(({ weight }) => weight)).toEqual(['note'])
  const again = await start('third')
  expect(gone(await concerns())).toEqual([])
  await again.stop()
  expect((await nodes()).map(({ name }) => name)).toEqual(['first'])
})

test('nothing is said before this node has heard for a minute: after a start and an outage the others need a moment', async () => {
  const { app, clock, concerns, start, silent } = await startNodes()
  await (await start('third')).kill()
  await silent('third', '10 minutes')
  await clock.advance(MINUTE - 1)
  expect(gone(await concerns())).toEqual([])
  await clock.advance(1)
  expect(gone(await concerns())).toHaveLength(1)
  app.app.bus.emit('storage', {})
  expect(gone(await concerns())).toEqual([])
  await clock.advance(MINUTE)
  expect(gone(await concerns())).toHaveLength(1)
})

test('a node that is gone for good is taken out of the list; one that runs is not', async () => {
  const { app, clock, nodes, concerns, start, silent } = await startNodes()
  const third = await start('third')
  await clock.advance(MINUTE)
  const forget = (name: string) => app.owner(`/api/nodes/${name}`, { method: 'DELETE' })
  expect((await forget('third')).status).toBe(409)
  expect((await forget('nobody')).status).toBe(404)
  await third.kill()
  await silent('third', '2 minutes')
  expect(gone(await concerns())).toHaveLength(1)
  const env = { ...SPARSE_ENV, KURIR_HOME: app.home }
  const kurir = (...args: string[]) => run([process.execPath, programFile('cli'), ...args], { env })
  for (const words of [['nodes'], ['nodes', 'list'], ['nodes', '--json']])
    expect((await kurir(...words)).out).toContain('third')
  expect(await kurir('nodes', 'forget', 'third')).toEqual({
    code: 0,
    err: '',
    out: 'third is out of the list. When it starts again, it is in it again.\n',
  })
  expect([(await nodes()).map(({ name }) => name), gone(await concerns())]).toEqual([['first'], []])
  const refused = await kurir('nodes', 'forget', 'first')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('first runs')])
})

test('it is an alarm after five minutes', async () => {
  const titles: string[] = []
  const topic = await startHttpServer((req, res) => {
    const [, coded = ''] = /^=\?UTF-8\?B\?(.+)\?=$/.exec(String(req.headers.title)) ?? []
    titles.push(Buffer.from(coded, 'base64').toString())
    res.end()
  })
  onTestFinished(topic.close)
  const { app, clock, start, silent } = await startNodes()
  const ntfy = { url: `${topic.url}/toko`, token: null }
  await app.owner('/api/alarms', { method: 'PATCH', body: { ntfy } })
  await (await start('third')).kill()
  await silent('third', '2 minutes')
  const began = clock.elapsed()
  await eventually(async () => {
    await clock.advance(MINUTE)
    return titles.length > 0
  })
  expect(clock.elapsed() - began).toBeGreaterThanOrEqual(5 * MINUTE)
  expect(titles).toEqual([expect.stringMatching(/^Kurir needs you: Node third was not heard of since/)])
})
