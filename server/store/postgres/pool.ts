import { Socket } from 'node:net'
import pg from 'pg'
import { isUnanswered } from './errors.ts'

const { builtins } = pg.types

// A transaction that its node does not go on with (frozen, cut off) must not hold rows for long: a
// take-over waits for them.
const IDLE_IN_TRANSACTION = 10_000
// A caller waits for it. A server that is there needs milliseconds.
const CONNECT_WITHIN = 4_000
const ANSWER_WITHIN = 35_000
const GOOD_BYE_WITHIN = 5_000
// The server gives up first, and says so.
const ON_THE_WAY = 3_000

/** Name of the nodes' connections in `pg_stat_activity`. */
export const APPLICATION = 'kurir'

export type Connection = pg.PoolClient

/** Numbers are numbers: none of ours is larger than 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === builtins.INT8 || id === builtins.NUMERIC ? Number : pg.types.getTypeParser(id, format as 'text'),
}

export interface PoolOptions {
  url: string
  /** At the same time. */
  connections: number
  /**
   * Milliseconds for a statement, after which its connection is given up; 0: as long as it takes.
   * Default: 35 s.
   */
  answerWithin?: number
  /** Name of its connections in `pg_stat_activity`; default: `APPLICATION`. */
  name?: string
  /** Looks at each new connection before it is used; where it rejects, the connection is closed. */
  admit?: (client: pg.ClientBase) => Promise<void>
}

/** Resolves with the rows. */
export type Query = <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<Row[]>

/** Answers one statement at a time. */
export interface Server {
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
}

export interface Pool extends Line, Server {
  /** Waits for its turn; fails when the server cannot be reached. */
  connect(): Promise<Connection>
  /** True if nobody answered lately: neither an open connection nor the last attempt. */
  isSilent(): boolean
  /** Resolves when every connection is closed, as far as the server still answers. */
  end(): Promise<void>
}

export function createPool(options: PoolOptions): Pool {
  const { url, connections, answerWithin = ANSWER_WITHIN, name = APPLICATION, admit } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    // Statements of a call go out without waiting for each answer.
    pipeline: true,
    application_name: name,
    connectionTimeoutMillis: CONNECT_WITHIN,
    query_timeout: answerWithin,
    keepAlive: true,
    onConnect: admit,
  } as pg.PoolConfig)
  // Not with the first words of a connection, which poolers as PgBouncer refuse.
  // Compiling a statement takes longer than any of ours.
  const limits = `SET statement_timeout = ${Math.max(0, answerWithin - ON_THE_WAY)};
    SET idle_in_transaction_session_timeout = ${answerWithin === 0 ? 0 : IDLE_IN_TRANSACTION};
    SET jit = off`
  // A connection that is lost is missed by the next question.
  pool.on('error', () => undefined)
  const open = new Map<pg.PoolClient, Promise<void>>()
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    client.query(limits).catch(() => undefined)
    const ended = new Promise<void>((resolve) => client.once('end', resolve)).then(() => void open.delete(client))
    open.set(client, ended)
  })
  const turns = createTurns(connections)
  let silent = false

  async function connect(): Promise<Connection> {
    await turns.next()
    try {
      const client = await pool.connect()
      silent = false
      const { release } = client
      client.release = (destroy) => {
        release.call(client, destroy)
        turns.done()
      }
      return client
    } catch (error) {
      silent = isUnanswered(error)
      // Those that wait would only wait longer for the same.
      turns.fail(error)
      throw error
    }
  }

  return {
    connect,
    isSilent: () => silent,
    async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) {
      const client = await connect()
      try {
        const result = await client.query<Row>(sql, values)
        client.release()
        return result
      } catch (error) {
        client.release(true)
        throw error
      }
    },
    received: () => [...open.keys()].reduce((sum, client) => sum + receivedBy(client), 0),
    hangUp() {
      // A server that is stopped has ended them itself.
      if (open.size > 0) silent = true
      for (const client of open.keys()) client.connection.stream.destroy()
    },
    async end() {
      const over = pool.end().then(() => Promise.all(open.values()))
      // A server that is cut off does not say good-bye.
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, GOOD_BYE_WITHIN).unref())])
    },
  }
}

/** At most so many at a time; the others wait in their order, as long as it takes. */
function createTurns(most: number) {
  let busy = 0
  let waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = []
  return {
    async next(): Promise<void> {
      if (busy >= most) await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
      else busy += 1
    },
    done(): void {
      const next = waiting.shift()
      if (next === undefined) busy -= 1
      else next.resolve()
    },
    fail(reason: unknown): void {
      busy -= 1
      const refused = waiting
      waiting = []
      for (const { reject } of refused) reject(reason)
    },
  }
}

/** Server, port and database: what may be shown. */
export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`
}

/**
 * PostgreSQL's text holds every character but NUL. What callers and Meta send has none any more
 * (lib/json.ts).
 */
export const storable = <T>(value: T): T | string =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '') : value

const LOOKED_EVERY = 500
// Three seconds. Looks are counted, not time: a program that stood still hears what came meanwhile
// before it looks again.
const SILENT_LOOKS = 6

/** One or several connections to the server. */
interface Line {
  /** Bytes that have come from the server. */
  received(): number
  /** Ends all connections; what was asked fails. */
  hangUp(): void
}

export const receivedBy = ({ connection: { stream } }: { connection: pg.Connection }): number =>
  stream instanceof Socket ? stream.bytesRead : 0

/**
 * A server that is cut off says nothing, and TCP finds out after a quarter of an hour. The store
 * asks something every second; when not one byte comes on any connection for some seconds, all of
 * them end, so that nobody waits for an answer in vain.
 * @returns stops it
 */
export function endSilence(lines: readonly Line[]): () => void {
  let heard = 0
  let looks = 0
  const timer = setInterval(() => {
    const received = lines.reduce((sum, line) => sum + line.received(), 0)
    looks = received === heard ? looks + 1 : 0
    heard = received
    if (looks < SILENT_LOOKS) return
    looks = 0
    for (const line of lines) line.hangUp()
  }, LOOKED_EVERY)
  timer.unref()
  return () => clearInterval(timer)
}
