/** Work of which each caller has one piece running at a time. */
export interface Turns<K> {
  /** Runs the work when the caller's earlier pieces are through. @throws TooManyWaiting, and the work does not run */
  run<T>(caller: K, work: () => T | Promise<T>): Promise<T>
}

export class TooManyWaiting extends Error {
  constructor() {
    super('too many pieces of work of this caller wait already')
    this.name = 'TooManyWaiting'
  }
}

/** @param mostWaiting pieces of one caller that may wait, beside the one that runs */
export function createTurns<K>(mostWaiting: number): Turns<K> {
  // An entry is a caller of whom one piece runs.
  const waiting = new Map<K, (() => void)[]>()

  function next(caller: K): void {
    const begin = waiting.get(caller)?.shift()
    if (begin === undefined) waiting.delete(caller)
    else begin()
  }

  async function turnOf(caller: K): Promise<void> {
    const queue = waiting.get(caller)
    if (queue === undefined) return void waiting.set(caller, [])
    if (queue.length >= mostWaiting) throw new TooManyWaiting()
    const { promise, resolve } = Promise.withResolvers<void>()
    queue.push(resolve)
    await promise
  }

  return {
    async run(caller, work) {
      await turnOf(caller)
      try {
        return await work()
      } finally {
        // What the others sent meanwhile is read before this caller goes on.
        setImmediate(next, caller)
      }
    },
  }
}
