import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { StorageError } from '../../server/lib/storage-error.ts'
import { type Connection, createPool, type Pool } from '../../server/store/postgres/pool.ts'
import { createTransactions } from '../../server/store/postgres/transactions.ts'
import { startCutWire } from '../support/cut-wire.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { startPostgres } from '../support/postgres-server.ts'

const BEGUN_ON = '00000001 1795357580'

/** A server that is lost while it commits. What it says of the transaction afterwards, one answer for each question. */
function writesWith(answers: { history: string | null; status: string | null }[]) {
  const rows = (...all: object[]) => ({ rows: all, rowCount: all.length })
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  const connection = {
    async query(asked: string | { name: string }) {
      if (asked === 'COMMIT') throw lost
      return typeof asked === 'string' ? rows() : rows({ id: '7', history: BEGUN_ON })
    },
    release: () => undefined,
  }
  const pool = {
    connect: async () => connection as unknown as Connection,
    query: async () => rows(answers.shift() ?? {}),
    end: async () => undefined,
  } as unknown as Pool
  const fenced = () => new StorageError('not_holder', 'db.example')
  return createTransactions({
    pool,
    connect: pool.connect,
    place: 'db.example',
    node: 'node',
    fenced,
    tellsOutcomes: true,
    beforeCommit: () => [],
  })
}

test('a commit whose answer was lost is asked for until the server knows', async () => {
  const { write } = writesWith([
    { history: null, status: null },
    { history: BEGUN_ON, status: 'in progress' },
    { history: BEGUN_ON, status: 'committed' },
  ])
  expect(await write(async () => 'written')).toBe('written')
  const aborted = writesWith([{ history: BEGUN_ON, status: 'aborted' }])
  await expect(aborted.write(async () => 'written')).rejects.toThrow(/does not answer/)
})

test('a standby that has taken over is not believed: it gives the number to another transaction', async () => {
  const { write, problem } = writesWith([{ history: '00000002 1795357580', status: null }])
  await expect(write(async () => 'written')).rejects.toThrow(/does not say whether it is written/)
  expect(problem()).toBe('no_server')
})

test.each(['crashed', 'was stopped cleanly'])(
  'a server that %s while it commits: what another transaction under the same number became is not taken for it',
  async (how) => {
    // Nothing reaches its log by itself.
    const server = await startPostgres({ wal_writer_delay: '10s' })
    onTestFinished(server.close)
    const url = new URL(server.url)
    const wire = await startCutWire(Number(url.port))
    onTestFinished(wire.close)
    const ask = async (...statements: string[]) => {
      const client = new pg.Client({ connectionString: server.url })
      client.on('error', () => undefined)
      await client.connect()
      onTestFinished(() => client.end())
      for (const text of statements.slice(0, -1)) await client.query(text)
      const { rows } = await client.query<{ found: string }>(statements.at(-1) ?? '')
      return rows[0]?.found
    }
    // An insert that only ends with its connection, and with it the commit that was sent behind it.
    await ask(
      'CREATE TABLE held (name TEXT PRIMARY KEY)',
      `CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$`,
      'CREATE TRIGGER stand_still BEFORE INSERT ON held FOR EACH ROW EXECUTE FUNCTION stand_still()',
      'CHECKPOINT',
    )

    const pool = createPool({ url: Object.assign(new URL(url), { port: String(wire.port) }).href, connections: 2 })
    onTestFinished(pool.end)
    const fenced = () => new StorageError('not_holder', 'db.example')
    const { write } = createTransactions({
      ...{
        pool,
        connect: pool.connect,
        place: 'db.example',
        fenced,
        tellsOutcomes: true,
        node: 'node',
        beforeCommit: () => [],
      },
    })

    const written = write(async (tx) => void tx.run('INSERT INTO held (name) VALUES ($1)', ['one']))
    written.catch(() => undefined)
    const waiting = "SELECT backend_xid::text AS found FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    let id: string | undefined
    await eventually(async () => {
      id = await ask(waiting)
      return id !== undefined
    })
    // Until the number has been given again, nobody is asked.
    wire.lead(await freePort())
    await server.stop(how === 'crashed' ? 'immediate' : 'fast')
    await server.start()
    await eventually(async () => Number(await ask('SELECT pg_current_xact_id()::text AS found')) >= Number(id))
    wire.lead(Number(url.port))

    const rejected = how === 'crashed' ? /does not say whether it is written/ : /does not answer/
    await expect(written).rejects.toThrow(rejected)
    expect(await ask('SELECT count(*) AS found FROM held')).toBe('0')
  },
)
