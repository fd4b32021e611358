import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../server/store/index.ts'
import { migrate, NEWEST } from '../../server/store/postgres/migrate.ts'
import type { Migration } from '../../server/store/sqlite/migrate.ts'
import { migrations } from '../../server/store/sqlite/migrations/index.ts'
import { moveToFolder } from '../../server/store/transfer/index.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { judge } from './judge.ts'
import { concernsOf, post, startNode } from './node-alone.ts'
import { startCluster } from './world.ts'

const NODES = ['first', 'second']
const list: readonly Migration[] = migrations

/** What the next version might bring: on every large table, so that a statement that goes by all columns of one would be found. */
const ADDED: Migration = {
  version: NEWEST + 1,
  sql: '',
  postgres: `
ALTER TABLE messages ADD COLUMN colour TEXT;
ALTER TABLE message_attempts ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';
ALTER TABLE events ADD COLUMN colour TEXT;
ALTER TABLE webhook_deliveries ADD COLUMN colour TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN colour TEXT;
ALTER TABLE senders ADD COLUMN colour TEXT;
ALTER TABLE sending_state ADD COLUMN colour TEXT;
ALTER TABLE sender_leases ADD COLUMN colour TEXT;
ALTER TABLE contacts ADD COLUMN colour TEXT;
ALTER TABLE credentials ADD COLUMN colour TEXT;
ALTER TABLE signal_keys ADD COLUMN colour TEXT;
ALTER TABLE daily_counts ADD COLUMN colour TEXT;
CREATE INDEX messages_colour ON messages (colour);
CREATE TABLE colours (name TEXT PRIMARY KEY);
`,
}
/** Programs that do not know it can no longer store a message. */
const BREAKING: Migration = {
  version: NEWEST + 1,
  needs: NEWEST + 1,
  sql: '',
  postgres: 'ALTER TABLE messages RENAME COLUMN body TO words;',
}

async function admit(url: string): Promise<pg.Client> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  onTestFinished(() => admin.end())
  return admin
}

const versionIn = async (admin: pg.Client): Promise<number> =>
  (await admin.query('SELECT max(version)::integer AS version FROM schema_versions')).rows[0].version

test('one node is upgraded after the other, and one goes back, while they send', {
  timeout: 600_000,
}, async () => {
  const cluster = await startCluster(await databaseOf(temporaryFolder()))
  onTestFinished(cluster.close)
  for (const name of NODES) await cluster.start(name)
  await cluster.listen('first')
  const till = cluster.till(await cluster.link('first', '6281111111101'), 100)
  const goesOn = () => till.after(3)
  await goesOn()
  const version = async () =>
    (await cluster.query<{ v: number }>('SELECT max(version)::integer AS v FROM schema_versions'))[0]?.v

  // The other one goes on with the schema that it does not know.
  await cluster.programOf('first').stop()
  await goesOn()
  expect(await version()).toBe(NEWEST)
  await cluster.start('first', ADDED)
  await goesOn()
  expect(await version()).toBe(NEWEST + 1)
  // Without it, and then it is started again on it, and alone.
  await cluster.programOf('second').stop()
  await goesOn()
  await cluster.start('second')
  await cluster.programOf('first').stop()
  await goesOn()

  await till.close()
  await cluster.settled('second')
  await judge(cluster, 3)
})

test('a change that older nodes cannot live with waits until they are gone, and names them', async () => {
  const url = await databaseOf(temporaryFolder())
  const admin = await admit(url)
  const store = await openStore({ home: temporaryFolder(), databaseUrl: url, node: 'older', now: Date.now })
  await store.nodes?.renew({ url: null, version: '1', startedAt: 1 })
  const upgrade = () => migrate(url, 'db/kurir', [...list, BREAKING])
  await expect(upgrade()).rejects.toMatchObject({
    problem: 'older_nodes',
    message: expect.stringMatching(/Stop them all, then start this one. \(older; db\/kurir\)/),
  })
  expect(await versionIn(admin)).toBe(NEWEST)
  await store.nodes?.leave()
  await store.close()
  expect(await upgrade()).toBe(NEWEST + 1)
  const again = openStore({ home: temporaryFolder(), databaseUrl: url, node: 'older', now: Date.now })
  await expect(again).rejects.toMatchObject({ problem: 'newer' })
})

