export interface RetentionStore {
  /**
   * One step of what changed last before `ms`, of `batch` rows at most; resolves with how many rows
   * went, 0 when all have. What waits stays, and what a callback still needs; so does, until
   * `silent`, what was sent and may still be reported on.
   */
  removeBefore(times: { ms: number; silent: number }, batch: number): Promise<number>
  /**
   * One batch of contacts that nobody wrote to or heard from since `ms`, and of refused calls;
   * resolves with how many.
   */
  forgetPeople(times: { ms: number; now: number }, batch: number): Promise<number>
  /** After rows were removed: nothing of them is left in the files. */
  scrub(): Promise<void>
}
