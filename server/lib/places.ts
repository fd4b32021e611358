import { SECOND } from './clock.ts'
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

/** Calls of one caller that are under way beside those of another. Ours. */
const FEW = 2
/** Calls of one caller that wait beside these. Ours: no program has as many connections. */
const MOST_WAITING = 1_000
/** For so long after its newest call was begun a caller counts as one that calls (ms). */
const STILL_CALLS = SECOND
/** Longest time that a call keeps its place: then it waits for others, as for a slow body (ms). */
const LONGEST_HELD = SECOND

/**
 * Calls of many callers on one event loop. Each call waits for all that came before it, so that a
 * caller with many at once makes the others wait. While another one calls too, each caller has only
 * a few under way, and the rest wait in their order; a caller that is alone has no bound.
 */
export interface FewAtOnce<K> {
  /**
   * @param work is given what gives its place back early: from then on it waits for others
   * @throws TooManyWaiting, and the work does not run
   */
  run<T>(caller: K, work: (leave: () => void) => Promise<T>): Promise<T>
}

export function createFewAtOnce<K>(): FewAtOnce<K> {
  const NOBODY = { caller: undefined as K | undefined, at: Number.NEGATIVE_INFINITY }
  let newest = NOBODY
  /** The newest call of anybody else. */
  let other = NOBODY

  function note(caller: K): void {
    if (newest.caller !== caller) other = newest
    newest = { caller, at: performance.now() }
  }

  const places = createPlaces<K>((caller) => {
    const { at } = newest.caller === caller ? other : newest
    return performance.now() - at < STILL_CALLS ? FEW : Number.POSITIVE_INFINITY
  }, MOST_WAITING)

  return {
    async run(caller, work) {
      note(caller)
      const leave = await places.enter(caller)
      // One whose calls have waited still calls, though no new one comes.
      note(caller)
      const timer = setTimeout(leave, LONGEST_HELD)
      try {
        return await work(leave)
      } finally {
        clearTimeout(timer)
        leave()
      }
    },
  }
}
