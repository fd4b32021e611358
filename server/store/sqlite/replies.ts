import { blob, integer } from '../columns.ts'
import { isTooMuch, type ReplyStore, SEEN_FOR } from '../replies.ts'
import type { Db } from './database.ts'
import type { EndpointStatements } from './endpoints.ts'
import type { EventStatements } from './events.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

const TYPE = 'message.received'
export interface ReplyStatements extends ReplyStore {
  /** After a delivery ended: forgets the body that no other one needs. */
  settle(tx: Tx, deliveryId: number): void
}

export function createReplies(
  db: Db,
  write: Write,
  { events, endpoints }: { events: EventStatements; endpoints: EndpointStatements },
): ReplyStatements {
  const see = db.prepare(
    'INSERT OR IGNORE INTO replies_seen (sender_id, provider_message_id, done, at) VALUES (?, ?, ?, ?)',
  )
  const seen = selecting<{ at: number }>(db, { at: integer('at') })<[number, string, string]>(
    'FROM replies_seen WHERE sender_id = ? AND provider_message_id = ? AND done = ?',
  )
  const optIn = db.prepare(
    `INSERT INTO replies_seen (sender_id, provider_message_id, done, at) VALUES (?, ?, 'opted_in', ?)
     ON CONFLICT (sender_id, provider_message_id, done) DO UPDATE SET at = excluded.at
     WHERE replies_seen.at < excluded.at`,
  )
  const forgetSeen = db.prepare('DELETE FROM replies_seen WHERE at < ?')
  const insert = db.prepare(
    'INSERT INTO replies (event_seq, author, bytes, body, expires_at) VALUES (@seq, @author, @bytes, @body, @expiresAt)',
  )
  const waiting = selecting<{ count: number; bytes: number }>(db, {
    count: integer('count(*)'),
    bytes: integer('ifnull(sum(bytes), 0)'),
  })
  const waitingOf = waiting<[number]>('FROM replies WHERE author = ?')
  const waitingOfAll = waiting('FROM replies')
  const body = selecting<{ body: Buffer }>(db, { body: blob('body') })<[number]>('FROM replies WHERE event_seq = ?')
  const settle = db.prepare(
    `DELETE FROM replies WHERE event_seq = (SELECT event_seq FROM webhook_deliveries WHERE id = ?) AND NOT EXISTS (
       SELECT 1 FROM webhook_deliveries d WHERE d.event_seq = replies.event_seq AND d.state = 'pending')`,
  )
  const old = selecting<{ seq: number }>(db, { seq: integer('event_seq') })<[number, number]>(
    'FROM replies WHERE expires_at <= ? LIMIT ?',
  )
  // With its deliveries: nothing of it could be sent again.
  const remove = db.prepare('DELETE FROM events WHERE seq = ?')

  return {
    isWanted: (senderCode) => endpoints.wanting(TYPE, senderCode).length > 0,
    add: (reply) =>
      write<number[] | 'full'>((tx) => {
        const { senderId, senderCode, providerMessageId, at, author, expiresAt } = reply
        const bytes = reply.body.length
        const of = { ofAuthor: waitingOf.get(author)?.count ?? 0, bytes: (waitingOfAll.get()?.bytes ?? 0) + bytes }
        if (isTooMuch(of)) return 'full'
        if (providerMessageId !== null && see.run(senderId, providerMessageId, 'passed_on', at).changes === 0) return []
        const deliveries = events.insert(tx, { type: TYPE, messageSeq: null, senderCode, at, data: {} })
        const [first] = deliveries
        if (first !== undefined) insert.run({ seq: first.eventSeq, author, bytes, body: reply.body, expiresAt })
        return deliveries.map(({ endpointId }) => endpointId)
      }),
    isHeard: async (senderId, id) => seen.get(senderId, id, 'obeyed') !== undefined,
    markHeard: (senderId, id, at) => write(() => void see.run(senderId, id, 'obeyed', at)),
    optedInAfter: async (senderId, recipient, at) => (seen.get(senderId, recipient, 'opted_in')?.at ?? 0) > at,
    markOptedIn: (senderId, recipient, at) => write(() => void optIn.run(senderId, recipient, at)),
    body: async (eventSeq) => body.get(eventSeq)?.body,
    settle: (_tx, deliveryId) => void settle.run(deliveryId),
    expire: (now, batch) =>
      write(() => {
        forgetSeen.run(now - SEEN_FOR)
        const rows = old.all(now, batch)
        for (const { seq } of rows) remove.run(seq)
        return rows.length
      }),
  }
}
