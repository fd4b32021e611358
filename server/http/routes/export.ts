import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { messageQuery } from '../../contract/messages.ts'
import { CSV_HEAD, csvLine } from '../../messages/csv.ts'
import type { Store } from '../../store/index.ts'
import type { MessageFilter } from '../../store/sqlite/message-list.ts'
import { ANSWERED, defineRoute, type Route } from '../route.ts'
import { filterOf } from './messages.ts'

const PAGE = 500

/** Writes page after page as fast as the reader takes it: a million rows need no more memory than one page. */
async function stream(store: Store, filter: Omit<MessageFilter, 'limit'>, res: ServerResponse): Promise<void> {
  // Listened for once: every page would leave another listener behind.
  const closed = new Promise((resolve) => res.once('close', resolve))
  let before: number | undefined
  do {
    const rows = store.list.list({ ...filter, before, limit: PAGE })
    const text = rows.map((message) => csvLine(message, store.senders.codeOf(message.senderId))).join('')
    const full = !res.write(text)
    // Sends go on between two pages.
    await (full ? Promise.race([once(res, 'drain'), closed]) : setImmediate())
    before = rows.length < PAGE ? undefined : rows.at(-1)?.seq
  } while (before !== undefined && !res.destroyed)
}

export const exportRoutes = (store: Store): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/messages/export.csv',
    auth: 'owner',
    tag: 'Messages',
    summary: 'All messages that fit the filters, as a table for a spreadsheet',
    query: messageQuery.omit({ limit: true, cursor: true }),
    answer: 'text/csv',
    handler: async ({ query, res }) => {
      const filter = filterOf(store, query, null)
      res.writeHead(200, {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="messages.csv"',
        'cache-control': 'no-store',
      })
      res.write(CSV_HEAD)
      if (filter !== undefined) await stream(store, filter, res)
      res.end()
      return ANSWERED
    },
  }),
]
