import { z } from 'zod'
import { ApiError } from '../../contract/errors.ts'
import {
  createWebhookRequest,
  deliveriesAnswer,
  deliveryAnswer,
  deliveryQuery,
  replayDeadRequest,
  replayedAnswer,
  rotatedAnswer,
  testAnswer,
  updateWebhookRequest,
  webhookAnswer,
  webhookCreatedAnswer,
  webhooksAnswer,
} from '../../contract/webhooks.ts'
import type { Bus } from '../../lib/bus.ts'
import type { Deliveries, DeliveryRow } from '../../store/sqlite/deliveries.ts'
import type { Callback, Deliverer } from '../../webhooks/deliverer.ts'
import { attemptView, type WebhookService } from '../../webhooks/endpoints.ts'
import { defineRoute, list, ok, type Route } from '../route.ts'
import { done } from './shared.ts'

export interface WebhookRouteDeps {
  webhooks: WebhookService
  deliveries: Deliveries
  deliverer: Pick<Deliverer, 'test'>
  callbackOf: (delivery: DeliveryRow) => Callback | undefined
  /** Writes a `webhook.test` event for one endpoint; returns its delivery. */
  addTest: (endpointId: number) => Promise<number>
  bus: Bus
  now: () => number
}

const params = z.object({ id: z.string() })
const owner = { auth: 'owner', tag: 'Webhooks' } as const
const number = (id: string | undefined): number | undefined => (id === undefined ? undefined : Number(id) || 0)

export function webhookRoutes({
  webhooks,
  deliveries,
  deliverer,
  callbackOf,
  addTest,
  bus,
  now,
}: WebhookRouteDeps): Route[] {
  function find(id: string): DeliveryRow {
    const row = deliveries.get(number(id) ?? 0)
    if (row === undefined) throw new ApiError('not_found', 'There is no such delivery.')
    return row
  }

  const detail = (row: DeliveryRow) => {
    const callback = callbackOf(row)
    return {
      ...webhooks.deliveryView(row),
      url: webhooks.get(String(row.endpointId)).url,
      request: callback === undefined ? null : (JSON.parse(callback.body) as unknown),
    }
  }

  return [
    defineRoute({
      ...owner,
      method: 'POST',
      path: '/api/webhooks',
      summary: 'Add a receiver of callbacks',
      body: createWebhookRequest,
      answer: webhookCreatedAnswer,
      handler: async ({ body }) => ok('Webhook added. Its secret is shown this once.', await webhooks.create(body)),
    }),
    defineRoute({
      ...owner,
      method: 'GET',
      path: '/api/webhooks',
      summary: 'List receivers of callbacks',
      answer: webhooksAnswer,
      handler: () => ok('Webhooks.', webhooks.list()),
    }),
    defineRoute({
      ...owner,
      method: 'GET',
      path: '/api/webhooks/{id}',
      summary: 'One receiver',
      params,
      answer: webhookAnswer,
      handler: ({ params: { id } }) => ok('Webhook.', webhooks.view(webhooks.get(id))),
    }),
    defineRoute({
      ...owner,
      method: 'PATCH',
      path: '/api/webhooks/{id}',
      summary: 'Change a receiver, or switch it on or off',
      params,
      body: updateWebhookRequest,
      answer: webhookAnswer,
      handler: async ({ params: { id }, body }) => ok('Webhook saved.', await webhooks.update(id, body)),
    }),
    defineRoute({
      ...owner,
      method: 'DELETE',
      path: '/api/webhooks/{id}',
      summary: 'Delete a receiver and its deliveries',
      params,
      answer: done,
      handler: async ({ params: { id } }) => {
        await webhooks.remove(id)
        return ok('Webhook deleted.', {})
      },
    }),
    defineRoute({
      ...owner,
      method: 'POST',
      path: '/api/webhooks/{id}/test',
      summary: 'Send a test callback now and show its answer',
      params,
      answer: testAnswer,
      handler: async ({ params: { id } }) => {
        const endpoint = webhooks.get(id)
        const delivery = find(String(await addTest(endpoint.id)))
        const attempt = await deliverer.test(delivery)
        const message =
          attempt.status === null ? `No answer: ${attempt.error}` : `The receiver answered ${attempt.status}.`
        return ok(message, { delivery_id: String(delivery.id), webhook_id: id, attempt: attemptView(attempt) })
      },
    }),
    defineRoute({
      ...owner,
      method: 'POST',
      path: '/api/webhooks/{id}/rotate-secret',
      summary: 'Make a new secret; both sign for 24 hours',
      params,
      answer: rotatedAnswer,
      handler: async ({ params: { id } }) => ok('New secret. It is shown this once.', await webhooks.rotate(id)),
    }),
    defineRoute({
      ...owner,
      method: 'GET',
      path: '/api/deliveries',
      summary: 'List callbacks and what became of them',
      query: deliveryQuery,
      answer: deliveriesAnswer,
      handler: ({ query }) => {
        const rows = deliveries.list({
          state: query.state,
          endpointId: number(query.webhook_id),
          messageId: query.message_id,
          before: number(query.cursor),
          limit: query.limit + 1,
        })
        const page = rows.slice(0, query.limit)
        return list(page.map(webhooks.deliveryView), rows.length > page.length ? String(page.at(-1)?.id) : null)
      },
    }),
    defineRoute({
      ...owner,
      method: 'POST',
      path: '/api/deliveries/replay-dead',
      summary: 'Send all callbacks again that were given up',
      body: replayDeadRequest,
      bodyOptional: true,
      answer: replayedAnswer,
      handler: async ({ body }) => {
        const replayed = await deliveries.replayDead(number(body.webhook_id) ?? null, now())
        for (const { id } of webhooks.list()) bus.emit('deliveries', { endpointId: Number(id) })
        return ok(`${replayed} callbacks are sent again.`, { replayed })
      },
    }),
    defineRoute({
      ...owner,
      method: 'GET',
      path: '/api/deliveries/{id}',
      summary: 'One callback with its body and attempts',
      params,
      answer: deliveryAnswer,
      handler: ({ params: { id } }) => ok('Delivery.', detail(find(id))),
    }),
    defineRoute({
      ...owner,
      method: 'POST',
      path: '/api/deliveries/{id}/replay',
      summary: 'Send a callback again',
      params,
      answer: deliveryAnswer,
      handler: async ({ params: { id } }) => {
        const row = find(id)
        if (!webhooks.get(String(row.endpointId)).enabled) {
          throw new ApiError('conflict', 'This webhook is switched off. Switch it on first.')
        }
        await deliveries.replay(row.id, now())
        bus.emit('deliveries', { endpointId: row.endpointId })
        return ok('Callback is sent again.', detail(find(id)))
      },
    }),
  ]
}
