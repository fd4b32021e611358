import type { ChannelName, Status } from '../contract/messages.ts'

/** How many messages are alike in all of this. */
export interface Tally {
  senderId: number
  channel: ChannelName
  status: Status
  /** The code of the failure, of those that failed. */
  reason: string | null
  count: number
}

/**
 * A day of the PC's calendar, from its first moment to that of the next one. Milliseconds since
 * 1970.
 */
export interface Day {
  since: number
  until: number
}

export interface TalliedDay extends Day {
  /** When it was last counted; null: its counts are not right yet, or not any more. */
  talliedAt: number | null
}

export interface DayTallies {
  /** Counted days by their first moment: messages by status. */
  days: ReadonlyMap<number, readonly Pick<Tally, 'status' | 'count'>[]>
  /** Sums over all of these days. */
  groups: Tally[]
}

/**
 * Counts of the messages of each past day by outcome, without the sandbox: reading the messages of
 * a month takes seconds where there are millions. Kept right with every message that changes or is
 * removed later.
 */
export interface TallyStore {
  /** Counts of these days. */
  of(days: readonly Day[]): Promise<DayTallies>
  /** All days that were ever counted. */
  days(): Promise<TalliedDay[]>
  /**
   * Counts a day that has been over for an hour; once more, it sets right what differs. Nothing,
   * where the day has been counted since `talliedAt`. Resolves with false where it has to be tried
   * later.
   */
  count(day: TalliedDay, at: number): Promise<boolean>
  /** Days that ended at or before `ms` have no messages any more. */
  forget(ms: number): Promise<void>
}
