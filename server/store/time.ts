/** How far the PC's clock was set, or is wrong, in milliseconds (negative: back), and when that was seen. */
export interface ClockSet {
  at: number
  by: number
}

/** Stored times that mean waiting, where the PC's clock is set. */
export interface TimeStore {
  /**
   * What time it is for all nodes that share the store, in milliseconds. Null where the PC's clock alone counts.
   * @throws StorageError
   */
  shared: (() => Promise<number>) | null
  /** The newest moment that the last runs wrote; 0 where there is none. */
  newest(): Promise<number>
  /** Writes that it is `at` now. */
  mark(at: number): Promise<void>
  /**
   * The clock was set by `by`, it is `at` now: everything that waits, waits as long as before. `moved` is called in the
   * same turn as the commit, so that nothing is written by the old time after it.
   * @throws StorageError: nothing was moved
   */
  move(by: number, at: number, moved: () => void): Promise<void>
  /** When the clock was last set by more than a minute. Kept in memory. */
  lastSet(): ClockSet | null
}
