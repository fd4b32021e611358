import type { Reseal } from '../lib/vault.ts'

/**
 * Places of sealed values. A seal binds a value to its place: copied to another place, the value
 * does not open.
 */
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
 * Changes the data key. Two files change, so the old key is kept from the first step to the last.
 */
export interface SealedStore {
  /**
   * Stores the new key beside the old one, and seals all values of the main file with the new key,
   * in one transaction.
   */
  begin(keys: { now: string; before: string }, reseal: Reseal): Promise<void>
  /**
   * Seals the values of linked numbers with the new key, and forgets the old key. May be repeated
   * after an interruption.
   */
  finish(reseal: Reseal): Promise<void>
}
