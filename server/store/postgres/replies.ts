import { integer } from '../columns.ts'
import { eventOfReply, isTooMuch, putReply, type ReplyStore, see } from '../replies.ts'
import type { Events } from './events.ts'
import { type Context, runBound } from './sql.ts'

export const addingReplies =
  ({ write }: Context, events: Events): ReplyStore['add'] =>
  (reply) =>
    write<number[] | 'full'>(async (tx) => {
      const { senderId, providerMessageId, author, body, at } = reply
      const [of, all] = await Promise.all([
        tx.one({ count: integer('count(*)') }, 'FROM replies WHERE author = $1', [author]),
        tx.one({ bytes: integer('coalesce(sum(bytes), 0)') }, 'FROM replies'),
      ])
      if (isTooMuch({ ofAuthor: of?.count ?? 0, bytes: (all?.bytes ?? 0) + body.length })) return 'full'
      const isNew = providerMessageId === null || (await runBound(tx, see(senderId, providerMessageId, at))) > 0
      if (!isNew) return []
      const deliveries = await events.insert(tx, eventOfReply(reply))
      const [first] = deliveries
      if (first !== undefined) void runBound(tx, putReply(reply, first.eventSeq))
      return deliveries.map(({ endpointId }) => endpointId)
    })
