import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from '../../server/store/index.ts'
import { readCatalog } from '../../server/store/postgres/catalog.ts'
import { createClaims } from '../../server/store/postgres/deliveries.ts'
import { translate } from '../../server/store/postgres/dialect.ts'
import { createInTurn } from '../../server/store/postgres/in-turn.ts'
import { migrate } from '../../server/store/postgres/migrate.ts'
import { createPool } from '../../server/store/postgres/pool.ts'
import { createSessions } from '../../server/store/postgres/sessions.ts'
import { createWordIndex } from '../../server/store/postgres/words.ts'
import type { Db, Engine } from '../../server/store/statements/engine.ts'
import { createTables } from '../../server/store/statements/tables.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'

const NOTHING = { run: () => ({ changes: 0, lastInsertRowid: 0 }), get: () => undefined, all: () => [] }

/** Every statement that the store prepares, in the words of SQLite. */
async function allStatements(): Promise<string[]> {
  const found: string[] = []
  const db: Db = {
    prepare(sql) {
      found.push(sql)
      return { ...NOTHING, iterate: () => [].values() }
    },
  }
  const write: Engine['write'] = async (work) => work({} as never)
  const fence = () => {}
  const remember: Engine['remember'] = () => async () => {}
  const holding: Engine['holding'] = (sql) => {
    db.prepare(sql)
    return () => {}
  }
  const store = createTables(
    {
      ...{ db, rowsAtOnce: 1, node: '', write, writeTogether: (work) => write(work), remember, holding, fence },
      inTurn: createInTurn(db),
      afterOpenWrites: async () => true,
    },
    createWordIndex(db),
    Date.now,
  )
  createSessions({ db, read: async (work) => work(), write, fence })
  createClaims(db, write, 'node')
  // These are prepared when somebody asks.
  const filter = { referenceId: 'r', senderId: 1, channel: 'template', templateName: 't', recipients: ['62'] } as const
  await store.messages.list({ ...filter, statuses: ['sent'], from: 1, to: 2, before: 3, limit: 4 })
  await store.messages.list({ text: 'two words', senderId: 1, limit: 1 })
  await store.deliveries.list({ state: 'dead', endpointId: 1, messageId: 'm', before: 2, limit: 3 })
  return [...new Set(found)]
}

test('PostgreSQL understands every statement of the store, also where it holds rows or several are asked at once', async () => {
  inject('postgres')
  const url = await databaseOf(temporaryFolder())
  const pool = createPool({ url, connections: 1 })
  onTestFinished(pool.end)
  await migrate(url, 'test')
  const catalog = await readCatalog(pool)
  const statements = await allStatements()
  expect(statements.length).toBeGreaterThan(100)
  const refused: string[] = []
  for (const sql of statements) {
    const { text, locking, many } = translate(sql, catalog)
    for (const each of new Set([text, locking, many ?? text])) {
      try {
        await pool.query(`PREPARE tried AS ${each}`)
        await pool.query('DEALLOCATE tried')
      } catch (error) {
        refused.push(`${String(error)}: ${each}`)
      }
    }
  }
  expect(refused).toEqual([])
})

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
