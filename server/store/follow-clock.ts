import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'
import { SMALLEST_JUMP, type SteadyClock } from '../lib/steady-clock.ts'
import { SECOND } from '../lib/time.ts'
import type { TimeStore } from './time.ts'

// Pause after a storage error.
const AGAIN_AFTER = 5 * SECOND

export interface FollowClockDeps {
  clock: SteadyClock
  time: Pick<TimeStore, 'newest' | 'move'>
  /** What waits has other times now. */
  moved: () => void
  logger: Logger
}

/**
 * Goes over to the PC's clock where it is set, after what is stored was moved with it. Resolves when that is done for a
 * clock that was set back while Kurir did not run (that it was set forward cannot be known: Kurir may have been off).
 */
export async function followClock({ clock, time, moved, logger }: FollowClockDeps): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController()
  let work = Promise.resolve()

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      const by = clock.ahead()
      if (by === 0) return
      try {
        await time.move(by, clock.now() + by, clock.follow)
        logger.warn({ seconds: Math.round(by / SECOND) }, "the PC's clock was set; what waits was moved with it")
        moved()
      } catch (error) {
        logger.error({ err: error }, "the PC's clock was set, but what waits could not be moved with it yet")
        await sleep(clock, AGAIN_AFTER, stopping.signal).catch(() => undefined)
      }
    }
  }

  const newest = await time.newest()
  const by = clock.now() - newest
  if (by <= -SMALLEST_JUMP) {
    await time.move(by, clock.now(), () => undefined)
    logger.warn({ seconds: Math.round(by / SECOND) }, "the PC's clock was set back while Kurir did not run")
  }
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
