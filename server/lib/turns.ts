import { setImmediate, setTimeout } from 'node:timers/promises'

// However long a piece took: most of that was not the event loop's time. Milliseconds.
const LONGEST_REST = 50
/** Callers that lengthen a rest; more of them lengthen it no further. */
const MOST_COUNTED = 8

/**
 * Work of which each caller has one piece running at a time. After a piece none begins for as long
 * as it took, times the number of callers that have a piece running or waiting: one caller takes
 * half of the time at most, eight take about a ninth. The rest of the time is for other calls.
 */
export interface Turns<K> {
  /**
   * Runs the work when the caller's earlier pieces are through.
   * @throws TooManyWaiting, and the work does not run
   */
  run<T>(caller: K, work: () => T | Promise<T>): Promise<T>
}

export class TooManyWaiting extends Error {
  constructor() {
    super('too many pieces of work of this caller wait already')
    this.name = 'TooManyWaiting'
  }
}

const SYSTEM = { now: () => performance.now(), wait: (ms: number): Promise<unknown> => setTimeout(ms) }

/**
 * @param mostWaiting pieces of one caller that may wait, beside the one that runs
 * @param time in milliseconds; tests bring their own
 */
export function createTurns<K>(mostWaiting: (caller: K) => number, { now, wait } = SYSTEM): Turns<K> {
  // An entry is a caller of whom one piece runs.
  const waiting = new Map<K, (() => void)[]>()
  let restsUntil = 0
  let gate: Promise<unknown> = Promise.resolve()

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

  async function rest(): Promise<void> {
    for (let ms = restsUntil - now(); ms > 0; ms = restsUntil - now()) await wait(ms)
  }

  /** Callers begin one after the other, in the order in which they come. */
  function pass(): Promise<void> {
    const passed = gate.then(rest)
    // By then the piece that begins has ended, where it waits for nothing.
    gate = passed.then(() => setImmediate())
    return passed
  }

  return {
    async run(caller, work) {
      await turnOf(caller)
      await pass()
      const began = now()
      try {
        return await work()
      } finally {
        const ended = now()
        const rest = Math.min(ended - began, LONGEST_REST) * Math.min(waiting.size, MOST_COUNTED)
        restsUntil = Math.max(restsUntil, ended + rest)
        next(caller)
      }
    },
  }
}

/** Cuts a long list into portions of `size`. Others have a turn of the event loop between them. */
export async function* inPortions<T>(all: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) {
    if (at > 0) await setImmediate()
    yield all.slice(at, at + size)
  }
}

/**
 * Runs the same work once at a time. A start during a run brings one more run after it.
 * @param work must not reject
 */
export function oneRunAtATime(work: () => Promise<void>): { start(): void; idle(): Promise<void> } {
  let running: Promise<void> | undefined
  let isAskedAgain = false

  function start(): void {
    if (running !== undefined) {
      isAskedAgain = true
      return
    }
    running = work().then(() => {
      running = undefined
      if (!isAskedAgain) return
      isAskedAgain = false
      start()
    })
  }

  return { start, idle: () => running ?? Promise.resolve() }
}
