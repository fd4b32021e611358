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
