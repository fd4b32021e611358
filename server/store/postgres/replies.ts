import { blob, integer } from '../columns.ts'
import { isTooMuch, type ReplyStore, SEEN_FOR } from '../replies.ts'
import type { Endpoints } from './endpoints.ts'
import type { Events } from './events.ts'
import type { Context, Tx } from './sql.ts'

const TYPE = 'message.received'

/** After a delivery ended: forgets the body that no other one needs. */
export const settleReply = (tx: Tx, deliveryId: number): Promise<number> =>
  tx.run(
    `DELETE FROM replies WHERE event_seq = (SELECT event_seq FROM webhook_deliveries WHERE id = $1) AND NOT EXISTS (
       SELECT 1 FROM webhook_deliveries d WHERE d.event_seq = replies.event_seq AND d.state = 'pending')`,
    [deliveryId],
  )

const see = (tx: Tx, senderId: number, id: string, done: string, at: number): Promise<number> =>
  tx.run(
    `INSERT INTO replies_seen (sender_id, provider_message_id, done, at) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [senderId, id, done, at],
  )

export function createReplies(
  { db, write }: Context,
  { events, endpoints }: { events: Pick<Events, 'insert'>; endpoints: Pick<Endpoints, 'wanting'> },
): ReplyStore {
  async function seenAt(senderId: number, id: string, done: string): Promise<number | undefined> {
    const from = 'FROM replies_seen WHERE sender_id = $1 AND provider_message_id = $2 AND done = $3'
    return (await db.one({ at: integer('at') }, from, [senderId, id, done]))?.at
  }

  return {
    isWanted: (senderCode) => endpoints.wanting(TYPE, senderCode).length > 0,
    add: ({ senderId, senderCode, providerMessageId, at, author, body, expiresAt }) =>
      write<number[] | 'full'>(async (tx) => {
        const [of, all] = await Promise.all([
          tx.one({ count: integer('count(*)') }, 'FROM replies WHERE author = $1', [author]),
          tx.one({ bytes: integer('coalesce(sum(bytes), 0)') }, 'FROM replies'),
        ])
        if (isTooMuch({ ofAuthor: of?.count ?? 0, bytes: (all?.bytes ?? 0) + body.length })) return 'full'
        const isNew = providerMessageId === null || (await see(tx, senderId, providerMessageId, 'passed_on', at)) > 0
        if (!isNew) return []
        const deliveries = await events.insert(tx, { type: TYPE, messageSeq: null, senderCode, at, data: {} })
        const [first] = deliveries
        if (first !== undefined)
          void tx.run('INSERT INTO replies (event_seq, author, bytes, body, expires_at) VALUES ($1, $2, $3, $4, $5)', [
            first.eventSeq,
            author,
            body.length,
            body,
            expiresAt,
          ])
        return deliveries.map(({ endpointId }) => endpointId)
      }),
    isHeard: async (senderId, id) => (await seenAt(senderId, id, 'obeyed')) !== undefined,
    async markHeard(senderId, id, at) {
      await write((tx) => see(tx, senderId, id, 'obeyed', at))
    },
    optedInAfter: async (senderId, recipient, at) => ((await seenAt(senderId, recipient, 'opted_in')) ?? 0) > at,
    async markOptedIn(senderId, recipient, at) {
      await write((tx) =>
        tx.run(
          `INSERT INTO replies_seen (sender_id, provider_message_id, done, at) VALUES ($1, $2, 'opted_in', $3)
           ON CONFLICT (sender_id, provider_message_id, done) DO UPDATE SET at = excluded.at
           WHERE replies_seen.at < excluded.at`,
          [senderId, recipient, at],
        ),
      )
    },
    body: async (eventSeq) =>
      (await db.one({ body: blob('body') }, 'FROM replies WHERE event_seq = $1', [eventSeq]))?.body,
    // With its deliveries: nothing of it could be sent again.
    expire: (now, batch) =>
      write((tx) => {
        void tx.run('DELETE FROM replies_seen WHERE at < $1', [now - SEEN_FOR])
        return tx.run(
          'DELETE FROM events WHERE seq IN (SELECT event_seq FROM replies WHERE expires_at <= $1 LIMIT $2)',
          [now, batch],
        )
      }),
  }
}
