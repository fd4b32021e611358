import { StorageError } from '../../lib/storage-error.ts'

interface Asked<Job, Result> {
  job: Job
  apart: readonly string[]
  resolve: (value: Result) => void
  reject: (reason: unknown) => void
}

/**
 * Turns of the event loop that a transaction waits for more writes, as long as each turn adds some.
 */
const MOST_TURNS = 16
/**
 * One that takes longer, because its server or a row keeps it waiting, does not keep the next one
 * waiting as well.
 */
const NEXT_AFTER = 250
/** Most calls in one transaction: after a failure each is done again alone. */
const MOST = 100

/**
 * Writes that arrive together, or while others are on their way to the disk, share a transaction:
 * its round trips, its commit and most of what the server does for it are for all of them. See
 * group-commit.ts of the other engine.
 * @param all does jobs in one transaction
 */
export function createTogether<Job, Result>(all: (jobs: readonly Job[]) => Promise<Result[]>) {
  let waiting: Asked<Job, Result>[] = []
  let isBusy = false

  async function settle(jobs: readonly Asked<Job, Result>[]): Promise<void> {
    try {
      const values = await all(jobs.map(({ job }) => job))
      for (const [i, { resolve }] of jobs.entries()) resolve(values[i] as Result)
    } catch (error) {
      // One that fails, or waits for a row, must not take its neighbours down. Where the server is
      // at fault all have failed.
      if (jobs.length > 1 && !(error instanceof StorageError)) await Promise.all(jobs.map((job) => settle([job])))
      else for (const { reject } of jobs) reject(error)
    }
  }

  /** In their order, but not two that must be apart. */
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
   * Callers that were answered together call again together: while more keep coming, a few turns
   * are worth the wait.
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
