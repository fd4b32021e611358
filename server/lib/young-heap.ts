import { PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SECOND } from './time.ts'

/** Collections of the small heap in a second, from which on calls come side by side. */
const MANY = 20
/** Seconds with so many, one after the other: a number that is linked takes less. */
const LONG = 3
/** A heap with room that is collected less often than every three seconds gives it back. */
const QUIET_AFTER = 30 * SECOND
const FEW = 10

/**
 * V8 lets the young part of its heap grow to 48 MB, which a program that mostly waits hardly ever
 * gives back: a sixth of its memory. Kept small, calls that live side by side are copied at each
 * collection, a third of the time of fifty at once (bench/README.md). So it is small, and has room
 * while many calls come.
 */
export function fitYoungHeap(): void {
  setFlagsFromString('--max-semi-space-size=2')
  setGrowth(1)
  setFlagsFromString('--expose-gc')
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc')
  const fit = fittingHeap({
    grow() {
      setGrowth(2)
      const quiet = setInterval(() => {
        if (!fit.isQuiet()) return
        clearInterval(quiet)
        setGrowth(1)
        // V8 gives it back at the first collection in which little was allocated.
        collect({ type: 'minor' })
      }, QUIET_AFTER)
      quiet.unref()
    },
  })
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) fit.collected(startTime)
  }).observe({ type: 'gc' })
}

const setGrowth = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/** Counts collections of the young heap. `at` in milliseconds of a steady clock. */
export function fittingHeap({ grow }: { grow: () => void }) {
  let second = { began: Number.NEGATIVE_INFINITY, count: 0 }
  let busySeconds = 0
  let hasRoom = false
  let sinceLook = 0

  return {
    collected(at: number): void {
      sinceLook += 1
      if (at - second.began >= SECOND) {
        busySeconds = second.count >= MANY && at - second.began < 2 * SECOND ? busySeconds + 1 : 0
        second = { began: at, count: 0 }
      }
      second.count += 1
      if (hasRoom || busySeconds < LONG) return
      hasRoom = true
      sinceLook = 0
      grow()
    },
    /** Looks whether few came since the last look; then the heap is small again. */
    isQuiet(): boolean {
      if (sinceLook >= FEW) {
        sinceLook = 0
        return false
      }
      hasRoom = false
      busySeconds = 0
      return true
    },
  }
}
