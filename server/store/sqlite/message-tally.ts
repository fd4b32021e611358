import type { MessageStore, TallyRow } from '../messages.ts'
import type { Db } from './database.ts'
import { type Columns, integer, selecting, text, textOrNull } from './sql.ts'

const TALLY: Columns<TallyRow> = {
  senderId: integer('sender_id'),
  channel: text('channel'),
  status: text('status'),
  reason: textOrNull("error ->> '$.code'"),
  count: integer('count(*)'),
  firstAt: integer('min(created_at)'),
  lastAt: integer('max(created_at)'),
}

/** Counts of messages by what they have in common. */
export function createMessageTally(db: Db): Pick<MessageStore, 'tallyOfTime' | 'tallyOfRecipient'> {
  const tally = selecting(db, TALLY)
  const groups = 'GROUP BY sender_id, channel, status, reason'
  const ofTime = tally<[number, number]>(`FROM messages WHERE created_at >= ? AND created_at < ? ${groups}`)
  const ofRecipient = tally<[string]>(`FROM messages WHERE recipient = ? ${groups}`)
  return {
    tallyOfTime: async (from, to) => ofTime.all(from, to),
    tallyOfRecipient: async (recipient) => ofRecipient.all(recipient),
  }
}
