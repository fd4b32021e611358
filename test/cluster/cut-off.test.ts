import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { databaseOf, openShared } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { accepted, judgeMessages, post, startNode, startWireTo } from './node-alone.ts'

/** A database behind a wire, and a store that knows no other way to it. */
async function openBehindWire() {
  const databaseUrl = await databaseOf(temporaryFolder())
  const { wire, url } = await startWireTo(databaseUrl)
  const store = await openShared({ home: temporaryFolder(), databaseUrl: url, node: 'a', now: Date.now })
  onTestFinished(store.close)
  const sender = { kind: 'linked', settings: FAST, state: 'connected', official: null, createdAt: 1 } as const
  const { id: senderId } = await store.senders.add({ ...sender, code: 'SND-1' })
  return { databaseUrl, wire, store, change: () => store.senders.change(senderId, () => ({ paused: true })) }
}

// Without a watch over the connections a caller waits for 50 s.
const LONGEST_MS = 45_000

test('a node that is cut from the database answers within seconds, and says what it does not know', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const { wire, url } = await startWireTo(databaseUrl)
  const node = await startNode(url)
  await accepted(node, 'before')

  wire.cutAfter('committed unheard', 'COMMIT')
  const asked = performance.now()
  const inDoubt = await post(node, 'committed unheard')
  expect(inDoubt).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } })
  expect(inDoubt.body.message).toMatch(/does not say whether it is written.*It may be accepted: repeat it/)
  const refused = await Promise.all(['cut off', 'cut off too'].map((text) => post(node, text)))
  for (const { status, body } of refused) {
    expect(status).toBe(503)
    expect(body.message).toMatch(/does not answer.*Nothing was accepted/)
  }
  expect(performance.now() - asked).toBeLessThan(LONGEST_MS)

  wire.join()
  for (const text of ['committed unheard', 'after']) await accepted(node, text)
  await judgeMessages(node, databaseUrl, ['before', 'committed unheard', 'after'])
})

test('who asks while the server is known to be cut off is refused at once, until it is back', async () => {
  const { wire, store, change } = await openBehindWire()
  const said: (string | null)[] = []
  store.nodes.onProblem((problem) => void said.push(problem))
  const list = () => store.messages.list({ limit: 1 })
  expect(await list()).toEqual([])
  expect((await store.about()).bytes).toBeGreaterThan(1_000_000)

  wire.cut()
  await eventually(() => said.length === 1)
  const asked = [list, () => store.about(), change]
  const taken = wire.taken()
  for (let times = 0; times < 5; times += 1)
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ problem: 'no_server' })
  expect(wire.taken() - taken, 'nobody has tried to connect for each of them').toBeLessThan(5)
  expect(said).toEqual(['no_server'])

  wire.join()
  await eventually(() => said.length === 2)
  expect([said, await list()]).toEqual([['no_server', null], []])
})

test('a connection that is lost keeps nobody from those that are there', async () => {
  const { databaseUrl, store, change } = await openBehindWire()
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  onTestFinished(() => admin.end())
  await admin.query('BEGIN; SELECT * FROM senders FOR UPDATE')
  const lost = change()
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  const [failed] = await Promise.all([
    lost.catch(async (error: unknown) => [error, store.problem(), await store.messages.list({ limit: 1 })]),
    eventually(async () => (await admin.query(end)).rowCount === 1),
  ])
  expect(failed).toEqual([expect.objectContaining({ problem: 'no_server' }), 'no_server', []])
})
