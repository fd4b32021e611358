import { setTimeout as pause } from 'node:timers/promises'
import { LOOK_EVERY } from '../../server/connections/index.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { turn } from '../support/engine.ts'

/** The lanes' longest nap, and the look at the PC's networks: that a timer of this length is set again is no sign of work. */
const NAPS: ReadonlySet<number> = new Set([60_000, LOOK_EVERY])
/** Nothing happened for so long in real time: everybody waits for the clock. */
const QUIET_MS = 120
const LONGEST_WORK_MS = 30_000
/** A timer may set something going that shows only a few turns of the event loop later, such as after a commit. */
const TURNS = 30

export interface DrillClock extends TestClock {
  /** When the next timer is due; undefined: none waits. */
  next(): number | undefined
  /** Counts the timers that were set, naps left out. */
  timersSet(): number
}

/** A clock that says when something is to happen next. */
export function createDrillClock(start: number): DrillClock {
  const clock = createTestClock(start)
  const dues = new Set<{ at: number }>()
  let set = 0
  const shift = (ms: number) => {
    for (const due of dues) due.at += ms
  }
  return {
    ...clock,
    jump(ms) {
      clock.jump(ms)
      shift(ms)
    },
    sleep(ms) {
      clock.sleep(ms)
      shift(ms)
    },
    after(ms, fn) {
      if (!NAPS.has(ms)) set += 1
      const due = { at: clock.now() + ms }
      dues.add(due)
      const cancel = clock.after(ms, () => {
        dues.delete(due)
        fn()
      })
      return () => {
        dues.delete(due)
        cancel()
      }
    },
    next: () => (dues.size === 0 ? undefined : Math.min(...[...dues].map(({ at }) => at))),
    timersSet: () => set,
  }
}

/** Moves time on from one timer to the next. Whenever one sets something going, time waits until that is over. */
export function createPlayer(clock: DrillClock, activity: () => number) {
  const signs = () => activity() + clock.timersSet()

  /** Real sockets and disks need real time, during which the clock does not move. */
  async function quiet(): Promise<void> {
    for (let waited = 0; waited < LONGEST_WORK_MS; waited += QUIET_MS) {
      const before = signs()
      await pause(QUIET_MS)
      // A process that did not run for so long finds the time over, and its sockets unread.
      for (let turns = 0; turns < TURNS && signs() === before; turns += 1) await turn()
      if (signs() === before) return
    }
    throw new Error('the program is at work without an end')
  }

  return {
    quiet,
    async passTo(time: number): Promise<void> {
      await quiet()
      for (let due = clock.next(); due !== undefined && due <= time; due = clock.next()) {
        const before = signs()
        await clock.advance(Math.max(0, due - clock.now()))
        for (let turns = 0; turns < TURNS && signs() === before; turns += 1) await turn()
        if (signs() !== before) await quiet()
      }
      await clock.advance(Math.max(0, time - clock.now()))
      await quiet()
    },
  }
}
export type Player = ReturnType<typeof createPlayer>
