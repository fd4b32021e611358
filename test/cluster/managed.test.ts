import pg from 'pg'
import { expect, test } from 'vitest'
import { startApp } from '../support/app.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
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

test('where the server does not say what became of a commit, nobody guesses', { timeout: 45_000 }, async () => {
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
