import { integer } from '../columns.ts'
import {
  areTooManyReplies,
  type EventStore,
  eventOfReply,
  type NewDelivery,
  type NewEvent,
  putReply,
  type ReplyStore,
  seeReply,
} from '../events.ts'
import { type EndpointRow, wanting } from '../webhooks.ts'
import type { Tx } from './group-commit.ts'
import { type Context, selecting } from './sql.ts'

export interface Events extends Pick<EventStore, 'addFor'> {
  /** Writes an event with its deliveries; returns the endpoints that get one. */
  announce(tx: Tx, event: NewEvent): number[]
  /**
   * Writes an event and its deliveries. `onlyFor` names one endpoint instead of those that
   * subscribe to the event.
   */
  insert(tx: Tx, event: NewEvent, onlyFor?: number): NewDelivery[]
}

/** @param endpoints returns all endpoints, from memory */
export function createEvents({ db, write, now }: Context, endpoints: () => EndpointRow[]): Events {
  const insertEvent = db.prepare(
    `INSERT INTO events (type, message_seq, at, recorded_at, data)
     VALUES (@type, @messageSeq, @at, @recordedAt, @data)`,
  )
  // `next_at` is null while an earlier delivery of the message to this endpoint is pending; the end
  // of that delivery sets it.
  const deliver = db.prepare(
    `INSERT INTO webhook_deliveries (endpoint_id, event_seq, message_seq, state, next_at, created_at)
     SELECT @endpointId, @seq, @messageSeq, 'pending', iif(EXISTS (
       SELECT 1 FROM webhook_deliveries WHERE message_seq = @messageSeq AND endpoint_id = @endpointId AND state = 'pending'
     ), NULL, @at), @at WHERE EXISTS (SELECT 1 FROM webhook_endpoints WHERE id = @endpointId)`,
  )
  function insert(_tx: Tx, event: NewEvent, onlyFor?: number): NewDelivery[] {
    const at = now()
    const { type, messageSeq, senderCode, formerCode } = event
    const row = { type, messageSeq, at: event.at, recordedAt: at, data: JSON.stringify(event.data) }
    const seq = Number(insertEvent.run(row).lastInsertRowid)
    const wanted = onlyFor === undefined ? wanting(endpoints(), type, senderCode, formerCode) : [onlyFor]
    const written = wanted.map((endpointId) => ({
      endpointId,
      row: deliver.run({ endpointId, seq, messageSeq, at }),
    }))
    // The list of endpoints comes from memory, so one of them may have been deleted just before.
    return written.flatMap(({ endpointId, row }) =>
      row.changes === 0 ? [] : { endpointId, eventSeq: seq, id: Number(row.lastInsertRowid) },
    )
  }

  return {
    insert,
    announce: (tx, event) => insert(tx, event).map(({ endpointId }) => endpointId),
    addFor: (endpointId, event) => write((tx) => insert(tx, event, endpointId)[0]?.id ?? 0),
  }
}

export function addingReplies({ db, write, run }: Context, events: Events): ReplyStore['add'] {
  const ofAuthor = selecting(db, { count: integer('count(*)') })<[number]>('FROM replies WHERE author = ?')
  const ofAll = selecting(db, { bytes: integer('ifnull(sum(bytes), 0)') })('FROM replies')
  return (reply) =>
    write<number[] | 'full'>((tx) => {
      const { senderId, providerMessageId, author, body, at } = reply
      const bytes = (ofAll.get()?.bytes ?? 0) + body.length
      if (areTooManyReplies({ ofAuthor: ofAuthor.get(author)?.count ?? 0, bytes })) return 'full'
      if (providerMessageId !== null && run(seeReply(senderId, providerMessageId, at)) === 0) return []
      const deliveries = events.insert(tx, eventOfReply(reply))
      const [first] = deliveries
      if (first !== undefined) run(putReply(reply, first.eventSeq))
      return deliveries.map(({ endpointId }) => endpointId)
    })
}
