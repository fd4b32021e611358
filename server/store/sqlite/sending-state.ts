import { NOTHING_SENT, putSendingState, SENDING_STATE, type SendingState } from '../sending-state.ts'
import type { Tx } from './group-commit.ts'
import { type Context, selecting } from './sql.ts'

export type UpdateSendingState = (tx: Tx, senderId: number, next: (state: SendingState) => SendingState) => void

export function updatingSendingState({ db, run }: Context): UpdateSendingState {
  const select = selecting(db, SENDING_STATE)<[number]>('FROM sending_state WHERE sender_id = ?')
  return (_tx, senderId, next) => void run(putSendingState(senderId, next(select.get(senderId) ?? NOTHING_SENT)))
}
