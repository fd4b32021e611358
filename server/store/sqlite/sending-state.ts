import { integer } from '../columns.ts'
import { NOTHING_SENT, SENDING_STATE, type SendingState, type SendingStateStore } from '../sending-state.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface SendingStateStatements extends SendingStateStore {
  update(tx: Tx, senderId: number, update: (state: SendingState) => SendingState): void
}

export function createSendingState(db: Db, write: Write): SendingStateStatements {
  const select = selecting(db, SENDING_STATE)<[number]>('FROM sending_state WHERE sender_id = ?')
  const all = selecting<SendingState & { senderId: number }>(db, { ...SENDING_STATE, senderId: integer('sender_id') })(
    'FROM sending_state',
  )
  const put = db.prepare<[SendingState & { senderId: number }]>(
    `INSERT OR REPLACE INTO sending_state
       (sender_id, paced_until, day, sent_on_day, last_sent_at, restricted_until, restrictions)
     VALUES (@senderId, @pacedUntil, @day, @sentOnDay, @lastSentAt, @restrictedUntil, @restrictions)`,
  )
  const get = (senderId: number): SendingState => select.get(senderId) ?? NOTHING_SENT
  const update = (senderId: number, next: (state: SendingState) => SendingState) =>
    void put.run({ ...next(get(senderId)), senderId })
  return {
    get: async (senderId) => get(senderId),
    all: async () => new Map(all.all().map(({ senderId, ...state }) => [senderId, state])),
    update: (_tx, senderId, next) => update(senderId, next),
    change: (senderId, next) => write(() => update(senderId, next)),
  }
}
