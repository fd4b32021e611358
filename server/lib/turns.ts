// However long a piece took: most of that is not the event loop's time. Milliseconds.
const LONGEST_REST = 500

/**
 * Work of which each caller has one piece running at a time. After a piece its caller rests, so that all callers of such work
 * together take half of the time at most: the other half is for what the others ask.
 */
export interface Turns<K> {
  /** Runs the work when the caller's earlier pieces are through, and it has rested. @throws TooManyWaiting, and the work does not run */
  run<T>(caller: K, work: () => T | Promise<T>): Promise<T>
}

export class TooManyWaiting extends Error {
  constructor() {
    super('too many pieces of work of this caller wait already')
    this.name = 'TooManyWaiting'
  }
}

/** @param mostWaiting pieces of one caller that may wait, beside the one that runs */
export function createTurns<K>(mostWaiting: (caller: K) => number): Turns<K> {
  // An entry is a caller of whom one piece runs, or who rests.
  const waiting = new Map<K, (() => void)[]>()

  function next(caller: K): void {
    const begin = waiting.get(caller)?.shift()
    if (begin === undefined) waiting.delete(caller)
    else begin()
  }

  async function turnOf(caller: K): Promise<void> {
    const queue = waiting.get(caller)
    if (queue === undefined) return void waiting.set(caller, [])
    if (queue.length >= mostWaiting(caller)) throw new TooManyWaiting()
    const { promise, resolve } = Promise.withResolvers<void>()
    queue.push(resolve)
    await promise
  }

  return {
    async run(caller, work) {
      await turnOf(caller)
      const began = performance.now()
      try {
        return await work()
      } finally {
        const rest = (performance.now() - began) * (2 * waiting.size - 1)
        setTimeout(next, Math.min(rest, LONGEST_REST), caller)
      }
    },
  }
}
