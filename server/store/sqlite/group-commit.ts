import { asStorageError, StorageError } from '../errors.ts'
import type { Db } from './database.ts'

/** Runs `work` inside a transaction; resolves once that is on disk. `work` may run twice and must only touch the database. */
export type Write = <T>(work: () => T) => Promise<T>

interface Job {
  work: () => unknown
  resolve: (value: never) => void
  reject: (reason: unknown) => void
}

// Turns of the event loop that a commit waits for company, as long as each brings some.
const MOST_TURNS = 16

/**
 * Writes that arrive together share a commit: one fsync for all of them instead of one each, which is what
 * limits a gateway on a PC's disk (see bench/README.md).
 */
export function createGroupCommit(db: Db): {
  write: Write
  drain: () => void
  /** Whether the newest commit went through. */
  healthy: () => boolean
} {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  let waiting: Job[] = []
  let healthy = true

  function runTogether(jobs: Job[]): unknown[] {
    begin.run()
    try {
      const results = jobs.map((job) => job.work())
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
      const results = runTogether(jobs)
      healthy = true
      for (const [i, job] of jobs.entries()) job.resolve(results[i] as never)
    } catch (error) {
      // One bad write must not take its neighbours down: each gets a transaction of its own.
      if (jobs.length > 1) for (const job of jobs) settle([job])
      else jobs[0]?.reject(note(asStorageError(error, db.name)))
    }
  }

  function note(error: unknown): unknown {
    if (error instanceof StorageError) healthy = false
    return error
  }

  /** Callers that were answered together call again together: while more keep coming, a few turns are worth the wait. */
  function gather(turn: number, before: number): void {
    if (turn < MOST_TURNS && waiting.length > before) setImmediate(gather, turn + 1, waiting.length)
    else flush()
  }

  function flush(): void {
    const jobs = waiting
    waiting = []
    if (jobs.length > 0) settle(jobs)
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(gather, 1, 0)
        waiting.push({ work, resolve, reject })
      }),
    drain: flush,
    healthy: () => healthy,
  }
}
