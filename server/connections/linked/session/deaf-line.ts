import type { BinaryNode } from 'baileys'
import type { Clock } from '../../../lib/clock.ts'
import { HOUR, MINUTE } from '../../../lib/time.ts'
import { childrenOf } from '../library/stanzas.ts'

/**
 * This many messages that WhatsApp took, over this time, bring at least one receipt: the owner's
 * phone sends one itself.
 */
const MESSAGES = 10
const WITHOUT_RECEIPT = 4 * HOUR
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
      if (taken < MESSAGES || clock.now() - since < WITHOUT_RECEIPT * patience(times)) return
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
