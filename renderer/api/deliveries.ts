import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { deliveriesAnswer, deliveryAnswer, discardedAnswer, replayedAnswer } from '../../server/contract/webhooks.ts'
import { call, done, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

type DeliveryPage = z.infer<typeof deliveriesAnswer>
type DeliveryPages = InfiniteData<DeliveryPage, string | undefined>

/** Milliseconds between reads while a delivery is pending: its success is no live event. */
const WHILE_PENDING = 2_000
const PAGE = 100

export type DeliveryFilters = Record<'state' | 'webhook_id', string | undefined>

export const useDeliveries = (filters: DeliveryFilters) =>
  useInfiniteQuery({
    queryKey: queryKeys.deliveryList(filters),
    queryFn: ({ pageParam, signal }) =>
      call(deliveriesAnswer, `/api/deliveries${queryString({ ...filters, limit: PAGE, cursor: pageParam })}`, {
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: DeliveryPage) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (somePending(state.data) ? WHILE_PENDING : false),
  })

const somePending = (data: DeliveryPages | undefined) =>
  data?.pages.some((page) => page.data.some(({ state }) => state === 'pending')) === true

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: queryKeys.delivery(id),
    queryFn: async ({ signal }) => (await call(deliveryAnswer, `/api/deliveries/${id}`, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? WHILE_PENDING : false),
  })

export const useReplayDelivery = (id: string) =>
  useChange('webhook', () => call(done, `/api/deliveries/${id}/replay`, { method: 'POST' }))

/** Sends dead deliveries again, of one endpoint or of all. Resolves with their number. */
export const useReplayDead = (webhookId?: string) =>
  useChange('webhook', async () => {
    const body = webhookId === undefined ? {} : { webhook_id: webhookId }
    return (await call(replayedAnswer, '/api/deliveries/replay-dead', { method: 'POST', body })).data.replayed
  })

/** Discards the dead deliveries of one endpoint. Resolves with their number. */
export const useDiscardDead = (webhookId: string) =>
  useChange('webhook', async () => {
    const body = { webhook_id: webhookId }
    return (await call(discardedAnswer, '/api/deliveries/discard-dead', { method: 'POST', body })).data.discarded
  })
