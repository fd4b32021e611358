import { asStorageError, StorageError, type StorageProblem } from '../../lib/storage-error.ts'
import type { Noted } from '../figures.ts'
import type { Urgency } from '../messages.ts'
import type { Db } from './database.ts'

declare const open: unique symbol

/**
 * Proof of an open transaction: only `write` provides it, and every function that is right only
 * inside one demands it.
 */
export interface Tx {
  readonly [open]: true
  /** Entries that its commit adds to the book of figures. */
  readonly noted: Noted
}

/** Runs `work` inside a transaction; resolves once that is on disk. `work` may run twice. */
export type Write = <T>(work: (tx: Tx) => T, urgency?: Urgency) => Promise<T>

interface Job {
  work: (tx: Tx) => unknown
  resolve: (value: never) => void
  reject: (reason: unknown) => void
}

/** Milliseconds that a commit waits at most for more writes, as long as each turn adds some. */
const LONGEST_GATHERING = 10
/**
 * Milliseconds that a write which is not urgent waits for others: the time of some sends, so that
 * their results share a commit.
 */
export const SOON = 25

export interface GroupCommit {
  write: Write
  /** Commits what waits, at once. */
  drain: () => void
  /** Why the newest commit did not go through, or the next one will not; null: all is well. */
  problem: () => StorageProblem | null
}

/**
 * Writes that arrive together share a commit: one fsync for all of them instead of one each, which
 * is what limits a gateway on a PC's disk (see bench/README.md).
 */
export function createGroupCommit(
  db: Db,
  /**
   * Milliseconds that a write which is not urgent waits for others; 0 where a test moves the time.
   */
  soon: number,
  /** Why nothing may be written now; null: it may. */
  refusal: () => StorageError | null,
  /** Writes what the works of a transaction have noted. */
  writeNoted: (noted: Noted) => void,
  longestGathering = LONGEST_GATHERING,
): GroupCommit {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  let waiting: Job[] = []
  let gathering: NodeJS.Immediate | undefined
  let delayed: NodeJS.Timeout | undefined
  let problem: StorageProblem | null = null
  /** Milliseconds that the newest commit took: the next one waits no longer for others. */
  let tookMs = 0

  function runTogether(jobs: Job[]): unknown[] {
    begin.run()
    try {
      const tx = { noted: new Map() } as unknown as Tx
      const results = jobs.map((job) => job.work(tx))
      writeNoted(tx.noted)
      commit.run()
      return results
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (db.inTransaction) rollback.run()
      throw error
    }
  }

  function settle(jobs: Job[]): void {
    try {
      const refused = refusal()
      if (refused !== null) throw refused
      const before = problem === 'full' ? changes.get() : undefined
      const began = performance.now()
      const results = runTogether(jobs)
      tookMs = performance.now() - began
      // On a full disk there is room for a transaction that changed nothing.
      if (problem !== 'full' || changes.get() !== before) problem = null
      for (const [i, job] of jobs.entries()) job.resolve(results[i] as never)
    } catch (error) {
      const reason = asStorageError(error, db.name)
      if (reason instanceof StorageError) problem = reason.problem
      // One bad write must not take its neighbours down: each gets a transaction of its own. Not so
      // where the disk is at fault: waiting for a locked file once per write would stop everything
      // for minutes.
      if (jobs.length > 1 && !(reason instanceof StorageError)) for (const job of jobs) settle([job])
      else for (const job of jobs) job.reject(reason)
    }
  }

  /**
   * Callers that were answered together call again together: while more keep coming, a few turns
   * are worth the wait.
   */
  function gather(before: number, until: number): void {
    if (waiting.length > before && performance.now() < until) gathering = setImmediate(gather, waiting.length, until)
    else flush()
  }

  function flush(): void {
    clearImmediate(gathering)
    clearTimeout(delayed)
    gathering = undefined
    delayed = undefined
    const jobs = waiting
    waiting = []
    if (jobs.length > 0) settle(jobs)
  }

  return {
    write: (work, urgency = 'now') =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject })
        if (urgency === 'now' || soon === 0)
          gathering ??= setImmediate(gather, 0, performance.now() + Math.min(tookMs, longestGathering))
        else delayed ??= setTimeout(flush, soon)
      }),
    drain: flush,
    problem: () => refusal()?.problem ?? problem,
  }
}
