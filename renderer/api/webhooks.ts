import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { testAnswer } from '../../server/contract/deliveries.ts'
import { answer } from '../../server/contract/envelope.ts'
import {
  type CreateWebhookRequest,
  rotatedAnswer,
  type UpdateWebhookRequest,
  webhookAnswer,
  webhookCreatedAnswer,
  webhooksAnswer,
} from '../../server/contract/webhooks.ts'
import { call } from './client.ts'

const queryKey = ['webhooks'] as const
const path = (id: string) => `/api/webhooks/${id}`

export const useWebhooks = () =>
  useQuery({ queryKey, queryFn: async ({ signal }) => (await call(webhooksAnswer, '/api/webhooks', { signal })).data })

/** A change to receivers; they and their deliveries are read again before the promise ends. */
function useWebhookChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () =>
      Promise.all(
        [queryKey, ['deliveries'], ['overview']].map((touched) => client.invalidateQueries({ queryKey: touched })),
      ),
  })
}

/** The answer holds the secret, which is never told again. */
export const useCreateWebhook = () =>
  useWebhookChange(
    async (body: CreateWebhookRequest) =>
      (await call(webhookCreatedAnswer, '/api/webhooks', { method: 'POST', body })).data,
  )

export const useUpdateWebhook = (id: string) =>
  useWebhookChange((body: UpdateWebhookRequest) => call(webhookAnswer, path(id), { method: 'PATCH', body }))

export const useDeleteWebhook = (id: string) =>
  useWebhookChange<void, unknown>(() => call(answer(z.unknown()), path(id), { method: 'DELETE' }))

/** Calls the receiver now; the answer tells what it said. */
export const useTestWebhook = (id: string) =>
  useWebhookChange<void, z.infer<typeof testAnswer>['data']>(
    async () => (await call(testAnswer, `${path(id)}/test`, { method: 'POST' })).data,
  )

export const useRotateSecret = (id: string) =>
  useWebhookChange<void, z.infer<typeof rotatedAnswer>['data']>(
    async () => (await call(rotatedAnswer, `${path(id)}/rotate-secret`, { method: 'POST' })).data,
  )
