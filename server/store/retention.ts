export interface RetentionStore {
  /** One batch of what was accepted before `ms` and is settled; resolves with how many rows went. */
  removeBefore(ms: number, batch: number): Promise<number>
  /** After rows were removed: nothing of them is left in the files. */
  scrub(): Promise<void>
}
