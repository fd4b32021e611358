import type { StorageProblem } from '../../lib/storage-error.ts'
import type { Pool } from './pool.ts'

export interface WatchDeps {
  server: Pool
  memory: { refresh(): Promise<string[]> }
  /** Why the newest write did not go through. */
  problem: () => StorageProblem | null
  /** Tries whether one goes through now. */
  tryToWrite: () => Promise<unknown>
}

/**
 * Looks, at least every `every` milliseconds, what the server and the other nodes have done: a
 * fault is found also where nobody writes; a write that is tried has the last word.
 */
export function createWatch({ server, memory, problem, tryToWrite }: WatchDeps, every: number) {
  let stopped = false
  let isAnswered = true
  let onChange: (tables: readonly string[]) => void = () => {}
  let onProblem: (problem: StorageProblem | null) => void = () => {}
  let known: StorageProblem | null = null
  let checking = Promise.resolve()
  let next: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Reads again what has changed. Resolves with whether the server may take writes. */
  async function read(): Promise<boolean> {
    // One after the other: a renewal of leases finds the other connection free.
    const writable = await isWritable(server)
    isAnswered = true
    const changed = await memory.refresh()
    if (changed.length > 0) onChange(changed)
    return writable
  }

  async function check(): Promise<void> {
    const writable = await read().catch(() => {
      isAnswered = false
      return false
    })
    if (!writable || problem() !== null) await tryToWrite()
    if (problem() === known) return
    known = problem()
    onProblem(known)
  }

  /** One after the other; one that has not begun will see all that is there now. */
  function checkNow(): Promise<void> {
    if (next === undefined) {
      next = checking
        .then(() => {
          next = undefined
          return stopped ? undefined : check()
        })
        .catch(() => undefined)
      checking = next
    }
    return next
  }

  return {
    checkNow,
    /** True if the newest look was answered. */
    isAnswered: () => isAnswered,
    onChange(listener: typeof onChange) {
      onChange = listener
    },
    onProblem(listener: typeof onProblem) {
      onProblem = listener
    },
    start(): void {
      timer = setInterval(checkNow, every).unref()
    },
    async stop(): Promise<void> {
      stopped = true
      clearInterval(timer)
      await checking
    },
  }
}

async function isWritable(server: Pool): Promise<boolean> {
  const { rows } = await server.query<{ writable: boolean }>('SELECT NOT pg_is_in_recovery() AS writable')
  return rows[0]?.writable ?? false
}
