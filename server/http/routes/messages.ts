import { z } from 'zod'
import { ApiError } from '../../contract/errors.ts'
import { type MessageQuery, messageAnswer, messageListAnswer, messageQuery } from '../../contract/messages.ts'
import { messageDetail } from '../../messages/history.ts'
import { messageRow } from '../../messages/view.ts'
import type { Store } from '../../store/index.ts'
import type { Message } from '../../store/rows.ts'
import type { KeyRow } from '../../store/sqlite/keys.ts'
import type { MessageFilter } from '../../store/sqlite/message-list.ts'
import { type Caller, defineRoute, list, ok, type Route } from '../route.ts'

export interface MessageRouteDeps {
  store: Store
  cancel: (id: string) => Promise<void>
  retry: (id: string) => Promise<string>
}

const params = z.object({ id: z.string() })
const shared = { tag: 'Messages' } as const

/** What a caller may see: a device key only its own sender's. */
export function findFor(store: Store, id: string, { key }: Caller): Message {
  const message = store.messages.find({ id })
  if (message === undefined || (key?.kind === 'device' && key.senderId !== message.senderId)) {
    throw new ApiError('message_not_found', 'There is no such message.')
  }
  return message
}

/** The filter of a query; undefined when it names a sender that does not exist, which is an empty list. */
export function filterOf(
  store: Store,
  query: Omit<MessageQuery, 'limit' | 'cursor'>,
  key: KeyRow | null,
): Omit<MessageFilter, 'limit'> | undefined {
  const named = query.sender_code === undefined ? undefined : store.senders.byCode(query.sender_code)
  const own = key?.kind === 'device' ? (key.senderId ?? -1) : undefined
  if (query.sender_code !== undefined && named === undefined) return undefined
  if (own !== undefined && named !== undefined && named.id !== own) return undefined
  return {
    referenceId: query.reference_id,
    statuses: query.status,
    senderId: own ?? named?.id,
    channel: query.channel,
    recipient: query.recipient,
    templateName: query.template_name,
    from: query.from === undefined ? undefined : Date.parse(query.from),
    to: query.to === undefined ? undefined : Date.parse(query.to),
    text: query.q,
  }
}

export function messageRoutes({ store, cancel, retry }: MessageRouteDeps): Route[] {
  function page(query: MessageQuery, { key }: Caller) {
    const filter = filterOf(store, query, key)
    if (filter === undefined) return list([], null)
    const before = query.cursor === undefined ? undefined : Number(query.cursor)
    const rows = store.list.list({ ...filter, before, limit: query.limit + 1 })
    const shown = rows.slice(0, query.limit)
    return list(
      shown.map((message) => messageRow(message, store.senders.codeOf(message.senderId))),
      rows.length > shown.length ? String(shown.at(-1)?.seq) : null,
    )
  }

  const readers = (prefix: '' | '/api', auth: 'key_or_owner' | 'owner'): Route[] => [
    defineRoute({
      ...shared,
      method: 'GET',
      path: `${prefix}/messages`,
      auth,
      summary: 'List messages, newest first',
      query: messageQuery,
      answer: messageListAnswer,
      handler: ({ query, caller }) => page(query, caller),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: `${prefix}/messages/{id}`,
      auth,
      summary: 'One message with its timeline, attempts and callbacks',
      params,
      answer: messageAnswer,
      handler: ({ params: { id }, caller }) => ok('Message.', messageDetail(findFor(store, id, caller), store)),
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: `${prefix}/messages/{id}`,
      auth,
      summary: 'Cancel a message that is still queued',
      params,
      answer: messageAnswer,
      handler: async ({ params: { id }, caller }) => {
        findFor(store, id, caller)
        await cancel(id)
        return ok('Message cancelled.', messageDetail(findFor(store, id, caller), store))
      },
    }),
  ]

  return [
    ...readers('', 'key_or_owner'),
    ...readers('/api', 'owner'),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/messages/{id}/retry',
      auth: 'owner',
      summary: 'Send a failed message again, as a new message',
      params,
      answer: messageAnswer,
      handler: async ({ params: { id }, caller }) => {
        findFor(store, id, caller)
        return ok('Message queued again.', messageDetail(findFor(store, await retry(id), caller), store))
      },
    }),
  ]
}
