import { createBackground } from '../lib/background.ts'
import { MINUTE, SECOND, SMALLEST_JUMP, type SteadyClock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'

/**
 * How far the PC's clock was set, or is wrong, in milliseconds (negative: back), and when that was
 * seen.
 */
export interface ClockSet {
  at: number
  by: number
}

export interface Move {
  /** How far the clock was set: what was `before` is `before + by` now. */
  by: number
  before: number
  /** Milliseconds by which rows of earlier runs move where the clock is set forward. */
  back: number
}

/** Stored waits, where the PC's clock is set. */
export interface TimeStore {
  /**
   * Time of all nodes that share the store, in milliseconds. Null where the PC's clock alone
   * counts.
   * @throws StorageError
   */
  shared: (() => Promise<number>) | null
  /**
   * The clock was set: no wait becomes longer, and one that was just written takes as long as
   * before. What somebody named as a moment stays. `moved` is called in the same turn as the
   * commit, so that nothing is written by the old time after it.
   * @throws StorageError: nothing was moved
   */
  move(move: Move, moved: () => void): Promise<void>
  /** When the clock was last set by more than a minute. Kept in memory. */
  lastSet(): ClockSet | null
}

// Pause after a storage error.
const AGAIN_AFTER = 5 * SECOND
// A computer that stood still knows nothing of it, and a clock that is never corrected drifts.
const COMPARED_EVERY = 10 * MINUTE

interface FollowClockDeps {
  clock: SteadyClock
  time: Pick<TimeStore, 'shared' | 'move'>
  /** When the last run was seen last; 0 where there was none. */
  marked: number
  /** Called when waiting rows have other times. */
  moved: () => void
  logger: Logger
}

interface Following {
  stop(): Promise<void>
}

/**
 * Keeps the program's clock right: by the clock that nodes share, or by the PC's. Resolves when it
 * is right now.
 */
export const followClock = async ({ time, ...deps }: FollowClockDeps): Promise<Following> =>
  time.shared === null ? followPc({ time, ...deps }) : followShared({ ...deps, time: { ...time, shared: time.shared } })

/**
 * Goes over to the PC's clock where it is set, after what is stored was moved with it. One that was
 * set back while Kurir did not run is set at the start (that it was set forward cannot be known:
 * Kurir may have been off).
 */
function followPc({ clock, time, marked, moved, logger }: FollowClockDeps): Following {
  const stopping = new AbortController()
  /** How far back (ms) what earlier runs wrote was moved, and not forward again. */
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
 * Goes by the clock that all nodes share. That of this computer may be wrong or set: nothing that
 * is stored moves with it.
 * @throws StorageError: it cannot be known yet
 */
async function followShared({
  clock,
  time,
  moved,
  logger,
}: FollowClockDeps & { time: { shared: () => Promise<number> } }): Promise<Following> {
  const background = createBackground({ clock, logger })
  /** How far this computer's clock was away from it, as far as was said. */
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
