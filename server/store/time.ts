import { createBackground } from '../lib/background.ts'
import { MINUTE, SECOND, SMALLEST_JUMP, type SteadyClock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'

/**
 * How far the PC's clock was set, or is wrong, in milliseconds (negative: back), and when Kurir
 * noticed.
 */
export interface ClockSet {
  at: number
  by: number
}

export interface Move {
  /** Milliseconds by which the clock was set: the time `before` became `before + by`. */
  by: number
  before: number
  /** Milliseconds by which rows of earlier runs move if the clock is set forward. */
  back: number
}

/** Moves stored times when the PC's clock is set. */
export interface TimeStore {
  /**
   * Reads the clock of all nodes that share the store, in milliseconds. Null: only the PC's clock
   * counts.
   * @throws StorageError
   */
  shared: (() => Promise<number>) | null
  /**
   * Moves stored times after the clock was set. No wait becomes longer, and a wait that was just
   * written keeps its length. Moments that somebody named stay. `moved` is called in the same event
   * loop turn as the commit, so that nothing is written with the old time afterwards.
   * @throws StorageError: nothing was moved
   */
  move(move: Move, moved: () => void): Promise<void>
  /** When the clock was last set by more than a minute. Read from memory. */
  lastSet(): ClockSet | null
}

// Pause after a storage error.
const AGAIN_AFTER = 5 * SECOND
// Compare regularly: a computer that stood still does not notice it, and a clock that is never
// corrected drifts.
const COMPARED_EVERY = 10 * MINUTE

interface FollowClockDeps {
  clock: SteadyClock
  time: Pick<TimeStore, 'shared' | 'move'>
  /** Last time mark of the previous run; 0: there was none. */
  marked: number
  /** Called after the times of waiting rows changed. */
  moved: () => void
  logger: Logger
}

interface Following {
  stop(): Promise<void>
}

/**
 * Keeps the program's clock in line with the clock that nodes share, or with the PC's. Resolves
 * when the clock is right.
 */
export const followClock = async ({ time, ...deps }: FollowClockDeps): Promise<Following> =>
  time.shared === null ? followPc({ time, ...deps }) : followShared({ ...deps, time: { ...time, shared: time.shared } })

/**
 * Follows the PC's clock when it is set, after moving stored times with it. A clock that was set
 * back while Kurir did not run is noticed at the start. One that was set forward is not, because
 * Kurir may have been off all that time.
 */
function followPc({ clock, time, marked, moved, logger }: FollowClockDeps): Following {
  const stopping = new AbortController()
  /** Milliseconds by which rows of earlier runs were moved back and not forward again. */
  let back = 0

  async function follow(): Promise<void> {
    for (let by = clock.ahead(); by !== 0 && !stopping.signal.aborted; by = clock.ahead()) {
      try {
        await time.move({ by, before: clock.now(), back: Math.min(back, Math.max(by, 0)) }, clock.follow)
        back = Math.max(0, back - by)
        logger.warn({ seconds: Math.round(by / SECOND) }, "the PC's clock was set; what waits was moved with it")
        moved()
      } catch (error) {
        logger.error({ err: error }, "the PC's clock was set, but what waits could not be moved with it yet")
        await sleep(clock, AGAIN_AFTER, stopping.signal).catch(() => undefined)
      }
    }
  }

  const ahead = marked - clock.now()
  if (ahead >= SMALLEST_JUMP) clock.correct(ahead)
  let work = follow()
  const unsubscribe = clock.onSet(() => {
    work = work.then(follow)
  })
  return {
    async stop() {
      unsubscribe()
      stopping.abort()
      await work
    },
  }
}

/**
 * Follows the clock that all nodes share. Stored times do not move when this computer's clock is
 * wrong or set.
 * @throws StorageError if the shared clock cannot be read at the start
 */
async function followShared({
  clock,
  time,
  moved,
  logger,
}: FollowClockDeps & { time: { shared: () => Promise<number> } }): Promise<Following> {
  const background = createBackground({ clock, logger })
  /** Difference of this computer's clock (ms) that was logged last. */
  let known = 0

  async function compare(): Promise<void> {
    const asked = clock.elapsed()
    const shared = await time.shared()
    const by = shared + (clock.elapsed() - asked) / 2 - clock.now()
    const isOff = Math.abs(by) >= SMALLEST_JUMP
    if (isOff) clock.correct(Math.round(by))
    const away = clock.ahead()
    if (Math.abs(away - known) >= SMALLEST_JUMP) {
      known = away
      await time.move({ by: away, before: clock.now() - away, back: 0 }, () => undefined)
      logger.warn({ seconds: Math.round(away / SECOND) }, "the PC's clock was set or is wrong; the database's counts")
    }
    if (isOff) moved()
  }

  async function compareAgain(): Promise<void> {
    try {
      await compare()
    } catch (err) {
      logger.warn({ err }, "the clock could not be compared with the database's; it goes on as it was")
      background.later('the next try to compare clocks', AGAIN_AFTER, compareAgain)
    }
  }

  await compare()
  background.every('the comparison of clocks', COMPARED_EVERY, compareAgain)
  const unsubscribe = clock.onSet(() => background.run('the comparison of clocks', compareAgain))
  return {
    async stop() {
      unsubscribe()
      await background.stop()
    },
  }
}
