import type { BinaryNode } from 'baileys'
import { backoff } from '../../../lib/backoff.ts'
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '../../../lib/clock.ts'
import { childrenOf } from '../library/stanzas.ts'

const FIRST_WAIT = SECOND
const LONGEST_WAIT = 2 * MINUTE
/** A connection that was open for so long resets the back-off, as in WhatsApp Web. */
const STABLE_AFTER = 30 * SECOND

/**
 * Decides when to connect again: after 1 s, doubling to 2 minutes, with jitter. Begins at 1 s again
 * once a connection has been open for 30 s or has carried a message, so that a connection that
 * drops often but works in between is not left alone for minutes.
 */
export function createReconnect(random: () => number) {
  let failures = 0
  let upSince: number | undefined
  let carried = false

  return {
    opened(now: number): void {
      upSince = now
      carried = false
    },
    /**
     * Call when WhatsApp has acknowledged a message, which proves that the connection was good from
     * its first second.
     */
    proven(): void {
      carried = upSince !== undefined
    },
    /**
     * Returns the milliseconds to wait before the next connection, after one ended or never opened.
     */
    waitAfterEnd(now: number): number {
      if (carried || (upSince !== undefined && now - upSince >= STABLE_AFTER)) failures = 0
      upSince = undefined
      carried = false
      failures += 1
      return backoff(failures, FIRST_WAIT, LONGEST_WAIT, random)
    },
    /**
     * Call when the network or the PC is back, because earlier failures say nothing about the
     * present.
     */
    forget(): void {
      failures = 0
    },
  }
}

/**
 * Calls `onDue` once, at a given time. The wait is measured in elapsed time, so a clock that is set
 * back does not make it longer.
 */
export function createAlarm(clock: Clock, onDue: (now: number) => void) {
  let cancel = (): void => {}

  function wait(at: number, ms: number): void {
    const since = clock.elapsed()
    cancel = clock.after(ms, () => {
      const left = ms - (clock.elapsed() - since)
      // A timer cannot be as long as the longest ban.
      if (left > SECOND && clock.now() < at) wait(at, left)
      else onDue(Math.max(at, clock.now()))
    })
  }

  return {
    /** Replaces the time, in milliseconds since 1970; null: no alarm. */
    set(at: number | null): void {
      cancel()
      if (at !== null) wait(at, at - clock.now())
    },
  }
}

/**
 * Acknowledged messages that, over `TIME_WITHOUT_RECEIPT`, bring at least one receipt on a good
 * connection: the owner's phone sends one itself.
 */
const MESSAGES_WITHOUT_RECEIPT = 10
const TIME_WITHOUT_RECEIPT = 4 * HOUR
/** Time in which everything that waited while the number was away arrives. */
const CATCHING_UP = 10 * MINUTE

/**
 * Returns how long to wait for something on a connection: twice as long after each useless one, up
 * to a day, because a fault that a new connection does not cure need not be tried all day.
 * @param ms wait on the first connection
 * @param times how often in a row a connection brought nothing
 */
const patience = (ms: number, times: number): number => Math.min(ms * 2 ** Math.max(0, times - 1), DAY)

/**
 * Notices a connection that answers pings and takes messages, but brings nothing else.
 * @param before how often in a row earlier connections of the number brought nothing
 * @param onDeaf called with how often in a row a connection brought nothing; a new one is needed
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
      if (taken < MESSAGES_WITHOUT_RECEIPT || clock.now() - since < patience(TIME_WITHOUT_RECEIPT, times)) return
      forget()
      deaf()
    },
    receipt(): void {
      taken = 0
      times = 0
    },
    /**
     * Reads the server's announcements of what waits (`offline_preview`) and that all of it has
     * come (`offline`).
     */
    info(node: BinaryNode): void {
      const tags = childrenOf(node).map(({ tag }) => tag)
      if (tags.includes('offline')) cancelCatchingUp()
      if (!tags.includes('offline_preview')) return
      cancelCatchingUp()
      cancelCatchingUp = clock.after(patience(CATCHING_UP, times), deaf)
    },
    forget,
  }
}
