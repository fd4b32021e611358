import { TooManyWaiting } from './turns.ts'

/**
 * Work of which each caller has a few pieces under way at a time; what is more waits, in its order.
 */
export interface Places<K> {
  /**
   * Waits for a place of this caller. Resolves with what gives it back, once.
   * @throws TooManyWaiting
   */
  enter(caller: K): Promise<() => void>
  /** @throws TooManyWaiting, and the work does not run */
  run<T>(caller: K, work: () => Promise<T>): Promise<T>
}

/** @param mostOf places of one caller @param mostWaiting of one caller, beside these */
export function createPlaces<K>(mostOf: (caller: K) => number, mostWaiting: number): Places<K> {
  // An entry is a caller with something under way.
  const callers = new Map<K, { underWay: number; waiting: (() => void)[] }>()

  /** Has those go on for whom there is a place. */
  function fill(caller: K, of: { underWay: number; waiting: (() => void)[] }): void {
    while (of.waiting.length > 0 && of.underWay < mostOf(caller)) {
      of.underWay += 1
      of.waiting.shift()?.()
    }
    if (of.underWay === 0) callers.delete(caller)
  }

  async function enter(caller: K): Promise<() => void> {
    const of = callers.get(caller) ?? { underWay: 0, waiting: [] }
    callers.set(caller, of)
    if (of.waiting.length >= mostWaiting && of.underWay >= mostOf(caller)) throw new TooManyWaiting()
    const { promise, resolve } = Promise.withResolvers<void>()
    of.waiting.push(resolve)
    fill(caller, of)
    await promise
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      of.underWay -= 1
      fill(caller, of)
    }
  }

  return {
    enter,
    async run(caller, work) {
      const leave = await enter(caller)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
