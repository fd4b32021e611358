import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { NodeView } from '../../server/contract/operation.ts'
import { MINUTE } from '../../server/lib/clock.ts'
import type { AlarmsView } from '../../server/slices/alarms/contract.ts'
import { startProgram } from '../crash/program.ts'
import { OWNER_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startRelay } from '../support/relay.ts'

/** What one of several nodes has said by its alarms, and a database that goes away. */
async function startWorld() {
  const folder = temporaryFolder()
  const server = await startPostgres()
  onTestFinished(server.close)
  const keyFile = join(folder, 'vault.key')
  writeFileSync(keyFile, '5a'.repeat(32))
  const titles: string[] = []
  const topic = await startHttpServer((req, res) => {
    const [, coded = ''] = /^=\?UTF-8\?B\?(.+)\?=$/.exec(String(req.headers.title)) ?? []
    titles.push(Buffer.from(coded, 'base64').toString())
    res.end()
  })
  onTestFinished(topic.close)
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  const clock = createTestClock()
  const envOf = async (name: string) => {
    const port = await freePort()
    const road = await startRelay(port)
    const shared = { KURIR_DATABASE_URL: server.url, KURIR_VAULT_KEY_FILE: keyFile, KURIR_OWNER_TOKEN: OWNER_TOKEN }
    return { road, port, env: { ...shared, KURIR_NODE: name, KURIR_PORT: String(port), KURIR_NODE_URL: road.url } }
  }
  return {
    server,
    titles,
    client,
    /** A program of its own, which can be killed. */
    async startAway(name: string) {
      const { env, road, port } = await envOf(name)
      const program = await startProgram(join(folder, name), env)
      onTestFinished(program.kill)
      return { ...program, port, calls: road.connections }
    },
    /** In this process, by the clock that is moved. */
    async startHere(name: string) {
      const { env, road } = await envOf(name)
      return { app: await startApp({ clock, env }), calls: road.connections }
    },
    setAlarms: (app: TestApp) =>
      app.owner('/api/alarms', { method: 'PATCH', body: { ntfy: { url: `${topic.url}/toko`, token: null } } }),
    /** All of them run, and each of these knows it, and where alarms go. */
    async known(names: string[], apps: TestApp[]): Promise<void> {
      for (const app of apps) {
        await eventually(async () => (await app.owner<AlarmsView>('/api/alarms')).body.data.ntfy !== null)
        await eventually(async () => {
          const nodes = (await app.owner<NodeView[]>('/api/nodes')).body.data
          return nodes.filter(({ alive }) => alive).length === names.length
        })
      }
      for (let minutes = 0; minutes < 2; minutes += 1) await clock.advance(MINUTE)
    },
    /** Minutes pass until something holds. */
    until: (holds: () => boolean) =>
      eventually(async () => {
        await clock.advance(MINUTE)
        return holds()
      }),
  }
}

const AWAY = 'Kurir needs you: The database server does not answer: Kurir refuses new messages.'

test('the node that reports is gone together with the database: the next one by name does, and only that one', async () => {
  const { server, titles, startAway, startHere, setAlarms, known, until } = await startWorld()
  const first = await startAway('a')
  const second = await startHere('b')
  const third = await startHere('c')
  await setAlarms(second.app)
  await known(['a', 'b', 'c'], [second.app, third.app])
  expect([first.calls(), second.calls()], 'nobody is asked while the database says it').toEqual([0, 0])

  await server.stop('immediate')
  // The first one runs, and its time is not moved: it will report itself.
  await until(() => first.calls() >= 20)
  expect(titles).toEqual([])
  await first.kill()
  // Another program has its address now, and answers as every program could.
  const impostor = await startHttpServer((_req, res) => res.end('{"success":true,"message":"Ready."}'), first.port)
  onTestFinished(impostor.close)
  await until(() => titles.length > 0)
  expect(titles).toEqual([AWAY])
  const asked = second.calls()
  await until(() => second.calls() >= asked + 10)
  expect(titles, 'the third one hears the second').toEqual([AWAY])
  await second.app.close()
  await until(() => titles.length > 1)
  expect(titles).toEqual([AWAY, AWAY])
})

test('a database that takes no writes does not say who runs: one node reports it', async () => {
  const { client, titles, startHere, setAlarms, known, until } = await startWorld()
  const first = await startHere('a')
  const second = await startHere('b')
  await setAlarms(first.app)
  await known(['a', 'b'], [first.app, second.app])
  // As a standby answers; and nobody has been heard of for a while.
  await client.query(
    `CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'cannot execute in a read-only transaction' USING ERRCODE = 'read_only_sql_transaction'; END $$`,
  )
  for (const table of ['meta', 'nodes', 'messages'])
    await client.query(
      `CREATE TRIGGER refused BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refused()`,
    )
  await client.query('SET session_replication_role = replica')
  await client.query("UPDATE nodes SET seen_at = seen_at - interval '1 minute'")
  const body = { phone: '6281234567890', message: 'Halo', sender_code: 'SND-SANDBOX' }
  for (const { app } of [first, second]) expect((await app.owner('/send', { body })).status).toBe(503)
  await until(() => titles.length > 0)
  // The second one has asked the first since, and heard it. Nobody is called gone, where nobody can say that it runs.
  const asked = first.calls()
  let minutes = 0
  await until(() => {
    minutes += 1
    return first.calls() >= asked + 20
  })
  expect(minutes, 'all jobs of a minute share a question').toBeGreaterThanOrEqual(20)
  expect(titles).toEqual([expect.stringMatching(/^Kurir needs you: The database server takes no writes/)])
})
