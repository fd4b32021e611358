import pg from 'pg'
import { expect, test } from 'vitest'
import { type Answer, startApp, type TestApp } from '../support/app.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openSession } from '../support/session.ts'
import { accepted, judgeMessages, post, startNode, startWireTo } from './node-alone.ts'

/**
 * A database that refuses what not every server has. Proven of Amazon's Aurora: "is currently not supported for Aurora", or
 * "wal_level must be set to 'logical'" (github.com/ankane/pghero/issues/168, github.com/jobinau/pg_gather/issues/9). Of NOTIFY:
 * YugabyteDB without `ysql_yb_enable_listen_notify` (github.com/yugabyte/yugabyte-db/issues/2899).
 */
async function poorDatabase(): Promise<string> {
  const url = await databaseOf(temporaryFolder())
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const refuse = (
    signature: string,
    result: string,
  ) => `CREATE FUNCTION lacks.${signature} RETURNS ${result} LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION USING ERRCODE = '0A000', MESSAGE = 'currently not supported'; END $$`
  await admin.query('CREATE SCHEMA lacks')
  await admin.query(refuse('pg_current_wal_insert_lsn()', 'pg_lsn'))
  await admin.query(refuse('pg_notify(text, text)', 'void'))
  // Found before those of the server.
  await admin.query(`ALTER DATABASE ${admin.database} SET search_path = public, lacks, pg_catalog`)
  await admin.end()
  return url
}

test('where the server does not say what became of a commit, nobody guesses', async () => {
  const databaseUrl = await poorDatabase()
  const { wire, url } = await startWireTo(databaseUrl)
  const node = await startNode(url)
  await accepted(node, 'before')
  wire.cutAfter('committed unheard', 'COMMIT')
  const { status, body } = await post(node, 'committed unheard')
  expect(status).toBe(503)
  expect(body.message).toMatch(/does not say whether it is written.*It may be accepted: repeat it/)
  wire.join()
  for (const text of ['committed unheard', 'after']) await accepted(node, text)
  await judgeMessages(node, databaseUrl, ['before', 'committed unheard', 'after'])
})

test('where nobody is notified, nodes know of changes with the look of every second', async () => {
  const url = await poorDatabase()
  const start = (node: string) => startApp({ env: { KURIR_DATABASE_URL: url, KURIR_NODE: node } })
  const [first, second] = [await start('first'), await start('second')]
  const key = await first.key()
  const message = { sender_code: 'SND-SANDBOX', phone: '6281234567890', message: 'here' }
  await eventually(async () => (await second.call(key, '/send', message)).status === 200)
  await eventually(async () => (await first.owner<{ status: string }[]>('/messages')).body.data[0]?.status === 'read')
})

test('what one node has made a moment ago is denied by none, also where nobody is notified', async () => {
  const url = await poorDatabase()
  const start = (node: string) => startApp({ env: { KURIR_DATABASE_URL: url, KURIR_NODE: node } })
  const [first, second] = [await start('first'), await start('second')]
  const made = async (path: string, body: object) =>
    (await first.owner<Record<'id' | 'key' | 'sender_code', string>>(path, { body })).body.data
  const expectDone = ({ status, text }: Answer<unknown>) => expect(status, text).toBe(200)

  const key = await made('/api/keys', { kind: 'global', name: 'till' })
  expectDone(await second.call(key.key, '/senders'))
  const short = await made('/api/keys', { kind: 'global', name: 'short' })
  expectDone(await second.owner(`/api/keys/${short.id}`, { method: 'DELETE' }))
  const webhook = await made('/api/webhooks', { url: 'https://example.com/a' })
  expectDone(await second.owner(`/api/webhooks/${webhook.id}`, { method: 'DELETE' }))
  const sender = await made('/api/senders', { kind: 'sandbox', name: 'Branch' })
  const message = { sender_code: sender.sender_code, phone: '6281234567890', message: 'here' }
  expectDone(await second.owner('/send', { body: message }))
  const other = await made('/api/senders', { kind: 'sandbox', name: 'Another branch' })
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...message, sender_code: other.sender_code })) form.set(name, value)
  form.set('file', new Blob(['%PDF-1.7'], { type: 'application/pdf' }), 'a.pdf')
  const asForm = new Response(form)
  const type = { 'content-type': asForm.headers.get('content-type') ?? '' }
  expectDone(await second.owner('/send', { headers: type, body: Buffer.from(await asForm.arrayBuffer()) }))
  // Behind a load balancer all nodes have the same port, which is in the name of the cookie.
  const { headers } = await openSession(first)
  const portOf = (app: TestApp) => new URL(app.url).port
  const cookie = headers.cookie.replace(portOf(first), portOf(second))
  expectDone(await second.fetch('/api/settings', { headers: { ...headers, cookie } }))

  for (const path of ['/api/keys/nobody', '/api/webhooks/nobody'])
    expect((await second.owner(path, { method: 'DELETE' })).status).toBe(404)
  expect((await second.call('kurir_g_nobody', '/senders')).status).toBe(401)
})
