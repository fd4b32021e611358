import { TooManyWaiting } from './turns.ts'

/**
 * Work of which each caller has a few pieces under way at a time; what is more waits, in its order.
 */
export interface Places<K> {
  /** @throws TooManyWaiting, and the work does not run */
  run<T>(caller: K, work: () => Promise<T>): Promise<T>
}

/** @param most under way of one caller @param mostWaiting of one caller, beside these */
export function createPlaces<K>(most: number, mostWaiting: number): Places<K> {
  // An entry is a caller with something under way.
  const callers = new Map<K, { underWay: number; waiting: (() => void)[] }>()

  async function enter(caller: K): Promise<void> {
    const of = callers.get(caller) ?? { underWay: 0, waiting: [] }
    callers.set(caller, of)
    if (of.underWay < most) {
      of.underWay += 1
      return
    }
    if (of.waiting.length >= mostWaiting) throw new TooManyWaiting()
    await new Promise<void>((resolve) => of.waiting.push(resolve))
  }

  function leave(caller: K): void {
    const of = callers.get(caller)
    if (of === undefined) return
    const next = of.waiting.shift()
    // Its place goes to the one that waited longest.
    if (next === undefined) of.underWay -= 1
    else next()
    if (of.underWay === 0) callers.delete(caller)
  }

  return {
    async run(caller, work) {
      await enter(caller)
      try {
        return await work()
      } finally {
        leave(caller)
      }
    },
  }
}
