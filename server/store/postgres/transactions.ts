import { StorageError, type StorageProblem } from '../../lib/storage-error.ts'
import { asStorageError, isAfterFailure, isConflict, isFenced, isLost, isUnanswered } from './errors.ts'
import { writeFigures } from './figures.ts'
import type { Connection, Pool } from './pool.ts'
import { createTx, type Tx, type Write, type WriteTogether } from './sql.ts'

// Most tries of a transaction that conflicts with others. In practice one or two retries are
// enough.
const TRIES = 12
// Milliseconds in which Kurir asks what became of a commit whose answer was lost.
const ASKED_FOR = 15_000
const ASKED_EVERY = 250

export interface TransactionsDeps {
  pool: Pool
  /** Resolves with a connection of the pool; rejects at once if none can be had. */
  connect: () => Promise<Connection>
  /** Server and database, for errors. */
  place: string
  node: string
  /** Returns the error for a sender that this node does not hold. */
  fenced: () => StorageError
  /** True if the server can tell afterwards what became of a transaction. */
  tellsOutcomes: boolean
  /** Runs before the commit, with the written tables. */
  beforeCommit: (connection: Connection, written: ReadonlySet<string>) => Promise<unknown>[]
}

/**
 * A transaction's id and history, to ask for its outcome later. A standby that took over assigns
 * the same ids again, but in another timeline.
 */
interface Named {
  id: string
  history: string
}

// Within one history of a server, no id is assigned twice. A standby that took over and a server
// that crashed assign ids again whose transactions had not reached their log. A crash also resets
// the statistics; a clean stop keeps them.
const HISTORY = `concat(substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), ' ',
  extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()))`
/**
 * Reads the transaction's id. A standby has none: it returns no row, and refuses the next statement
 * with an error of its own.
 */
export const NAMED = `SELECT pg_current_xact_id()::text AS id, ${HISTORY} AS history WHERE NOT pg_is_in_recovery()`
const NAME = { name: 'kurir_begun', text: NAMED }
const NAMELESS: Promise<{ rows: Named[] }> = Promise.resolve({ rows: [] })
// Writes that share a transaction wait only briefly for a locked row. Then each is done alone, so
// that those which do not need the row succeed.
const BEGIN_TOGETHER = 'BEGIN; SET LOCAL lock_timeout = 250'
const BECAME = `SELECT history, CASE WHEN history = $2::text THEN pg_xact_status($1::text::xid8) END AS status
  FROM (SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE ${HISTORY} END AS history) AS here`

/**
 * Creates the functions that write. A write is a transaction on a connection of its own, or shares
 * one with others. Rows that a transaction reads stay locked until it ends, so that no two decide
 * from the same state.
 */
export function createTransactions(deps: TransactionsDeps) {
  const { pool, connect, place, node, fenced, tellsOutcomes, beforeCommit } = deps
  let problem: StorageProblem | null = null

  /**
   * Asks what became of a transaction.
   * @throws StorageError `in_doubt` if that cannot be known
   */
  async function becameOf({ id, history }: Named): Promise<'committed' | 'aborted'> {
    for (const until = Date.now() + ASKED_FOR; Date.now() < until; ) {
      try {
        const { rows } = await pool.query<{ history: string | null; status: string | null }>(BECAME, [id, history])
        const status = rows[0]?.status
        if (status === 'committed' || status === 'aborted') return status
        if (![null, undefined, history].includes(rows[0]?.history)) break
      } catch (error) {
        if (!(asStorageError(error, place) instanceof StorageError)) throw error
        // A server that restarts refuses connections at first, and then knows the outcome if it was
        // stopped cleanly. Give up on a server that does not answer, because it is cut off, and on
        // one that refuses this node.
        if (isUnanswered(error) || error instanceof StorageError) break
      }
      await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY))
    }
    throw new StorageError('in_doubt', place)
  }

  async function once<T>(work: (tx: Tx) => Promise<T>, begin: string, countedAs: string): Promise<T> {
    const connection = await connect()
    const open = createTx(connection)
    let transaction: Named | undefined
    let committing = false
    let value: T | undefined
    try {
      const begun = Promise.all([
        connection.query(begin),
        // Read the id, to ask later what became of the transaction.
        (tellsOutcomes ? connection.query<Named>(NAME) : NAMELESS).then(({ rows }) => {
          transaction = rows[0]
        }),
      ])
      begun.catch(() => undefined)
      value = await work(open.tx)
      writeFigures(open.tx, countedAs)
      const marked = Promise.all(beforeCommit(connection, open.changed))
      marked.catch(() => undefined)
      committing = true
      const ended = connection.query('COMMIT')
      ended.catch(() => undefined)
      await begun
      await open.answers()
      await marked
      await ended
      connection.release()
      return value
    } catch (error) {
      if (isLost(error)) {
        connection.release(true)
        if (!committing) throw error
        if (transaction === undefined) throw new StorageError('in_doubt', place, error)
        if ((await becameOf(transaction)) === 'committed') return value as T
        throw error
      }
      // After a refused statement the server also refused the rest of the transaction with its
      // commit, so look for the first error.
      const refused = isAfterFailure(error) ? await open.answers().catch((first: unknown) => first) : undefined
      await connection.query('ROLLBACK').then(
        () => connection.release(),
        () => connection.release(true),
      )
      throw refused ?? error
    }
  }

  /**
   * Runs `work` in a transaction, and again after a conflict.
   * @throws StorageError, or the error of `work`
   */
  async function transact<T>(
    work: (tx: Tx) => Promise<T>,
    { begin = 'BEGIN', mostTries = TRIES, countedAs = node } = {},
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        const value = await once(work, begin, countedAs)
        problem = null
        return value
      } catch (error) {
        if (isConflict(error) && tries < mostTries) continue
        const reason = isFenced(error) ? fenced() : asStorageError(error, place)
        // A lost lease says nothing about the next transaction; a lost server does.
        if (reason instanceof StorageError && reason.problem !== 'not_holder')
          problem = reason.problem === 'in_doubt' ? 'no_server' : reason.problem
        throw reason
      }
    }
  }

  /** Resolves at the end of the last write of each subject. */
  const ends = new Map<string, Promise<void>>()

  async function inOrderOf<T>(subject: string | undefined, work: () => Promise<T>): Promise<T> {
    if (subject === undefined) return work()
    const before = ends.get(subject)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    ends.set(subject, end)
    try {
      await before
      return await work()
    } finally {
      resolve()
      if (ends.get(subject) === end) ends.delete(subject)
    }
  }

  const write: Write = (work, subject) => inOrderOf(subject, () => transact(work))

  // Accepts count figures in rows of their own, so that none waits for the commit of a change.
  const writeTogether: WriteTogether = (work) =>
    createTogether((jobs) =>
      transact((tx) => work(tx, jobs), {
        ...(jobs.length > 1 ? { begin: BEGIN_TOGETHER, mostTries: 1 } : {}),
        countedAs: `${node} accepts`,
      }),
    )

  return { write, writeTogether, problem: () => problem }
}

