import { integer } from '../columns.ts'
import { TALLY } from '../message-columns.ts'
import type { MessageStore } from '../messages.ts'
import type { Db } from './database.ts'
import { selecting } from './sql.ts'

/** Counts of messages, or of the people who got them. */
export function createMessageTally(db: Db): Pick<MessageStore, 'tallyOfRecipient' | 'peopleWrittenTo'> {
  const ofRecipient = selecting(db, TALLY)<[string]>('FROM messages WHERE recipient = ? GROUP BY sender_id, status')
  const people = selecting<{ n: number }>(db, { n: integer('count(DISTINCT recipient)') })<
    [{ lanes: string; from: number }]
  >(
    // By time: of all template messages most are delivered or read.
    `FROM messages INDEXED BY messages_created
     WHERE channel = 'template' AND status IN ('accepted', 'sent', 'delivered', 'read') AND created_at >= @from
       AND lane_id IN (SELECT CAST(value AS INTEGER) FROM json_each(@lanes))`,
  )
  return {
    tallyOfRecipient: async (recipient) => ofRecipient.all(recipient),
    peopleWrittenTo: async (laneIds, ms) => people.get({ lanes: JSON.stringify(laneIds), from: ms })?.n ?? 0,
  }
}
