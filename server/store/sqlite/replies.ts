import { integer } from '../columns.ts'
import { eventOfReply, isTooMuch, putReply, type ReplyStore, see } from '../replies.ts'
import type { Events } from './events.ts'
import { type Context, selecting } from './sql.ts'

export function addingReplies({ db, write, run }: Context, events: Events): ReplyStore['add'] {
  const ofAuthor = selecting(db, { count: integer('count(*)') })<[number]>('FROM replies WHERE author = ?')
  const ofAll = selecting(db, { bytes: integer('ifnull(sum(bytes), 0)') })('FROM replies')
  return (reply) =>
    write<number[] | 'full'>((tx) => {
      const { senderId, providerMessageId, author, body, at } = reply
      const bytes = (ofAll.get()?.bytes ?? 0) + body.length
      if (isTooMuch({ ofAuthor: ofAuthor.get(author)?.count ?? 0, bytes })) return 'full'
      if (providerMessageId !== null && run(see(senderId, providerMessageId, at)) === 0) return []
      const deliveries = events.insert(tx, eventOfReply(reply))
      const [first] = deliveries
      if (first !== undefined) run(putReply(reply, first.eventSeq))
      return deliveries.map(({ endpointId }) => endpointId)
    })
}
