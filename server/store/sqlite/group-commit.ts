import { asStorageError, StorageError } from '../errors.ts'
import type { Db } from './database.ts'

/** Runs `work` inside a transaction; resolves once that is on disk. `work` may run twice and must only touch the database. */
export type Write = <T>(work: () => T) => Promise<T>

interface Job {
  work: () => unknown
  resolve: (value: never) => void
  reject: (reason: unknown) => void
}

/**
 * All writes of one turn of the event loop share a commit: one fsync for all of them instead of one each, which is what
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
    } catch (cause) {
      const error = asStorageError(cause, db.name)
      const diskRefuses = error instanceof StorageError
      if (diskRefuses) healthy = false
      // One bad write must not take its neighbours down: each gets a transaction of its own. A full or locked disk refuses
      // them all, and asking it once for each would stop the program for the sum of its waits.
      if (diskRefuses || jobs.length === 1) for (const job of jobs) job.reject(error)
      else for (const job of jobs) settle([job])
    }
  }

  function flush(): void {
    const jobs = waiting
    waiting = []
    if (jobs.length > 0) settle(jobs)
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ work, resolve, reject })
      }),
    drain: flush,
    healthy: () => healthy,
  }
}
