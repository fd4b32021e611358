import type { ServerResponse } from 'node:http'
import { idParams } from '../../contract/fields.ts'
import {
  cancelledAnswer,
  cancelQuery,
  changeMessageRequest,
  type ExportQuery,
  exportQuery,
  type MessageQuery,
  messageAnswer,
  messageListAnswer,
  messageQuery,
  retryRequest,
} from '../../contract/messages.ts'
import { createTurns } from '../../lib/turns.ts'
import { cancelAll, cancelMessage, changeMessage, revokeMessage, sendAgain } from '../../messages/actions.ts'
import type { MessageContext } from '../../messages/context.ts'
import { type CsvTable, DATA_TABLE, spreadsheetTable } from '../../messages/csv.ts'
import { messageDetail, messageRows } from '../../messages/view.ts'
import type { SettingsService } from '../../settings/settings.ts'
import type { MessageSelection, Store } from '../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import type { KnownCaller } from '../keys.ts'
import { findMessage, messageFilter } from '../message-filter.ts'
import { beginCsv, writePages } from '../response.ts'
import { ANSWERED, defineRoute, list, ok, type Route } from '../route.ts'

const tag = 'Messages'

export function messageRoutes(context: MessageContext, settings: SettingsService): Route[] {
  const { messages, senders } = context.store

  async function page(query: MessageQuery, caller: KnownCaller) {
    const filter = messageFilter(senders, query, caller)
    if (filter === undefined) return list([], null)
    const before = query.cursor === undefined ? undefined : Number(query.cursor)
    const rows = await messages.list({ ...filter, before, short: true, limit: query.limit + 1 })
    const shown = rows.slice(0, query.limit)
    return list(await messageRows(context, shown), rows.length > shown.length ? String(shown.at(-1)?.seq) : null)
  }

  function tableFor({ layout, language, time_zone }: ExportQuery): CsvTable {
    if (layout === 'data') return DATA_TABLE
    const nameOf = (code: string) => senders.byCode(code)?.settings.name ?? code
    return spreadsheetTable({ language: language ?? settings.get().language, timeZone: time_zone, nameOf })
  }

  const detail = async (id: string, caller: KnownCaller) =>
    messageDetail(context, await findMessage(messages, id, caller))

  function readers(prefix: '' | '/api', auth: 'key_or_owner' | 'owner'): Route[] {
    const ofOne = { tag, auth, path: `${prefix}/messages/{id}`, params: idParams, answer: messageAnswer } as const
    return [
      defineRoute({
        tag,
        method: 'GET',
        path: `${prefix}/messages`,
        auth,
        forReaders: true,
        summary: 'List messages, newest first',
        description:
          'Filters are combined with AND. A device key lists only messages of its own sender. Texts, templates and metadata are shortened in this list; `GET /messages/{id}` returns them in full.',
        query: messageQuery,
        inTurn: true,
        answer: messageListAnswer,
        handler: ({ query, caller }) => page(query, caller),
      }),
      defineRoute({
        ...ofOne,
        method: 'GET',
        forReaders: true,
        summary: 'Get a message with its timeline, attempts and callbacks',
        description: 'While the message waits, `held_by` says why, and `until` when that ends, if it is known.',
        handler: async ({ params: { id }, caller }) => ok('Message.', await detail(id, caller)),
      }),
      defineRoute({
        ...ofOne,
        method: 'DELETE',
        summary: 'Cancel a queued message',
        description: '409 `message_not_cancellable` if the message has been sent or is being sent.',
        errors: [409],
        handler: async ({ params: { id }, caller }) => {
          await findMessage(messages, id, caller)
          await cancelMessage(context, id)
          return ok('Message cancelled.', await detail(id, caller))
        },
      }),
      defineRoute({
        ...ofOne,
        method: 'PATCH',
        summary: 'Change the send time, deadline or priority of a waiting message',
        description:
          'Fields that are omitted keep their values. 409 `message_not_changeable` if the message no longer waits.',
        body: changeMessageRequest,
        handler: async ({ params: { id }, body, caller }) => {
          await findMessage(messages, id, caller)
          await changeMessage(context, id, body)
          return ok('Message changed.', await detail(id, caller))
        },
      }),
      defineRoute({
        ...ofOne,
        method: 'POST',
        path: `${prefix}/messages/{id}/revoke`,
        summary: 'Delete a sent message for everyone',
        description:
          'Only for messages of linked numbers, within two days after sending. The recipient may already have read the message. 409 `message_not_revocable` if it cannot be deleted; `message` says why.',
        handler: async ({ params: { id }, caller }) => {
          await findMessage(messages, id, caller)
          await revokeMessage(context, id)
          return ok('Message deleted for everyone.', await detail(id, caller))
        },
      }),
      defineRoute({
        tag,
        method: 'DELETE',
        path: `${prefix}/messages`,
        auth,
        summary: 'Cancel all queued messages with a reference or of a sender',
        description:
          'At least one of `reference_id` and `sender_code` is required; both are combined with AND. Messages that have been sent or are being sent stay as they are.',
        query: cancelQuery,
        answer: cancelledAnswer,
        handler: async ({ query, caller }) => {
          const { reference_id, sender_code } = query
          if (reference_id === undefined && sender_code === undefined) {
            throw invalidRequest([fieldProblem('reference_id', 'required')])
          }
          const filter = messageFilter(senders, { reference_id, sender_code }, caller)
          const { referenceId, senderId } = filter ?? {}
          const cancelled = filter === undefined ? 0 : await cancelAll(context, { referenceId, senderId })
          return ok(cancelled === 1 ? '1 message cancelled.' : `${cancelled} messages cancelled.`, { cancelled })
        },
      }),
    ]
  }

  return [
    // Must precede the route of one message, whose id could be anything.
    defineRoute({
      tag,
      method: 'GET',
      path: '/api/messages/export.csv',
      auth: 'owner',
      summary: 'Export messages as a CSV table',
      description:
        'Exports all messages that match the filters, as CSV in UTF-8. The response is streamed, so it has no Content-Length.',
      query: exportQuery,
      answer: 'text/csv',
      handler: async ({ query, caller, res }) => {
        beginCsv(res, 'messages')
        await streamCsv(context.store, tableFor(query), messageFilter(senders, query, caller), res)
        return ANSWERED
      },
    }),
    ...readers('', 'key_or_owner'),
    ...readers('/api', 'owner'),
    defineRoute({
      tag,
      method: 'POST',
      path: '/api/messages/{id}/retry',
      auth: 'owner',
      summary: 'Send a failed or cancelled message again',
      description:
        'Queues a new message with the same content, to another phone number if one is given. The old message stays as it is. Only for messages of linked numbers and sandboxes. 409 if the old message may still arrive, or was already sent again.',
      errors: [409],
      params: idParams,
      body: retryRequest,
      bodyOptional: true,
      answer: messageAnswer,
      handler: async ({ params: { id }, body, caller }) => {
        await findMessage(messages, id, caller)
        return ok('Message queued again.', await detail(await sendAgain(context, id, body.phone), caller))
      },
    }),
  ]
}

const MOST_ROWS = 500
const FIRST_ROWS = 10
// Characters of a page. Without this limit, pages of very long texts would be written in one turn
// of the event loop.
const PAGE_LENGTH = 256 * 1024

// All exports share these turns, one page at a time.
const tablePages = createTurns<'table'>(() => Number.POSITIVE_INFINITY)

/** Writes the messages of a filter as a table. Without a filter the table is empty. */
async function streamCsv(
  { messages, senders }: Store,
  table: CsvTable,
  filter: MessageSelection | undefined,
  res: ServerResponse,
): Promise<void> {
  if (filter === undefined) return void res.end(table.head)
  let before: number | undefined
  let limit = FIRST_ROWS
  const nextPage = async () => {
    const rows = await messages.list({ ...filter, before, limit })
    const text = rows.map((message) => table.line(message, senders.codeOf(message.senderId))).join('')
    before = rows.at(-1)?.seq
    const more = rows.length === limit
    const fitting = Math.floor((limit * PAGE_LENGTH) / Math.max(text.length, 1))
    limit = Math.max(1, Math.min(fitting, 2 * limit, MOST_ROWS))
    return { text, more }
  }
  // Sends go on between two pages.
  await writePages(res, table.head, () => tablePages.run('table', nextPage))
}
