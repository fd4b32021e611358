import { createSuppressionList, type SuppressionStore } from '../contacts.ts'
import { createMessageTally } from '../message-reads.ts'
import type { MessageStore } from '../messages.ts'
import { DELIVERY, type DeliveryFilter, type DeliveryStore, deliveryList } from '../webhooks.ts'
import type { Db } from './database.ts'
import { countingPeople, createMessageList } from './message-list.ts'
import { createReads } from './sql.ts'

/**
 * Reads that a caller, a customer or a file can make large. They run where no call waits for them:
 * at the server of PostgreSQL, on a thread of their own with SQLite (sqlite/reader.ts).
 */
export interface LargeReads {
  messages: Pick<MessageStore, 'list' | 'after' | 'tallyOfRecipient' | 'peopleWrittenTo'>
  deliveries: Pick<DeliveryStore, 'list'>
  suppressions: Pick<SuppressionStore, 'list'>
}

export function createLargeReads(db: Db, searchedUpTo: () => number): LargeReads {
  const reads = createReads(db)
  function listDeliveries(filter: DeliveryFilter) {
    const [rest, values] = deliveryList(filter)
    return reads.rows(DELIVERY, rest)(...values)
  }
  return {
    messages: {
      ...createMessageTally(reads),
      list: createMessageList(db, searchedUpTo),
      peopleWrittenTo: countingPeople(db),
    },
    deliveries: { list: listDeliveries },
    suppressions: createSuppressionList(reads),
  }
}
