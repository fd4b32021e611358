import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { z } from 'zod'
import { deliveriesAnswer, deliveryAnswer, replayedAnswer } from '../../server/contract/deliveries.ts'
import { answer } from '../../server/contract/envelope.ts'
import { call, queryString } from './client.ts'

type DeliveryPage = z.infer<typeof deliveriesAnswer>
type DeliveryPages = InfiniteData<DeliveryPage, string | undefined>

/** A callback's success is no live event: what is on its way is looked at again. */
const ON_ITS_WAY_MS = 2_000

const deliveryKey = (id: string) => ['delivery', id] as const

export interface DeliveryFilters {
  state: string | undefined
  webhook_id: string | undefined
}

export const useDeliveries = (filters: DeliveryFilters) =>
  useInfiniteQuery({
    queryKey: ['deliveries', filters],
    queryFn: ({ pageParam, signal }) =>
      call(deliveriesAnswer, `/api/deliveries${queryString({ ...filters, limit: 100, cursor: pageParam })}`, {
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: DeliveryPage) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isMoving(state.data) ? ON_ITS_WAY_MS : false),
  })

const isMoving = (data: DeliveryPages | undefined) =>
  data?.pages[0]?.data.some(({ state }) => state === 'pending') === true

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: deliveryKey(id),
    queryFn: async ({ signal }) => (await call(deliveryAnswer, `/api/deliveries/${id}`, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? ON_ITS_WAY_MS : false),
  })

const TOUCHED = [['deliveries'], ['webhooks'], ['overview'], ['message']]

export function useReplayDelivery(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call(answer(z.unknown()), `/api/deliveries/${id}/replay`, { method: 'POST' }),
    onSettled: () =>
      Promise.all([deliveryKey(id), ...TOUCHED].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

/** Sends again what was given up: of one receiver, or of all. Answers how many. */
export function useReplayDead(webhookId?: string) {
  const client = useQueryClient()
  const body = webhookId === undefined ? {} : { webhook_id: webhookId }
  return useMutation({
    mutationFn: async () =>
      (await call(replayedAnswer, '/api/deliveries/replay-dead', { method: 'POST', body })).data.replayed,
    onSettled: () => Promise.all(TOUCHED.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}
