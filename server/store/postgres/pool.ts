import { Socket } from 'node:net'
import pg from 'pg'
import { isUnanswered } from './errors.ts'

const { builtins } = pg.types

// A transaction whose node is frozen or cut off must not hold rows for long, because a take-over
// waits for them.
const IDLE_IN_TRANSACTION = 10_000
// Short, because a caller waits; a server that works needs milliseconds.
const CONNECT_WITHIN = 4_000
const ANSWER_WITHIN = 35_000
const GOOD_BYE_WITHIN = 5_000
// The server's time limit is shorter by this much, so that it gives up first and reports it.
const ON_THE_WAY = 3_000

/** Name of the nodes' connections in `pg_stat_activity`. */
export const APPLICATION = 'kurir'

export type Connection = pg.PoolClient

/** Parses BIGINT and NUMERIC as numbers, because none of Kurir's exceeds 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === builtins.INT8 || id === builtins.NUMERIC ? Number : pg.types.getTypeParser(id, format as 'text'),
}

export interface PoolOptions {
  url: string
  /** Most connections at the same time. */
  connections: number
  /**
   * Milliseconds for a statement, after which its connection is given up; 0: no limit. Default: 35
   * s.
   */
  answerWithin?: number
  /** Name of the connections in `pg_stat_activity`; default: `APPLICATION`. */
  name?: string
  /** Checks each new connection before its first use; if this rejects, the connection is closed. */
  admit?: (client: pg.ClientBase) => Promise<void>
}

export type Query = <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<Row[]>

export interface Server {
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
}

export interface Pool extends Line, Server {
  /** Waits for a free connection; rejects if the server cannot be reached. */
  connect(): Promise<Connection>
  /** True if nobody answered lately: neither an open connection nor the last attempt to connect. */
  isSilent(): boolean
  /** Resolves when every connection is closed, or the server does not confirm this in time. */
  end(): Promise<void>
}

export function createPool(options: PoolOptions): Pool {
  const { url, connections, answerWithin = ANSWER_WITHIN, name = APPLICATION, admit } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    // Send the statements of a call without waiting for each answer.
    pipeline: true,
    application_name: name,
    connectionTimeoutMillis: CONNECT_WITHIN,
    query_timeout: answerWithin,
    keepAlive: true,
    onConnect: admit,
  } as pg.PoolConfig)
  // Set after connecting, because poolers such as PgBouncer refuse these settings in the startup
  // message. No JIT, because compiling a statement takes longer than any of ours runs.
  const limits = `SET statement_timeout = ${Math.max(0, answerWithin - ON_THE_WAY)};
    SET idle_in_transaction_session_timeout = ${answerWithin === 0 ? 0 : IDLE_IN_TRANSACTION};
    SET jit = off`
  // Ignore it: the next query notices a lost connection.
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
      // Reject waiting calls too, because they would only wait longer for the same error.
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
      // A server that was stopped has closed the connections itself, which is no silence.
      if (open.size > 0) silent = true
      for (const client of open.keys()) client.connection.stream.destroy()
    },
    async end() {
      const over = pool.end().then(() => Promise.all(open.values()))
      // A server that is cut off does not confirm the end of a connection.
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, GOOD_BYE_WITHIN).unref())])
    },
  }
}

/** Gives at most `most` turns at a time. Others wait in order, without a time limit. */
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

/** Returns server, port and database of a URL, for display. */
export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`
}

/**
 * Removes NUL, the only character that PostgreSQL's text cannot hold. Texts from callers and Meta
 * contain none (lib/json.ts).
 */
export const storable = <T>(value: T): T | string =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '') : value

const LOOKED_EVERY = 500
// Three seconds. Looks are counted instead of time, because a program that stood still first
// receives the bytes that arrived meanwhile.
const SILENT_LOOKS = 6

/** One or several connections to the server. */
interface Line {
  /** Bytes received from the server. */
  received(): number
  /** Ends all connections; open queries fail. */
  hangUp(): void
}

export const receivedBy = ({ connection: { stream } }: { connection: pg.Connection }): number =>
  stream instanceof Socket ? stream.bytesRead : 0

/**
 * Ends all connections when no byte arrives on any of them for some seconds, so that nobody waits
 * in vain. A server that is cut off is silent, and TCP notices this only after a quarter of an
 * hour; the store itself asks something every second.
 * @returns a function that stops the watch
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
