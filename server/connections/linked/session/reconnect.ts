import { backoff } from '../../../lib/backoff.ts'
import { MINUTE, SECOND } from '../../../lib/time.ts'

const FIRST_WAIT = SECOND
const LONGEST_WAIT = 2 * MINUTE
/** A connection that was up for so long resets the back-off (WhatsApp Web: the same). */
const STABLE_AFTER = 30 * SECOND

/**
 * When to connect again: after 1 s, doubling to 2 minutes, with jitter. Back to 1 s once a
 * connection has been up for 30 s or has carried a message, so that a line that drops often but
 * works in between is not left alone for minutes.
 */
export function createReconnect(random: () => number) {
  let failures = 0
  let upSince: number | undefined
  let carried = false

  return {
    /** The connection is open. */
    opened(now: number): void {
      upSince = now
      carried = false
    },
    /** WhatsApp acknowledged a message on it, so it was a good one from its first second. */
    proven(): void {
      carried = upSince !== undefined
    },
    /**
     * The connection ended, or never opened. Returns how long to wait before the next, in
     * milliseconds.
     */
    waitAfterEnd(now: number): number {
      if (carried || (upSince !== undefined && now - upSince >= STABLE_AFTER)) failures = 0
      upSince = undefined
      carried = false
      failures += 1
      return backoff(failures, FIRST_WAIT, LONGEST_WAIT, random)
    },
    /** The network or the PC is back: what failed before says nothing about now. */
    forget(): void {
      failures = 0
    },
  }
}
