import { type Columns, integer, integerOrNull, text } from './columns.ts'
import { type Bound, bound, type Statements } from './statements.ts'

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

export const putSendingState = (senderId: number, state: SendingState): Bound =>
  bound(
    `INSERT INTO sending_state (sender_id, paced_until, day, sent_on_day, last_sent_at, restricted_until, restrictions)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (sender_id) DO UPDATE SET paced_until = excluded.paced_until,
       day = excluded.day, sent_on_day = excluded.sent_on_day, last_sent_at = excluded.last_sent_at,
       restricted_until = excluded.restricted_until, restrictions = excluded.restrictions`,
    ...[senderId, state.pacedUntil, state.day, state.sentOnDay, state.lastSentAt],
    ...[state.restrictedUntil, state.restrictions],
  )

export function createSendingStateReads({ rows, one }: Statements) {
  const find = one(SENDING_STATE, 'FROM sending_state WHERE sender_id = $1')
  const all = rows({ ...SENDING_STATE, senderId: integer('sender_id') }, 'FROM sending_state')
  return {
    get: async (senderId) => (await find(senderId)) ?? NOTHING_SENT,
    all: async () => new Map((await all()).map(({ senderId, ...state }) => [senderId, state])),
  } satisfies Partial<SendingStateStore>
}
