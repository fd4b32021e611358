import { createPlaces } from './places.ts'
import { SECOND } from './time.ts'

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
