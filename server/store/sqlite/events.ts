import type { EventRow } from '../rows.ts'
import type { Db } from './database.ts'
import type { Endpoints } from './endpoints.ts'

const COLUMNS = 'seq, type, message_seq AS messageSeq, at, recorded_at AS recordedAt, data'

export interface NewEvent {
  type: string
  messageSeq: number | null
  /** For choosing the endpoints that want it. */
  senderCode: string | null
  at: number
  data: string
}

export type Events = ReturnType<typeof createEvents>

/** The timeline, and the outbox: an event and its deliveries are written in the transaction of what they tell. */
export function createEvents(db: Db, endpoints: Endpoints, now: () => number) {
  const insert = db.prepare('INSERT INTO events (type, message_seq, at, recorded_at, data) VALUES (?, ?, ?, ?, ?)')
  // While an earlier event of the message is not through, the later one has no time of its own: it is released in turn.
  const deliver = db.prepare(
    `INSERT INTO webhook_deliveries (endpoint_id, event_seq, message_seq, state, next_at, created_at)
     SELECT @endpointId, @seq, @messageSeq, 'pending', iif(EXISTS (
       SELECT 1 FROM webhook_deliveries WHERE message_seq = @messageSeq AND endpoint_id = @endpointId AND state = 'pending'
     ), NULL, @at), @at`,
  )
  const ofMessage = db.prepare<[number], EventRow>(`SELECT ${COLUMNS} FROM events WHERE message_seq = ? ORDER BY seq`)
  const bySeq = db.prepare<[number], EventRow>(`SELECT ${COLUMNS} FROM events WHERE seq = ?`)
  const messagesSince = db.prepare<[number, number], { messageSeq: number; seq: number }>(
    `SELECT message_seq AS messageSeq, max(seq) AS seq FROM events WHERE seq > ? AND message_seq IS NOT NULL
     GROUP BY message_seq ORDER BY 2 LIMIT ?`,
  )
  const newest = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM events')

  return {
    /** Inside a transaction. `onlyFor` names the one endpoint of a test call. Returns the endpoints that will hear of it. */
    insert(event: NewEvent, onlyFor?: number): { seq: number; deliveries: { id: number; endpointId: number }[] } {
      const at = now()
      const seq = Number(insert.run(event.type, event.messageSeq, event.at, at, event.data).lastInsertRowid)
      const wanted = onlyFor === undefined ? endpoints.wanting(event.type, event.senderCode) : [onlyFor]
      const deliveries = wanted.map((endpointId) => ({
        endpointId,
        id: Number(deliver.run({ endpointId, seq, messageSeq: event.messageSeq, at }).lastInsertRowid),
      }))
      return { seq, deliveries }
    },
    ofMessage: (messageSeq: number): EventRow[] => ofMessage.all(messageSeq),
    get: (seq: number): EventRow | undefined => bySeq.get(seq),
    /** Messages that changed after an event, oldest change first. */
    messagesSince: (seq: number, limit: number) => messagesSince.all(seq, limit),
    newest: (): number => newest.get()?.seq ?? 0,
  }
}
