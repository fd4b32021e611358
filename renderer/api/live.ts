import type { QueryClient } from '@tanstack/react-query'
import type { LiveEvent } from '../../server/contract/events.ts'
import type { SenderView } from '../../server/contract/senders.ts'
import { type MessagePages, withRows } from './live-rows.ts'
import type { MessageFilters } from './message-filters.ts'
import { follow, queryKeys, readAgain } from './query-keys.ts'

/** Applies live events to the caches: puts message rows in place, and reads all else again. */
export function applyLive(client: QueryClient, events: LiveEvent[]): void {
  const rows = new Map(events.flatMap((event) => (event.type === 'message' ? [[event.data.id, event.data]] : [])))
  if (rows.size > 0) {
    const senders = client.getQueryData<SenderView[]>(queryKeys.senders) ?? []
    const sandboxes = new Set(senders.filter(({ kind }) => kind === 'sandbox').map(({ sender_code }) => sender_code))
    for (const { queryKey, state, promise } of client.getQueryCache().findAll({ queryKey: queryKeys.messages })) {
      const filters = queryKey[1] as MessageFilters
      const put = () =>
        client.setQueryData<MessagePages>(
          queryKey,
          (pages) => pages && withRows(pages, [...rows.values()], filters, sandboxes),
        )
      put()
      // An answer under way may be older than these rows, so put them in again afterwards.
      if (state.fetchStatus === 'fetching') void promise?.then(put, () => undefined)
    }
    for (const id of rows.keys()) readAgain(client, queryKeys.message(id))
  }
  follow(client, new Set(events.map(({ type }) => type)))
}
