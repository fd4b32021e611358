import { useQuery } from '@tanstack/react-query'
import { testAnswer } from '../../server/contract/deliveries.ts'
import {
  type CreateWebhookRequest,
  rotatedAnswer,
  type UpdateWebhookRequest,
  webhookAnswer,
  webhookCreatedAnswer,
  webhooksAnswer,
} from '../../server/contract/webhooks.ts'
import { call, done } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

const path = (id: string) => `/api/webhooks/${id}`

export const useWebhooks = () =>
  useQuery({
    queryKey: queryKeys.webhooks,
    queryFn: async ({ signal }) => (await call(webhooksAnswer, '/api/webhooks', { signal })).data,
  })

/** The answer holds the secret, which is never shown again. */
export const useCreateWebhook = () =>
  useChange(
    'webhook',
    async (body: CreateWebhookRequest) =>
      (await call(webhookCreatedAnswer, '/api/webhooks', { method: 'POST', body })).data,
  )

export const useUpdateWebhook = (id: string) =>
  useChange('webhook', (body: UpdateWebhookRequest) => call(webhookAnswer, path(id), { method: 'PATCH', body }))

export const useDeleteWebhook = (id: string) => useChange('webhook', () => call(done, path(id), { method: 'DELETE' }))

/** Calls the endpoint now; the answer holds what it answered. */
export const useTestWebhook = (id: string) =>
  useChange('webhook', async () => (await call(testAnswer, `${path(id)}/test`, { method: 'POST' })).data)

export const useRotateSecret = (id: string) =>
  useChange('webhook', async () => (await call(rotatedAnswer, `${path(id)}/rotate-secret`, { method: 'POST' })).data)
