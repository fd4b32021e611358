import type { BinaryNode } from 'baileys'
import { backoff } from '../../../lib/backoff.ts'
import { type Clock, HOUR, MINUTE, SECOND } from '../../../lib/clock.ts'
import { childrenOf } from '../library/stanzas.ts'

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

/**
 * Rings once, at a time. The wait is counted in time that passes: a clock that is set back
 * meanwhile does not make it longer.
 */
export function createAlarm(clock: Clock, onDue: (now: number) => void) {
  let cancel = (): void => {}

  function wait(at: number, ms: number): void {
    const since = clock.elapsed()
    cancel = clock.after(ms, () => {
      const left = ms - (clock.elapsed() - since)
      // No timer is as long as the longest ban.
      if (left > SECOND && clock.now() < at) wait(at, left)
      else onDue(Math.max(at, clock.now()))
    })
  }

  return {
    /** In place of the time before; null: it does not ring. */
    set(at: number | null): void {
      cancel()
      if (at !== null) wait(at, at - clock.now())
    },
  }
}

/**
 * This many messages that WhatsApp took, over this time, bring at least one receipt: the owner's
 * phone sends one itself.
 */
const MESSAGES_WITHOUT_RECEIPT = 10
const TIME_WITHOUT_RECEIPT = 4 * HOUR
/** Time by which everything that waited while the number was away has come (ms). */
const CATCHING_UP = 10 * MINUTE

/**
 * Twice as long with each time in a row, up to about a day: what a new line does not cure, it need
 * not try all day.
 */
const MOST_DOUBLINGS = 7

/** @param times how often in a row a line brought nothing. Pure. */
export const patience = (times: number): number => 2 ** Math.min(Math.max(0, times - 1), MOST_DOUBLINGS)

/**
 * Notices a connection that answers pings and takes messages, but brings nothing else.
 * @param before how often in a row a line brought nothing, before the first of these
 * @param onDeaf a line brings nothing, for so many times in a row: a new one is needed
 */
export function createDeafLine(clock: Clock, before: number, onDeaf: (times: number) => void) {
  let times = before
  let taken = 0
  let since = 0
  let cancelCatchingUp = (): void => {}

  function forget(): void {
    taken = 0
    cancelCatchingUp()
  }
  function deaf(): void {
    times += 1
    onDeaf(times)
  }

  return {
    acknowledged(): void {
      if (taken === 0) since = clock.now()
      taken += 1
      if (taken < MESSAGES_WITHOUT_RECEIPT || clock.now() - since < TIME_WITHOUT_RECEIPT * patience(times)) return
      forget()
      deaf()
    },
    receipt(): void {
      taken = 0
      times = 0
    },
    /** Hears the server's announcements: what waits, and when all of it came. */
    info(node: BinaryNode): void {
      const tags = childrenOf(node).map(({ tag }) => tag)
      if (tags.includes('offline')) cancelCatchingUp()
      if (!tags.includes('offline_preview')) return
      cancelCatchingUp()
      cancelCatchingUp = clock.after(CATCHING_UP * patience(times), deaf)
    },
    /** The connection ended. */
    forget,
  }
}
