import { idParams } from '../../contract/fields.ts'
import { messageFilter } from '../../http/message-filter.ts'
import { defineRoute, ok, type Route } from '../../http/route.ts'
import { senderOfTexts } from '../../senders/pick.ts'
import type { SenderStore } from '../../store/index.ts'
import type { BulkActions } from './bulk.ts'
import { bulkAnswer, bulkRequest, undoneAnswer } from './contract.ts'

export const bulkRoutes = (bulk: BulkActions, senders: SenderStore): Route[] => [
  defineRoute({
    tag: 'Messages',
    method: 'POST',
    path: '/api/bulk',
    auth: 'owner',
    summary: 'Cancel waiting messages, or send failed ones again',
    description: 'By ids or by filters. It begins after ten seconds, in which it can be undone.',
    body: bulkRequest,
    answer: bulkAnswer,
    handler: async ({ body, caller }) => {
      const to = body.to === undefined ? null : senderOfTexts(senders, body.to, 'to')
      const filter = messageFilter(senders, body.filter ?? {}, caller)
      // A sender that does not exist has no messages.
      const view = await bulk.begin(filter === undefined ? { ...body, ids: [] } : body, filter ?? {}, to)
      return ok(`${view.count} messages.`, view)
    },
  }),
  defineRoute({
    tag: 'Messages',
    method: 'DELETE',
    path: '/api/bulk/{id}',
    auth: 'owner',
    summary: 'Undo an action on many messages',
    description: '`undone` is the number of messages. 404 when it is too late.',
    params: idParams,
    answer: undoneAnswer,
    handler: async ({ params: { id } }) => ok('Undone.', { undone: await bulk.undo(id) }),
  }),
]
