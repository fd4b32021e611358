import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'

type Job = () => Promise<unknown>

export interface Background {
  run(name: string, job: Job): void
  /** Runs a job once, `ms` from now, unless a job of this name is planned already. */
  later(name: string, ms: number, job: Job): void
  every(name: string, ms: number, job: Job): void
  /** Starts no further job. Resolves when the running jobs have ended. */
  stop(): Promise<void>
}

/** Runs jobs that no caller waits for. A failure is logged; planned jobs still run. */
export function createBackground({ clock, logger }: { clock: Clock; logger: Logger }): Background {
  const running = new Set<Promise<void>>()
  const timers = new Map<string, () => void>()
  let stopped = false

  function run(name: string, job: Job): void {
    if (stopped) return
    const work: Promise<void> = job()
      .catch((error: unknown) => {
        if (!stopped) logger.warn({ err: error, job: name }, 'a background job failed; it will be tried again')
      })
      .then(() => void running.delete(work))
    running.add(work)
  }

  function later(name: string, ms: number, job: Job): void {
    if (stopped || timers.has(name)) return
    const cancel = clock.after(ms, () => {
      timers.delete(name)
      run(name, job)
    })
    timers.set(name, cancel)
  }

  function every(name: string, ms: number, job: Job): void {
    later(name, ms, () => {
      every(name, ms, job)
      return job()
    })
  }

  return {
    run,
    later,
    every,
    async stop() {
      stopped = true
      for (const cancel of timers.values()) cancel()
      await Promise.all(running)
    },
  }
}
