import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../server/store/index.ts'
import { migrate } from '../../server/store/postgres/migrate.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'

test('callbacks that wait or were given up are counted in indexes', async () => {
  const url = await databaseOf(temporaryFolder())
  await migrate(url, 'test')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  // A table without rows is read as a whole.
  await client.query('SET enable_seqscan = off')
  await client.query('SET enable_bitmapscan = off')
  const { rows } = await client.query<Record<string, string>>('EXPLAIN SELECT * FROM delivery_counts')
  const plan = rows.flatMap((row) => Object.values(row)).join('\n')
  expect(plan).toMatch(/Index Only Scan using deliveries_due/)
  expect(plan).toMatch(/Index Only Scan using deliveries_dead/)
})

test('a search reads the index of words, whatever the server thinks of how many messages have the word', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const store = await openStore({ home: temporaryFolder(), databaseUrl, node: 'node', now: Date.now })
  onTestFinished(store.close)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('BEGIN')
  const read = async (sql: string) => {
    await client.query(sql)
    const { rows } = await client.query(
      "SELECT seq_scan::int AS table, idx_scan::int AS index FROM pg_stat_xact_user_tables WHERE relname = 'messages_words'",
    )
    return rows[0]
  }
  expect(await read(`SELECT rowid FROM messages_words WHERE words @@ '''inv'':*'`)).toEqual({ table: 1, index: 0 })
  expect(await read(`SELECT * FROM messages_having('''inv'':*')`)).toEqual({ table: 1, index: 1 })
})

test('words of many messages are found, also one so long that a letter of it is cut in two', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const store = await openStore({ home: temporaryFolder(), databaseUrl, node: 'node', now: Date.now })
  onTestFinished(store.close)
  const { id: senderId } = await store.senders.add({
    ...{ code: 'SND-1', kind: 'linked', settings: FAST, state: 'connected', official: null, createdAt: 1 },
  })
  const texts = ['Nota "A\\1" \'lunas\'', `x${'𝒜'.repeat(200)}`, 'Café']
  for (const [n, body] of texts.entries())
    await store.messages.accept(newRow({ id: `m${n}`, senderId, body }), { unique: false })
  expect(await store.search.step()).toBe(false)
  const found = async (text: string) => (await store.messages.list({ text, limit: 5 })).map(({ id }) => id)
  expect(await found('lunas')).toEqual(['m0'])
  expect(await found(`x${'𝒜'.repeat(200)}`)).toEqual(['m1'])
  expect(await found('cafe')).toEqual(['m2'])
})
