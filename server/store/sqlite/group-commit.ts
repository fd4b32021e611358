import { asStorageError, StorageError, type StorageProblem } from '../../lib/storage-error.ts'
import type { Noted } from '../figures.ts'
import type { Urgency } from '../messages.ts'
import type { Db } from './database.ts'

declare const open: unique symbol

/**
 * Proof of an open transaction. Only `write` provides it, and every function that must run inside a
 * transaction requires it.
 */
export interface Tx {
  readonly [open]: true
  /** Entries that the commit adds to the book of figures. */
  readonly noted: Noted
}

/** Runs `work` inside a transaction; resolves when it is on disk. `work` may run twice. */
export type Write = <T>(work: (tx: Tx) => T, urgency?: Urgency) => Promise<T>

interface Job {
  work: (tx: Tx) => unknown
  resolve: (value: never) => void
  reject: (reason: unknown) => void
}

/**
 * Longest time in milliseconds that a commit waits for more writes, as long as each turn adds some.
 */
const LONGEST_GATHERING = 10
/**
 * Milliseconds that a write which is not urgent waits for others. In this time several sends
 * finish, and their results share a commit.
 */
export const SOON = 25

export interface GroupCommit {
  write: Write
  /** Commits waiting writes at once. */
  drain: () => void
  /** Why the last commit failed or the next one will; null: no problem. */
  problem: () => StorageProblem | null
}

/**
 * Lets writes that arrive together share a commit: one fsync for all of them instead of one each,
 * which limits the speed of a gateway on a PC's disk (see bench/README.md).
 */
export function createGroupCommit(
  db: Db,
  /** Milliseconds that a write which is not urgent waits for others; 0 if a test moves the time. */
  soon: number,
  /** Returns why nothing may be written; null: it may. */
  refusal: () => StorageError | null,
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
  /**
   * Milliseconds that the last commit took. The next commit waits no longer than this for others.
   */
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
      // A transaction that changed nothing succeeds even on a full disk.
      if (problem !== 'full' || changes.get() !== before) problem = null
      for (const [i, job] of jobs.entries()) job.resolve(results[i] as never)
    } catch (error) {
      const reason = asStorageError(error, db.name)
      if (reason instanceof StorageError) problem = reason.problem
      // One bad write must not fail its neighbours, so each gets a transaction of its own. Not if
      // the disk is at fault: waiting for a locked file once per write would block everything for
      // minutes.
      if (jobs.length > 1 && !(reason instanceof StorageError)) for (const job of jobs) settle([job])
      else for (const job of jobs) job.reject(reason)
    }
  }

  /**
   * Waits some turns for more writes, because callers that were answered together call again
   * together.
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
