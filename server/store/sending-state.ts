import { type Columns, integer, integerOrNull, text } from './columns.ts'
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