interface Asked<Job, Result> {
  job: Job
  apart: readonly string[]
  resolve: (value: Result) => void
  reject: (reason: unknown) => void
}

/** Event loop turns that a transaction waits for more writes, as long as each turn adds some. */
const MOST_TURNS = 16
/**
 * Milliseconds after which the next transaction begins, even if one still waits for its server or a
 * row.
 */
const NEXT_AFTER = 250
/** Most calls in one transaction, because after a failure each is repeated alone. */
const MOST = 100

/**
 * Lets writes that arrive together, or while others are on their way to the disk, share a
 * transaction: its round trips, its commit, and most of the server's work. See group-commit.ts of
 * the other engine.
 * @param all does several jobs in one transaction
 */
function createTogether<Job, Result>(all: (jobs: readonly Job[]) => Promise<Result[]>) {
  let waiting: Asked<Job, Result>[] = []
  let isBusy = false

  async function settle(jobs: readonly Asked<Job, Result>[]): Promise<void> {
    try {
      const values = await all(jobs.map(({ job }) => job))
      for (const [i, { resolve }] of jobs.entries()) resolve(values[i] as Result)
    } catch (error) {
      // A job that fails or waits for a row must not fail its neighbours, so each is repeated
      // alone. If the server is at fault, all have failed.
      if (jobs.length > 1 && !(error instanceof StorageError)) await Promise.all(jobs.map((job) => settle([job])))
      else for (const { reject } of jobs) reject(error)
    }
  }

  /** Takes the next jobs in order, but no two that must be apart. */
  function next(): Asked<Job, Result>[] {
    const taken = new Set<string>()
    const [jobs, others]: [Asked<Job, Result>[], Asked<Job, Result>[]] = [[], []]
    for (const job of waiting) {
      const fits = jobs.length < MOST && !job.apart.some((name) => taken.has(name))
      for (const name of job.apart) taken.add(name)
      ;(fits ? jobs : others).push(job)
    }
    waiting = others
    return jobs
  }

  /**
   * Waits some turns for more writes, because callers that were answered together call again
   * together.
   */
  function gather(turn: number, before: number): void {
    if (turn < MOST_TURNS && waiting.length > before) setImmediate(gather, turn + 1, waiting.length)
    else flush()
  }

  function flush(): void {
    let timer: NodeJS.Timeout | undefined
    const goOn = () => {
      clearTimeout(timer)
      if (timer === undefined) return
      timer = undefined
      isBusy = false
      if (waiting.length > 0) begin()
    }
    timer = setTimeout(goOn, NEXT_AFTER)
    void settle(next()).then(goOn)
  }

  function begin(): void {
    isBusy = true
    setImmediate(gather, 1, 0)
  }

  return (job: Job, apart: readonly string[]): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ job, apart, resolve, reject })
      if (!isBusy) begin()
    })
}
