import type { QueryClient } from '@tanstack/react-query'
import type { LiveEvent } from '../../server/contract/events.ts'
import { type MessagePages, withRows } from './live-rows.ts'
import type { MessageFilters } from './message-filters.ts'
import { messageKey } from './messages.ts'

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
