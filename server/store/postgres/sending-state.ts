import { NOTHING_SENT, putSendingState, SENDING_STATE, type SendingState } from '../sending-state.ts'
import { runBound, type Tx } from './sql.ts'

export async function updateSendingState(
  tx: Tx,
  senderId: number,
  next: (state: SendingState) => SendingState,
): Promise<void> {
  // A row to hold, so that of two first changes none is lost.
  void tx.run('INSERT INTO sending_state (sender_id) VALUES ($1) ON CONFLICT DO NOTHING', [senderId])
  const state = next(
    (await tx.one(SENDING_STATE, 'FROM sending_state WHERE sender_id = $1 FOR NO KEY UPDATE', [senderId])) ??
      NOTHING_SENT,
  )
  void runBound(tx, putSendingState(senderId, state))
}
