import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrate, NEWEST } from '../../server/store/postgres/migrate.ts'
import { migrations } from '../../server/store/postgres/schema.ts'
import type { Migration } from '../../server/store/statements.ts'
import { moveToFolder } from '../../server/store/transfer/index.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { concernsOf, post, startNode } from './node-alone.ts'

/** What the next version might bring. */
const ADDED: Migration = {
  version: NEWEST + 1,
  sql: 'ALTER TABLE messages ADD COLUMN colour TEXT; CREATE TABLE colours (name TEXT PRIMARY KEY);',
}
const NEXT = [...migrations, ADDED]

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const versionsIn = async (client: pg.Client): Promise<number[]> =>
  (await client.query('SELECT version::integer FROM schema_versions ORDER BY version')).rows.map(
    ({ version }) => version,
  )

test('the migrations are numbered from 1', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_migration, index) => index + 1))
})

test('an older database gets the rest, once, and is brought up to date as a whole or not at all', async () => {
  const url = await databaseOf(temporaryFolder())
  const client = await connectTo(url)
  await migrate(url, 'db')
  const broken: Migration = { version: NEWEST + 2, sql: 'INSERT INTO nowhere VALUES (1)' }
  await expect(migrate(url, 'db', [...NEXT, broken])).rejects.toThrow(/nowhere/)
  expect(await versionsIn(client)).toEqual([NEWEST])
  for (let start = 0; start < 2; start += 1) await migrate(url, 'db', NEXT)
  expect(await versionsIn(client)).toEqual([NEWEST, NEWEST + 1])
})

test('nodes that start at the same moment make the tables of a new database once, and change those of an older one once', async () => {
  const url = await databaseOf(temporaryFolder())
  const client = await connectTo(url)
  for (const list of [migrations, NEXT]) {
    await Promise.all(Array.from({ length: 5 }, () => migrate(url, 'db', list)))
    expect(await versionsIn(client)).toEqual(list.map(({ version }) => version))
  }
})

test('a node that was frozen while the database was upgraded writes nothing when it goes on, and says why', async () => {
  const url = await databaseOf(temporaryFolder())
  const client = await connectTo(url)
  const program = await startNode(url)
  expect((await post(program, 'before')).status).toBe(200)
  program.freeze()
  await migrate(url, 'db', NEXT)
  program.thaw()
  expect((await post(program, 'after')).status).toBe(503)
  expect((await client.query('SELECT body FROM messages')).rows).toEqual([{ body: 'before' }])
  await eventually(async () => (await concernsOf(program)).join() === 'storage_server_newer')
})

test('a reader that takes long, such as a backup, keeps an upgrade back, and the start says so', async () => {
  const url = await databaseOf(temporaryFolder())
  const [reader, client] = [await connectTo(url), await connectTo(url)]
  await migrate(url, 'db')
  await reader.query('BEGIN')
  await reader.query('SELECT 1 FROM messages')
  await expect(migrate(url, 'db', NEXT)).rejects.toMatchObject({ problem: 'locked' })
  expect(await versionsIn(client)).toEqual([NEWEST])
  await reader.query('COMMIT')
  await migrate(url, 'db', NEXT)
})

test('an older program neither starts on a newer database nor copies it: it would leave behind what it does not know', async () => {
  const url = await databaseOf(temporaryFolder())
  await migrate(url, 'db', NEXT)
  await expect(migrate(url, 'db')).rejects.toMatchObject({ problem: 'newer' })
  await expect(moveToFolder(url, temporaryFolder())).rejects.toMatchObject({ problem: 'newer' })
})

test('a database of a development version is refused and not touched', async () => {
  const url = await databaseOf(temporaryFolder())
  const client = await connectTo(url)
  // As those left it behind.
  await client.query('CREATE TABLE schema_versions (version BIGINT PRIMARY KEY, needs BIGINT NOT NULL DEFAULT 0)')
  await client.query('INSERT INTO schema_versions (version) SELECT generate_series(8, 16)')
  await expect(migrate(url, 'db')).rejects.toMatchObject({
    problem: 'development',
    message: expect.stringMatching(/development version of Kurir.*empty data folder or database/),
  })
  expect(await versionsIn(client)).toHaveLength(9)
})
