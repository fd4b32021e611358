import { setImmediate, setTimeout } from 'node:timers/promises'

// Milliseconds. A piece that took longer spent most of its time waiting, not on the event loop.
const LONGEST_REST = 50
/** Most callers that lengthen a rest. */
const MOST_COUNTED = 8

/**
 * Runs one piece of work of each caller at a time. After a piece, no piece begins for as long as
 * that piece took, times the number of callers with a running or waiting piece. One caller
 * therefore takes at most half of the event loop, and eight callers about a ninth; the rest is left
 * for other calls.
 */
export interface Turns<K> {
  /**
   * Runs the work after the caller's earlier pieces.
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
 * @param mostWaiting pieces of one caller that may wait, not counting the running one
 * @param time in milliseconds; tests pass their own
 */
export function createTurns<K>(mostWaiting: (caller: K) => number, { now, wait } = SYSTEM): Turns<K> {
  // Waiting pieces of each caller that has a running piece.
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

  /** Lets pieces begin one after the other, in the order in which they came. */
  function pass(): Promise<void> {
    const passed = gate.then(rest)
    // After setImmediate a piece that waits for nothing has ended.
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

/** Cuts a long list into portions of `size`, and lets other calls run between them. */
export async function* inPortions<T>(all: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) {
    if (at > 0) await setImmediate()
    yield all.slice(at, at + size)
  }
}

/**
 * Runs `work` once at a time. A start during a run causes one more run after it.
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
