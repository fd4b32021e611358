import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SECOND } from './clock.ts'

/** Collections of the small heap in a second, from which on calls come side by side. */
const MANY = 20
/** Seconds with so many, one after the other: a number that is linked takes less. */
const LONG = 2
/** Bytes from which on more room makes calls no quicker. */
const ROOM = 32 * 1024 * 1024

/** Comes first, before anything grows. */
export function keepHeapSmall(): void {
  fitYoungHeap()
  // undici reads HTTP answers with one large WebAssembly function. After some twenty answers V8
  // would compile it again, which makes it no faster in what Kurir does and takes 16 to 23 MB that
  // the process often keeps (bench/README.md).
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
}

/**
 * V8 lets the young part of its heap grow to 48 MB and more, which a program that mostly waits
 * hardly ever gives back: a sixth of its memory. Kept small, what calls make that live side by side
 * is copied at each collection, a third of the time of fifty at once (bench/README.md). So it is
 * small, and has room while many calls come; V8 takes the room back at the first collection of
 * which the garbage came slowly.
 */
function fitYoungHeap(): void {
  setGrowth(1)
  const collected = fittingHeap({ youngBytes, setGrowth })
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) collected(startTime)
  }).observe({ type: 'gc' })
}

/** By what V8 multiplies a young heap in which much stays alive. */
type Growth = 1 | 2

const setGrowth = (factor: Growth): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0

/**
 * Lets the young heap grow to a bound after some seconds with many collections.
 * @returns to be called at each collection, with its time in milliseconds of a steady clock
 */
export function fittingHeap(heap: { youngBytes: () => number; setGrowth: (factor: Growth) => void }) {
  let second = { began: Number.NEGATIVE_INFINITY, count: 0 }
  let busySeconds = 0
  let growth: Growth = 1

  return (at: number): void => {
    if (at - second.began >= SECOND) {
      busySeconds = second.count >= MANY && at - second.began < 2 * SECOND ? busySeconds + 1 : 0
      second = { began: at, count: 0 }
    }
    second.count += 1
    const next = busySeconds >= LONG && heap.youngBytes() < ROOM ? 2 : 1
    if (next !== growth) heap.setGrowth(next)
    growth = next
  }
}

type Collect = (options: { type: 'minor' | 'major' }) => void

let collect: Collect | undefined

/**
 * The context that lends the function takes half a megabyte: it is made when it is first needed.
 */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}

function free(type: 'minor' | 'major'): void {
  collect ??= collector()
  collect({ type })
}

/**
 * V8 sees of a buffer only a small object, and lets some 60 MB of read ones lie before it frees
 * them. Called now and then while a large file streams through, it keeps the process small; a
 * fraction of a millisecond.
 */
export const freeBuffers = (): void => free('minor')

/**
 * Frees large texts as well, which a minor collection leaves; some 20 milliseconds, so only after
 * many of them.
 */
export const freeTexts = (): void => free('major')
