import { integer, integerOrNull } from '../columns.ts'
import { EVENT, type EventStore, type NewDelivery, type NewEvent } from '../events.ts'
import type { Db } from './database.ts'
import type { EndpointStatements } from './endpoints.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface EventStatements extends EventStore {
  /**
   * Writes an event and its deliveries; `onlyFor` names one endpoint instead of those that
   * subscribe to it.
   */
  insert(tx: Tx, event: NewEvent, onlyFor?: number): NewDelivery[]
}

export function createEvents(db: Db, write: Write, endpoints: EndpointStatements, now: () => number): EventStatements {
  const insertEvent = db.prepare(
    `INSERT INTO events (type, message_seq, at, recorded_at, data)
     VALUES (@type, @messageSeq, @at, @recordedAt, @data)`,
  )
  // While an earlier event of the message is not through, the later one has no time of its own: it
  // is released in turn.
  const deliver = db.prepare(
    `INSERT INTO webhook_deliveries (endpoint_id, event_seq, message_seq, state, next_at, created_at)
     SELECT @endpointId, @seq, @messageSeq, 'pending', iif(EXISTS (
       SELECT 1 FROM webhook_deliveries WHERE message_seq = @messageSeq AND endpoint_id = @endpointId AND state = 'pending'
     ), NULL, @at), @at WHERE EXISTS (SELECT 1 FROM webhook_endpoints WHERE id = @endpointId)`,
  )
  const events = selecting(db, EVENT)
  const ofMessage = events<[number]>('FROM events WHERE message_seq = ? ORDER BY seq')
  const bySeq = events<[number]>('FROM events WHERE seq = ?')
  const messagesSince = selecting<{ messageSeq: number; seq: number }>(db, {
    messageSeq: integer('message_seq'),
    seq: integer('max(seq)'),
  })<[number, number]>('FROM events WHERE seq > ? AND message_seq IS NOT NULL GROUP BY message_seq ORDER BY 2 LIMIT ?')
  const newest = selecting<{ seq: number | null }>(db, { seq: integerOrNull('max(seq)') })('FROM events')

  function insert(_tx: Tx, event: NewEvent, onlyFor?: number): NewDelivery[] {
    const at = now()
    const { type, messageSeq, senderCode } = event
    const row = { type, messageSeq, at: event.at, recordedAt: at, data: JSON.stringify(event.data) }
    const seq = Number(insertEvent.run(row).lastInsertRowid)
    const wanted = onlyFor === undefined ? endpoints.wanting(type, senderCode) : [onlyFor]
    const written = wanted.map((endpointId) => ({
      endpointId,
      row: deliver.run({ endpointId, seq, messageSeq, at }),
    }))
    // Which endpoints there are is known from memory: one may have been deleted just now.
    return written.flatMap(({ endpointId, row }) =>
      row.changes === 0 ? [] : { endpointId, eventSeq: seq, id: Number(row.lastInsertRowid) },
    )
  }

  return {
    insert,
    addFor: (endpointId, event) => write((tx) => insert(tx, event, endpointId)[0]?.id ?? 0),
    ofMessage: async (messageSeq) => ofMessage.all(messageSeq),
    get: async (seq) => bySeq.get(seq),
    messagesSince: async (seq, limit) => messagesSince.all(seq, limit),
    newest: async () => newest.get()?.seq ?? 0,
  }
}
