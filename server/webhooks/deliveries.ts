import type { z } from 'zod'
import { ApiError } from '../contract/errors.ts'
import type { Delivery, deliveryDetail } from '../contract/webhooks.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { DeliveryAttempt, DeliveryFilter, DeliveryRow, EndpointRow, NewEvent } from '../store/index.ts'
import { isTaken } from './attempt.ts'
import { type CallbackCall, callbackOf, type WebhookContext } from './callback.ts'
import type { Deliverer } from './deliverer.ts'
import { endpointOf, hasten, inBatches } from './endpoints.ts'

export interface DeliveryContext extends WebhookContext {
  deliverer: Deliverer
}

type Attempt = Delivery['attempts'][number]

/** Returns the content of a call for the owner. Some formats are not JSON or have no body. */
function readable({ method, query, contentType, body }: CallbackCall): unknown {
  if (method === 'GET') return query
  return contentType === undefined ? JSON.parse(body) : body
}

const attemptView = (row: DeliveryAttempt): Attempt => ({
  at: isoTime(row.at),
  status: row.status,
  error: row.error,
  error_code: row.errorCode,
  body: row.body,
  took_ms: row.tookMs,
})

/** @throws ApiError `not_found` */
async function findDelivery({ store }: DeliveryContext, id: number): Promise<DeliveryRow> {
  const row = await store.deliveries.get(id)
  if (row === undefined) throw new ApiError('not_found', 'There is no such delivery.')
  return row
}

/** @throws ApiError `not_found`, `conflict` while the endpoint is off */
function switchedOn(context: DeliveryContext, webhookId: string): EndpointRow {
  const endpoint = endpointOf(context, webhookId)
  if (endpoint.enabled) return endpoint
  throw new ApiError('conflict', 'This webhook is switched off. Switch it on first.')
}

const deliveryView = async ({ store }: DeliveryContext, row: DeliveryRow): Promise<Delivery> => ({
  id: String(row.id),
  webhook_id: String(row.endpointId),
  event: row.event,
  message_id: row.messageId,
  state: row.state,
  next_at: isoTimeOrNull(row.nextAt),
  created_at: isoTime(row.createdAt),
  attempts: (await store.deliveries.attempts(row.id)).map(attemptView),
})

export async function listDeliveries(context: DeliveryContext, filter: DeliveryFilter): Promise<Delivery[]> {
  const rows = await context.store.deliveries.list(filter)
  return Promise.all(rows.map((row) => deliveryView(context, row)))
}

/** @throws ApiError `not_found` */
export async function readDelivery(context: DeliveryContext, id: number): Promise<z.infer<typeof deliveryDetail>> {
  const row = await findDelivery(context, id)
  const callback = row.event === 'message.received' ? undefined : await callbackOf(context, row)
  return {
    ...(await deliveryView(context, row)),
    url: endpointOf(context, String(row.endpointId)).url,
    request: callback === undefined || 'error' in callback ? null : readable(callback.call),
  }
}

/** @throws ApiError `not_found`, `conflict` while the endpoint is off */
export async function replayDelivery(context: DeliveryContext, id: number): Promise<void> {
  const { store, bus, clock } = context
  const row = await findDelivery(context, id)
  const { id: endpointId } = switchedOn(context, String(row.endpointId))
  if (row.event === 'message.received' && (await callbackOf(context, row)) === undefined) {
    throw new ApiError('conflict', 'What the customer wrote is not kept any more, so it cannot be sent again.')
  }
  await store.deliveries.replay(id, clock.now())
  bus.emit('deliveries', { endpointId })
}

/**
 * Sends dead deliveries again, of one endpoint or of all enabled ones. Resolves with their number.
 * @throws ApiError `not_found`, `conflict` while the one endpoint is off
 */
export async function replayDead(context: DeliveryContext, webhookId: string | undefined): Promise<number> {
  const { store, bus, clock } = context
  const only = webhookId === undefined ? null : switchedOn(context, webhookId).id
  const at = clock.now()
  const endpointIds = new Set<number>()
  let after = 0
  const replayed = await inBatches(async (limit) => {
    const rows = await store.deliveries.replayDead(only, after, at, limit)
    after = rows.at(-1)?.id ?? after
    for (const { endpointId } of rows) endpointIds.add(endpointId)
    return rows.length
  })
  for (const endpointId of endpointIds) bus.emit('deliveries', { endpointId })
  return replayed
}

/**
 * Deletes dead deliveries of one endpoint or of all. Resolves with their number.
 * @throws ApiError `not_found`
 */
export async function discardDead(context: DeliveryContext, webhookId: string | undefined): Promise<number> {
  const endpointId = webhookId === undefined ? null : endpointOf(context, webhookId).id
  const discarded = await inBatches((limit) => context.store.deliveries.discardDead(endpointId, limit))
  if (endpointId !== null) context.bus.emit('webhook', { id: endpointId })
  return discarded
}

/**
 * Tries waiting deliveries now. Resolves with their number.
 * @throws ApiError `not_found`, `conflict` while the endpoint is off
 */
export const deliverNow = async (context: DeliveryContext, webhookId: string): Promise<number> =>
  hasten(context, switchedOn(context, webhookId).id)

/** Sends a test callback now. @throws ApiError `not_found` */
export async function testWebhook(
  context: DeliveryContext,
  webhookId: string,
): Promise<{ deliveryId: number; attempt: Attempt }> {
  const { store, deliverer, clock } = context
  const { id: endpointId } = endpointOf(context, webhookId)
  const event: NewEvent = {
    type: 'webhook.test',
    messageSeq: null,
    senderCode: null,
    at: clock.now(),
    data: { webhook_id: webhookId },
  }
  let deliveryId = 0
  const attempt = await deliverer.test(endpointId, async () => {
    deliveryId = await store.events.addFor(endpointId, event)
    return findDelivery(context, deliveryId)
  })
  if (isTaken(attempt.status)) await hasten(context, endpointId)
  return { deliveryId, attempt: attemptView(attempt) }
}
