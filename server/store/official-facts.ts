import type { SenderCheck } from '../contract/senders.ts'

/** What is known of an official sender apart from what its owner entered. Times are milliseconds since 1970. */
export interface OfficialFacts {
  checks: SenderCheck[]
  checkedAt: number | null
  templatesSyncedAt: number | null
  /** When Meta last called back about this sender's messages. */
  lastStatusAt: number | null
}

export interface OfficialFactsStore {
  get(senderId: number): Promise<OfficialFacts>
  save(senderId: number, change: Partial<OfficialFacts>): Promise<void>
}
