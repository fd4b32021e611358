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
import { type Context, runBound, type Tx } from './sql.ts'

export interface Events extends Pick<EventStore, 'addFor'> {
  /** Writes an event with its deliveries; resolves with the endpoints that get one. */
  announce(tx: Tx, event: NewEvent): Promise<number[]>
  /**
   * Writes an event and its deliveries. `onlyFor` names one endpoint instead of those that
   * subscribe to the event.
   */
  insert(tx: Tx, event: NewEvent, onlyFor?: number): Promise<NewDelivery[]>
}

// `next_at` is null while an earlier delivery of the message to this endpoint is pending; the end
// of that delivery sets it. The list of endpoints comes from memory, so one of them may have been
// deleted just before.
const INSERT = `WITH event AS (
    INSERT INTO events (type, message_seq, at, recorded_at, data) VALUES ($1, $2, $3, $4, $5) RETURNING seq, message_seq)
  INSERT INTO webhook_deliveries (endpoint_id, event_seq, message_seq, state, next_at, created_at)
  SELECT w.id, event.seq, event.message_seq, 'pending', CASE WHEN EXISTS (
    SELECT 1 FROM webhook_deliveries d WHERE d.message_seq = event.message_seq AND d.endpoint_id = w.id
      AND d.state = 'pending') THEN NULL ELSE $4::bigint END, $4
  FROM event CROSS JOIN webhook_endpoints w WHERE w.id = ANY ($6::bigint[]) ORDER BY w.id
  RETURNING id, endpoint_id AS "endpointId", event_seq AS "eventSeq"`

/** @param endpoints returns all endpoints, from memory */
export function createEvents({ write, now }: Context, endpoints: () => EndpointRow[]): Events {
  async function insert(tx: Tx, event: NewEvent, onlyFor?: number): Promise<NewDelivery[]> {
    const { type, messageSeq, senderCode, formerCode, at, data } = event
    const wanted = onlyFor === undefined ? wanting(endpoints(), type, senderCode, formerCode) : [onlyFor]
    const written = tx.query<NewDelivery>(INSERT, [type, messageSeq, at, now(), JSON.stringify(data), wanted])
    return wanted.length === 0 ? [] : written
  }

  return {
    insert,
    announce: async (tx, event) => (await insert(tx, event)).map(({ endpointId }) => endpointId),
    addFor: (endpointId, event) => write(async (tx) => (await insert(tx, event, endpointId))[0]?.id ?? 0),
  }
}

export const addingReplies =
  ({ write }: Context, events: Events): ReplyStore['add'] =>
  (reply) =>
    write<number[] | 'full'>(async (tx) => {
      const { senderId, providerMessageId, author, body, at } = reply
      const [of, all] = await Promise.all([
        tx.one({ count: integer('count(*)') }, 'FROM replies WHERE author = $1', [author]),
        tx.one({ bytes: integer('coalesce(sum(bytes), 0)') }, 'FROM replies'),
      ])
      if (areTooManyReplies({ ofAuthor: of?.count ?? 0, bytes: (all?.bytes ?? 0) + body.length })) return 'full'
      const isNew = providerMessageId === null || (await runBound(tx, seeReply(senderId, providerMessageId, at))) > 0
      if (!isNew) return []
      const deliveries = await events.insert(tx, eventOfReply(reply))
      const [first] = deliveries
      if (first !== undefined) void runBound(tx, putReply(reply, first.eventSeq))
      return deliveries.map(({ endpointId }) => endpointId)
    })
