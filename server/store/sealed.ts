import type { Reseal } from '../lib/vault.ts'

/** Places of sealed values. A seal binds a value to its place: one that was moved does not open. */
export const PLACES = {
  sender: (id: number) => `sender ${id}`,
  endpoint: (id: number) => `webhook/${id}`,
  reply: 'reply',
  alarms: 'alarms',
  backupPlan: 'backup plan',
  /** @param what `credentials`, or `type/id` of a key */
  session: (senderId: number, what: string) => `${senderId}/${what}`,
} as const

/**
 * A new data key. Two files are changed, so that the key before is kept from the first step to the
 * last.
 */
export interface SealedStore {
  /**
   * Puts the new key beside the one before, with all values of the main file sealed with it, in one
   * step.
   */
  begin(keys: { now: string; before: string }, reseal: Reseal): Promise<void>
  /**
   * Seals the values of linked numbers with the new key and forgets the key before. May be repeated
   * after it was cut off.
   */
  finish(reseal: Reseal): Promise<void>
}
