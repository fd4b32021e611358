import type { QueryClient } from '@tanstack/react-query'
import type { LiveEvent } from '../../server/contract/live.ts'
import type { MessageRow } from '../../server/contract/messages.ts'
import { type MessageFilters, matches } from '../lib/message-filters.ts'
import { type MessagePage, type MessagePages, messageKey } from './messages.ts'

/** Brings what just happened into the caches: rows are put in place, everything else is read again. */
export function applyLive(client: QueryClient, events: LiveEvent[]): void {
  const rows = new Map(events.flatMap((event) => (event.type === 'message' ? [[event.data.id, event.data]] : [])))
  if (rows.size > 0) {
    for (const [key, pages] of client.getQueriesData<MessagePages>({ queryKey: ['messages'] })) {
      const filters = key[1] as MessageFilters
      if (pages !== undefined) client.setQueryData<MessagePages>(key, withRows(pages, [...rows.values()], filters))
    }
    for (const id of rows.keys()) refresh(client, messageKey(id))
  }
  for (const topic of new Set(events.map((event) => event.type))) {
    for (const key of TOUCHED[topic]) refresh(client, [key])
  }
}

const TOUCHED: Record<LiveEvent['type'], string[]> = {
  message: ['overview', 'senders', 'deliveries', 'webhooks'],
  sender: ['senders', 'overview', 'templates'],
  webhook: ['webhooks', 'deliveries', 'delivery', 'message', 'overview'],
  settings: ['settings'],
}

const refresh = (client: QueryClient, queryKey: readonly string[]) => void client.invalidateQueries({ queryKey })

/** Ids are UUIDv7: a greater id is a newer message, so rows find their place without asking the server. */
export function withRows(pages: MessagePages, rows: MessageRow[], filters: MessageFilters): MessagePages {
  return rows.reduce((current, row) => withRow(current, row, matches(row, filters)), pages)
}

function withRow(pages: MessagePages, row: MessageRow, wanted: boolean): MessagePages {
  const at = pages.pages.findIndex((page) => holds(page, row.id))
  const page = pages.pages[at]
  if (page === undefined) return pages
  const others = page.data.filter((other) => other.id !== row.id)
  if (!wanted && others.length === page.data.length) return pages
  const place = others.findIndex((other) => other.id < row.id)
  const data = wanted ? others.toSpliced(place === -1 ? others.length : place, 0, row) : others
  return { ...pages, pages: pages.pages.with(at, { ...page, data }) }
}

/** A page reaches down to its last row; the last page of all reaches down to the beginning. */
function holds(page: MessagePage, id: string): boolean {
  const last = page.data.at(-1)
  return page.next_cursor === null || (last !== undefined && last.id <= id)
}
