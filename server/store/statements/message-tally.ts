import type { MessageStore, TallyRow } from '../messages.ts'
import type { Tally } from '../tallies.ts'
import type { Db } from './engine.ts'
import { type Columns, integer, integerOrNull, selecting, text, textOrNull } from './sql.ts'

const TALLY: Columns<Tally> = {
  senderId: integer('sender_id'),
  channel: text('channel'),
  status: text('status'),
  reason: textOrNull("iif(status = 'failed', error ->> '$.code', NULL)"),
  count: integer('count(*)'),
}
const WITH_TIMES: Columns<TallyRow> = {
  ...TALLY,
  firstAt: integer('min(created_at)'),
  lastAt: integer('max(created_at)'),
}

/** Counts of messages by what they have in common. */
export function createMessageTally(db: Db): Pick<MessageStore, 'tallyOfTime' | 'tallyOfRecipient' | 'span'> {
  const groups = 'GROUP BY sender_id, channel, status, reason'
  const ofTime = selecting(
    db,
    TALLY,
  )<[number, number]>(`FROM messages WHERE created_at >= ? AND created_at < ? ${groups}`)
  const ofRecipient = selecting(db, WITH_TIMES)<[string]>(`FROM messages WHERE recipient = ? ${groups}`)
  // Each by itself: both in one list would be looked for in all messages.
  const span = selecting<{ first: number | null; last: number | null }>(db, {
    first: integerOrNull('(SELECT min(created_at) FROM messages)'),
    last: integerOrNull('(SELECT max(created_at) FROM messages)'),
  })('')
  return {
    tallyOfTime: async (from, to) => ofTime.all(from, to),
    tallyOfRecipient: async (recipient) => ofRecipient.all(recipient),
    async span() {
      const { first = null, last = null } = span.get() ?? {}
      return first === null || last === null ? null : { first, last }
    },
  }
}
