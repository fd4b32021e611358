import { SECOND } from './clock.ts'
import { TooManyWaiting } from './turns.ts'

/** Runs a few pieces of work of each caller at a time. Further pieces wait in order. */
export interface Places<K> {
  /**
   * Waits for a place of this caller. Resolves with a function that gives the place back; calling
   * it twice does no harm.
   * @throws TooManyWaiting
   */
  enter(caller: K): Promise<() => void>
  /** @throws TooManyWaiting, and the work does not run */
  run<T>(caller: K, work: () => Promise<T>): Promise<T>
}

/**
 * @param mostOf places of one caller
 * @param mostWaiting pieces of one caller that may wait for a place
 */
export function createPlaces<K>(mostOf: (caller: K) => number, mostWaiting: number): Places<K> {
  // Callers with running or waiting work.
  const callers = new Map<K, { underWay: number; waiting: (() => void)[] }>()

  /** Lets waiting pieces begin while there are free places. */
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

/** Calls of one caller that run at a time while another caller calls too. Our own limit. */
const FEW = 2
/**
 * Calls of one caller that may wait for a place. Our own limit: no program has as many connections.
 */
const MOST_WAITING = 1_000
/** Time after its newest call during which a caller counts as active (ms). */
const STILL_CALLS = SECOND
/**
 * Longest time that a call keeps its place (ms). A call that takes longer mostly waits, for example
 * for a slow body.
 */
const LONGEST_HELD = SECOND

/**
 * Shares one event loop between callers. Each call waits for all calls before it, so a caller with
 * many calls at once delays the others. While another caller is active, each caller has only a few
 * calls running, and its other calls wait in order. A caller that is alone has no limit.
 */
export interface FewAtOnce<K> {
  /**
   * @param work gets a function that gives the place back early, once the work only waits
   * @throws TooManyWaiting, and the work does not run
   */
  run<T>(caller: K, work: (leave: () => void) => Promise<T>): Promise<T>
}

export function createFewAtOnce<K>(): FewAtOnce<K> {
  const NOBODY = { caller: undefined as K | undefined, at: Number.NEGATIVE_INFINITY }
  let newest = NOBODY
  /** The newest call of another caller than `newest.caller`. */
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
      // A caller whose calls waited is still active, though it made no new call.
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
