import { useQuery } from '@tanstack/react-query'
import {
  type CreateWebhookRequest,
  deliverNowAnswer,
  rotatedAnswer,
  testAnswer,
  type UpdateWebhookRequest,
  webhookAnswer,
  webhookCreatedAnswer,
  webhookFormatsAnswer,
  webhooksAnswer,
} from '../../server/contract/webhooks.ts'
import { call, done } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

const path = (id: string) => `/api/webhooks/${id}`

/** Milliseconds between reads while deliveries are pending: their success is no live event. */
const WHILE_PENDING = 2_000

export const useWebhooks = () =>
  useQuery({
    queryKey: queryKeys.webhooks,
    queryFn: async ({ signal }) => (await call(webhooksAnswer, '/api/webhooks', { signal })).data,
    refetchInterval: ({ state }) => (state.data?.some(({ pending }) => pending > 0) === true ? WHILE_PENDING : false),
  })

/** Formats of callbacks, Kurir's own first. */
export const useWebhookFormats = () =>
  useQuery({
    queryKey: queryKeys.webhookFormats,
    queryFn: async ({ signal }) => (await call(webhookFormatsAnswer, '/api/webhooks/formats', { signal })).data,
  })

/** Tries the waiting deliveries of an endpoint now. Resolves with their number. */
export const useDeliverNow = (id: string) =>
  useChange(
    'webhook',
    async () => (await call(deliverNowAnswer, `${path(id)}/deliver-now`, { method: 'POST' })).data.hastened,
  )

/** Resolves with the secret, which is never shown again. */
export const useCreateWebhook = () =>
  useChange(
    'webhook',
    async (body: CreateWebhookRequest) =>
      (await call(webhookCreatedAnswer, '/api/webhooks', { method: 'POST', body })).data,
  )

export const useUpdateWebhook = (id: string) =>
  useChange('webhook', (body: UpdateWebhookRequest) => call(webhookAnswer, path(id), { method: 'PATCH', body }))

export const useDeleteWebhook = (id: string) => useChange('webhook', () => call(done, path(id), { method: 'DELETE' }))

/** Calls the endpoint now. Resolves with what the endpoint answered. */
export const useTestWebhook = (id: string) =>
  useChange('webhook', async () => (await call(testAnswer, `${path(id)}/test`, { method: 'POST' })).data)

export const useRotateSecret = (id: string) =>
  useChange('webhook', async () => (await call(rotatedAnswer, `${path(id)}/rotate-secret`, { method: 'POST' })).data)
