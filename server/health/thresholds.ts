import { DAY, HOUR, MINUTE } from '../lib/clock.ts'
import { QUARTER } from '../store/index.ts'

/** From when on something is a concern. These numbers are nowhere else. */

/** Below this the owner is warned: SQLite, media on their way and a backup need room. */
export const LOW_DISK_BYTES = 500 * 1024 * 1024

/** With less there is no room for a message: writes that fail then fail for want of room. */
export const FULL_DISK_BYTES = 16 * 1024 * 1024

const FAILURE_SPAN = HOUR

/**
 * When the last hour began, over which failures are looked at as over the day. They are counted by
 * the quarter of an hour: the list behind a figure begins where the first of them does.
 */
export const latelyOf = (now: number): number => Math.ceil((now - FAILURE_SPAN) / QUARTER) * QUARTER

/** True if so many failures are more than single wrong numbers. */
export const isFailing = (failed: number, total: number): boolean =>
  (failed >= 5 && failed >= total * 0.2) || (failed >= 2 && failed >= total * 0.5)

/** True if so many failures of a day are worth a word, but no alarm. */
export const isWorthAWord = (failed: number, total: number): boolean =>
  failed >= 5 || (failed > 0 && failed >= total * 0.2)

/** This many failures within that span are one cause, however many were sent: ours. */
export const MANY_FAILURES = 10

/** A line whose last message leaves later than this. */
export const LONG_LINE = 30 * MINUTE

/** A sender that sent on most days before, and nothing for so long. */
export const SILENT_AFTER = 7 * DAY

/** A sender that has been silent for longer is not used any more. */
export const SILENCE_IS_NEWS_FOR = 30 * DAY

/** True if a sender that sent on so many of fourteen days sends on most days. */
export const sendsDaily = (days: number): boolean => days >= 7

/** Messages that are due for so long although nothing holds them. */
export const STUCK_AFTER = 15 * MINUTE

/** Messages *sending* for so long: their last attempt begins ten minutes after the first. */
export const SENDING_LONG_AFTER = 15 * MINUTE

export const TOKEN_ENDS_WITHIN = 14 * DAY

/** Share of the people that Meta lets a business write to first within a day. */
export const MESSAGING_LIMIT_SHARE = 0.9

/** Time in which the owner reads that the clock was wrong. */
export const CLOCK_NEWS_FOR = DAY
