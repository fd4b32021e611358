export interface RetentionStore {
  /**
   * One batch of what changed last before `ms`; resolves with how many rows went. What waits stays, and what a callback
   * still needs; so does, until `silent`, what was sent and may still be reported on.
   */
  removeBefore(times: { ms: number; silent: number }, batch: number): Promise<number>
  /** After rows were removed: nothing of them is left in the files. */
  scrub(): Promise<void>
}
