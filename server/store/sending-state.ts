import { type Columns, integer, integerOrNull, text, writing } from './columns.ts'
import { putting, type Statements } from './statements.ts'

/** Counts of a sender's sends, over restarts. Times are milliseconds since 1970. */
export interface SendingState {
  /** Pacing: the next message leaves no earlier. */
  pacedUntil: number
  /** Local day that `sentOnDay` counts. */
  day: string
  sentOnDay: number
  lastSentAt: number | null
  /** WhatsApp refuses first contacts (463) until then. */
  restrictedUntil: number
  /** Restrictions in a row; the wait grows with them. */
  restrictions: number
}

/** State of a sender that never sent. */
export const NOTHING_SENT: SendingState = {
  pacedUntil: 0,
  day: '',
  sentOnDay: 0,
  lastSentAt: null,
  restrictedUntil: 0,
  restrictions: 0,
}

export interface SendingStateStore {
  get(senderId: number): Promise<SendingState>
  /** States of all senders that have ever sent. */
  all(): Promise<ReadonlyMap<number, SendingState>>
  /** `update` is pure. */
  change(senderId: number, update: (state: SendingState) => SendingState): Promise<void>
}

export const SENDING_STATE: Columns<SendingState> = {
  pacedUntil: integer('paced_until'),
  day: text('day'),
  sentOnDay: integer('sent_on_day'),
  lastSentAt: integerOrNull('last_sent_at'),
  restrictedUntil: integer('restricted_until'),
  restrictions: integer('restrictions'),
}

const ROW = { senderId: integer('sender_id'), ...SENDING_STATE }

export const putSendingState = putting('sending_state', writing(ROW), 'sender_id')

export function createSendingStateReads({ rows, one }: Statements) {
  const find = one(SENDING_STATE, 'FROM sending_state WHERE sender_id = $1')
  const all = rows(ROW, 'FROM sending_state')
  return {
    get: async (senderId) => (await find(senderId)) ?? NOTHING_SENT,
    all: async () => new Map((await all()).map(({ senderId, ...state }) => [senderId, state])),
  } satisfies Partial<SendingStateStore>
}
