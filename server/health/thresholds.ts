import { DAY, HOUR, MINUTE } from '../lib/clock.ts'
import { QUARTER } from '../store/index.ts'

// Limits above which something is a concern. All of them stand in this file.

/** The owner is warned below this: SQLite, files in transit and a backup need space. */
export const LOW_DISK_BYTES = 500 * 1024 * 1024

/** Below this there is no space for a message, so a failed write is reported as a full disk. */
export const FULL_DISK_BYTES = 16 * 1024 * 1024

const FAILURE_SPAN = HOUR

/**
 * Returns the start of the last hour of failures, rounded up to a quarter of an hour. Failures are
 * counted by the quarter, so the list behind a figure begins exactly where the figure does.
 */
export const latelyOf = (now: number): number => Math.ceil((now - FAILURE_SPAN) / QUARTER) * QUARTER

/** True if there are more failures than single wrong numbers explain. */
export const isFailing = (failed: number, total: number): boolean =>
  (failed >= 5 && failed >= total * 0.2) || (failed >= 2 && failed >= total * 0.5)

/** True if the failures of a day are worth a note, though no alarm. */
export const isWorthAWord = (failed: number, total: number): boolean =>
  failed >= 5 || (failed > 0 && failed >= total * 0.2)

/** This many failures in the last hour have one cause, however many were sent. Our own limit. */
export const MANY_FAILURES = 10

/** A queue is a concern if its last message leaves later than this. */
export const LONG_LINE = 30 * MINUTE

/** A sender that used to send on most days is silent after this time without a message. */
export const SILENT_AFTER = 7 * DAY

/** A sender that has been silent for longer counts as abandoned and is no concern. */
export const SILENCE_IS_NEWS_FOR = 30 * DAY

/** True if a sender sends on most days. @param days days with a message, out of fourteen */
export const sendsDaily = (days: number): boolean => days >= 7

/** A sender is stuck if a message has been due for this time and nothing holds it. */
export const STUCK_AFTER = 15 * MINUTE

/**
 * A message in `sending` for longer is a concern: its last attempt begins about ten minutes after
 * the first.
 */
export const SENDING_LONG_AFTER = 15 * MINUTE

export const TOKEN_ENDS_WITHIN = 14 * DAY

/** Share of Meta's daily limit of people written to first, from which the owner is warned. */
export const MESSAGING_LIMIT_SHARE = 0.9

/** How long the owner sees that the clock was wrong. */
export const CLOCK_NEWS_FOR = DAY
