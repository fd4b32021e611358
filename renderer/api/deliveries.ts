import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { answer } from '../../server/contract/envelope.ts'
import { deliveryAnswer } from '../../server/contract/webhooks.ts'
import { call } from './client.ts'

const deliveryKey = (id: string) => ['delivery', id] as const

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: deliveryKey(id),
    queryFn: async ({ signal }) => (await call(deliveryAnswer, `/api/deliveries/${id}`, { signal })).data,
  })

export function useReplayDelivery(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call(answer(z.unknown()), `/api/deliveries/${id}/replay`, { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: deliveryKey(id) }),
  })
}