test('a node that was killed counts for a while: a start waits for that, and says what for', async () => {
  const url = await databaseOf(temporaryFolder())
  const admin = await admit(url)
  await migrate(
    url,
    'db',
    list.filter(({ version }) => version < 14),
  )
  await admin.query(
    `INSERT INTO nodes (name, instance, version, started_at, seen_at) VALUES ('killed', 'x', '1', 1, now())`,
  )
  const said = Promise.withResolvers<string>()
  const opened = openStore({
    ...{ home: temporaryFolder(), databaseUrl: url, node: 'upgraded', now: Date.now, waiting: said.resolve },
  })
  expect(await said.promise).toMatch(/too old for what this version changes.*\(killed; /)
  expect(await versionIn(admin)).toBe(13)
  await admin.query(`UPDATE nodes SET seen_at = now() - interval '15 seconds'`)
  await (await opened).close()
  expect(await versionIn(admin)).toBe(NEWEST)
})

test('what was left out before is taken away later: nodes that do not need it any more may run', async () => {
  const url = await databaseOf(temporaryFolder())
  const store = await openStore({ home: temporaryFolder(), databaseUrl: url, node: 'a', now: Date.now })
  onTestFinished(store.close)
  await store.nodes?.renew({ url: null, version: '1', startedAt: 1 })
  const later: Migration = { version: NEWEST + 1, needs: NEWEST, sql: '', postgres: 'DROP VIEW delivery_counts;' }
  expect(await migrate(url, 'db', [...list, later])).toBe(NEWEST + 1)
  expect(await store.messages.after(0, 1)).toEqual([])
})

test('a node that was frozen while the database was changed beyond it writes nothing when it goes on, and says why', async () => {
  const url = await databaseOf(temporaryFolder())
  const admin = await admit(url)
  const program = await startNode(url)
  expect((await post(program, 'before')).status).toBe(200)
  program.freeze()
  await admin.query(`UPDATE nodes SET seen_at = now() - interval '1 minute'`)
  await migrate(url, 'db', [...list, { ...BREAKING, postgres: 'CREATE TABLE colours (name TEXT PRIMARY KEY);' }])
  program.thaw()
  expect((await post(program, 'after')).status).toBe(503)
  expect((await admin.query('SELECT body FROM messages')).rows).toEqual([{ body: 'before' }])
  await eventually(async () => (await concernsOf(program)).join() === 'storage_server_newer')
})

test('a reader that takes long, such as a backup, keeps a change back for a while, and nobody waits behind it', async () => {
  const url = await databaseOf(temporaryFolder())
  const [reader, admin] = [await admit(url), await admit(url)]
  await migrate(url, 'db')
  await reader.query('BEGIN')
  await reader.query('SELECT 1 FROM messages')
  await expect(migrate(url, 'db', [...list, ADDED])).rejects.toMatchObject({ problem: 'locked' })
  expect(await versionIn(admin)).toBe(NEWEST)
  const begun = startNode(url, ADDED)
  const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await eventually(async () => (await admin.query(waits)).rowCount === 1)
  await reader.query('COMMIT')
  expect((await post(await begun, 'after')).status).toBe(200)
  expect(await versionIn(admin)).toBe(NEWEST + 1)
})

test('an older program copies nothing of a newer database, because it would leave behind what it does not know', async () => {
  const url = await databaseOf(temporaryFolder())
  await migrate(url, 'db', [...list, ADDED])
  await expect(moveToFolder(url, temporaryFolder())).rejects.toMatchObject({ problem: 'newer' })
})

/** What older nodes may still use, or do not write. */
const TAKES_AWAY = [
  /\bDROP (?!INDEX)/,
  /\bRENAME\b/,
  /\bALTER COLUMN\b.*\b(TYPE|SET NOT NULL)\b/,
  /\bADD (PRIMARY KEY|CONSTRAINT|CHECK|UNIQUE)\b/,
  /\bCREATE UNIQUE INDEX\b/,
  /\bADD COLUMN\b(?![^,;]*DEFAULT)[^,;]*NOT NULL/,
]

test('a migration that takes something away says which programs can work with what it leaves', () => {
  const found = list.filter(({ postgres = '' }) => TAKES_AWAY.some((pattern) => pattern.test(postgres)))
  expect(found.map(({ version }) => version)).toEqual([12, 14])
  expect(found.every(({ version, needs = 0 }) => needs > 0 && needs <= version)).toBe(true)
})
