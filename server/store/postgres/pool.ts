import pg from 'pg'
import type { Answer, Prepared } from './replay.ts'

const { builtins } = pg.types

// A transaction that its node does not go on with (frozen, cut off) must not hold rows for long: a take-over waits for them.
const IDLE_IN_TRANSACTION = 5_000
const STATEMENT = 30_000
const CONNECT_WITHIN = 10_000
const ANSWER_WITHIN = 35_000

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
  /** A connection was lost while nothing was asked of it. */
  onLost: (error: Error) => void
}

export interface Pool extends Pick<pg.Pool, 'connect' | 'query'> {
  /** Resolves when every connection is closed. */
  end(): Promise<void>
}

export function createPool({ url, connections, onLost }: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    // What a call writes goes out without waiting for each answer.
    pipeline: true,
    application_name: 'kurir',
    connectionTimeoutMillis: CONNECT_WITHIN,
    statement_timeout: STATEMENT,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION,
    query_timeout: ANSWER_WITHIN,
    keepAlive: true,
  } as pg.PoolConfig)
  pool.on('error', onLost)
  const end: () => Promise<void> = pool.end.bind(pool)
  const open = new Set<Promise<void>>()
  pool.on('connect', (client) => {
    const ended: Promise<void> = new Promise<void>((resolve) => client.once('end', resolve)).then(
      () => void open.delete(ended),
    )
    open.add(ended)
  })
  return Object.assign(pool, {
    end: async () => {
      await end()
      await Promise.all(open)
    },
  })
}

/** Server, port and database: what may be shown. */
export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`
}

/** Sends statements down one connection. */
export function sendingDown(connection: Promise<Connection> | Connection, locking: boolean) {
  return async (statement: Prepared, values: unknown[]): Promise<Answer> => {
    const client = connection instanceof Promise ? await connection : connection
    const { name, text } = statement
    const { rows, rowCount } = await client.query<Record<string, unknown>>(
      locking && text !== statement.locking
        ? { name: `${name}_l`, text: statement.locking, values }
        : { name, text, values },
    )
    return { rows, changes: rowCount ?? 0 }
  }
}
