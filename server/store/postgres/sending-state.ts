import { integer } from '../columns.ts'
import { NOTHING_SENT, SENDING_STATE, type SendingState, type SendingStateStore } from '../sending-state.ts'
import type { Context, Tx } from './sql.ts'

const FROM = 'FROM sending_state WHERE sender_id = $1'

export async function updateSendingState(
  tx: Tx,
  senderId: number,
  next: (state: SendingState) => SendingState,
): Promise<void> {
  // A row to hold, so that of two first changes none is lost.
  void tx.run('INSERT INTO sending_state (sender_id) VALUES ($1) ON CONFLICT DO NOTHING', [senderId])
  const state = next((await tx.one(SENDING_STATE, `${FROM} FOR NO KEY UPDATE`, [senderId])) ?? NOTHING_SENT)
  void tx.run(
    `UPDATE sending_state SET paced_until = $2, day = $3, sent_on_day = $4, last_sent_at = $5, restricted_until = $6,
       restrictions = $7 WHERE sender_id = $1`,
    [
      ...[senderId, state.pacedUntil, state.day, state.sentOnDay, state.lastSentAt],
      ...[state.restrictedUntil, state.restrictions],
    ],
  )
}

export function createSendingState({ db, write, fence }: Context): SendingStateStore {
  return {
    get: async (senderId) => (await db.one(SENDING_STATE, FROM, [senderId])) ?? NOTHING_SENT,
    async all() {
      const rows = await db.rows({ ...SENDING_STATE, senderId: integer('sender_id') }, 'FROM sending_state')
      return new Map(rows.map(({ senderId, ...state }) => [senderId, state]))
    },
    change: (senderId, next) =>
      write(async (tx) => {
        fence(tx, senderId)
        await updateSendingState(tx, senderId, next)
      }),
  }
}
