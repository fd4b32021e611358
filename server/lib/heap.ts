import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SECOND } from './clock.ts'

/** Collections of the young heap per second from which on many calls run side by side. */
const MANY = 20
/** Consecutive seconds with that many collections. Linking a number causes a shorter burst. */
const LONG = 2
/** Bytes beyond which a larger young heap makes calls no quicker. */
const ROOM = 32 * 1024 * 1024

/** Must run first, before the heap grows. */
export function keepHeapSmall(): void {
  fitYoungHeap()
  // undici parses HTTP answers with one large WebAssembly function. After some twenty answers V8
  // would compile it again, which makes Kurir no faster and takes 16 to 23 MB that the process
  // often keeps (bench/README.md).
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
}

/**
 * Keeps the young heap small, except while many calls come. V8 lets the young heap grow to 48 MB
 * and more, and a program that mostly waits hardly ever gives this back: a sixth of its memory. But
 * in a small young heap, objects of concurrent calls are copied at each collection, which takes a
 * third of the time of fifty concurrent calls (bench/README.md). V8 shrinks the young heap at the
 * first collection after garbage has come slowly.
 */
function fitYoungHeap(): void {
  setGrowth(1)
  const collected = fittingHeap({ youngBytes, setGrowth })
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) collected(startTime)
  }).observe({ type: 'gc' })
}

/** Factor by which V8 grows a young heap in which much stays alive. */
type Growth = 1 | 2

const setGrowth = (factor: Growth): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0

/**
 * Lets the young heap grow to a bound after some seconds with many collections.
 * @returns a function to call at each collection, with its time in milliseconds of a steady clock
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
 * Returns V8's `gc` function. The context that provides it takes half a megabyte, so it is created
 * on first use.
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
 * Frees unused buffers, in a fraction of a millisecond. V8 sees a buffer as a small object only,
 * and lets some 60 MB of unused ones accumulate. Called now and then while a large file is
 * streamed, this keeps the process small.
 */
export const freeBuffers = (): void => free('minor')

/**
 * Frees large texts as well, which a minor collection leaves. Takes some 20 milliseconds, so call
 * it only after many such texts.
 */
export const freeTexts = (): void => free('major')
