import type { z } from 'zod'
import type { Delivery, deliveryDetail } from '../contract/deliveries.ts'
import { ApiError } from '../contract/errors.ts'
import type { Bus } from '../lib/bus.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type {
  DeliveryAttempt,
  DeliveryFilter,
  DeliveryRow,
  DeliveryStore,
  EndpointRow,
  EventStore,
  NewEvent,
} from '../store/index.ts'
import type { Callback, CallbackCall } from './callback.ts'
import type { Deliverer } from './deliverer.ts'
import type { EndpointService } from './endpoints.ts'

export interface DeliveryServiceDeps {
  deliveries: DeliveryStore
  events: EventStore
  endpoints: Pick<EndpointService, 'get' | 'hasten'>
  deliverer: Pick<Deliverer, 'test'>
  callbackOf: (delivery: DeliveryRow) => Promise<Callback | undefined>
  bus: Bus
  now: () => number
}

export type DeliveryService = ReturnType<typeof createDeliveryService>

type Attempt = Delivery['attempts'][number]

/** The content of a call as the owner reads it: some forms are no JSON, or have no body. */
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

/** Callbacks as the owner handles them: what became of them, sending them again, a test. */
export function createDeliveryService(deps: DeliveryServiceDeps) {
  const { deliveries, endpoints, bus, now } = deps

  /** @throws ApiError `not_found` */
  async function find(id: number): Promise<DeliveryRow> {
    const row = await deliveries.get(id)
    if (row === undefined) throw new ApiError('not_found', 'There is no such delivery.')
    return row
  }

  /** @throws ApiError `not_found`, `conflict` while it is off */
  function switchedOn(webhookId: string): EndpointRow {
    const endpoint = endpoints.get(webhookId)
    if (endpoint.enabled) return endpoint
    throw new ApiError('conflict', 'This webhook is switched off. Switch it on first.')
  }

  const view = async (row: DeliveryRow): Promise<Delivery> => ({
    id: String(row.id),
    webhook_id: String(row.endpointId),
    event: row.event,
    message_id: row.messageId,
    state: row.state,
    next_at: isoTimeOrNull(row.nextAt),
    created_at: isoTime(row.createdAt),
    attempts: (await deliveries.attempts(row.id)).map(attemptView),
  })

  async function detail(id: number): Promise<z.infer<typeof deliveryDetail>> {
    const row = await find(id)
    const callback = row.event === 'message.received' ? undefined : await deps.callbackOf(row)
    return {
      ...(await view(row)),
      url: endpoints.get(String(row.endpointId)).url,
      request: callback === undefined || 'error' in callback ? null : readable(callback.call),
    }
  }

  return {
    detail,
    list: async (filter: DeliveryFilter): Promise<Delivery[]> => Promise.all((await deliveries.list(filter)).map(view)),
    /** @throws ApiError `conflict` while the endpoint is off */
    async replay(id: number): Promise<void> {
      const row = await find(id)
      const { id: endpointId } = switchedOn(String(row.endpointId))
      if (row.event === 'message.received' && (await deps.callbackOf(row)) === undefined) {
        throw new ApiError('conflict', 'What the customer wrote is not kept any more, so it cannot be sent again.')
      }
      await deliveries.replay(id, now())
      bus.emit('deliveries', { endpointId })
    },
    /**
     * Dead ones of one endpoint, or of all that are on; resolves with how many.
     * @throws ApiError `conflict` while that one is off
     */
    async replayDead(webhookId: string | undefined): Promise<number> {
      const replayed = await deliveries.replayDead(webhookId === undefined ? null : switchedOn(webhookId).id, now())
      for (const id of new Set(replayed)) bus.emit('deliveries', { endpointId: id })
      return replayed.length
    },
    /**
     * Forgets dead ones of one endpoint, or of all; resolves with how many.
     * @throws ApiError `not_found`
     */
    async discardDead(webhookId: string | undefined): Promise<number> {
      const endpointId = webhookId === undefined ? null : endpoints.get(webhookId).id
      const discarded = await deliveries.discardDead(endpointId)
      if (endpointId !== null) bus.emit('webhook', { id: endpointId })
      return discarded
    },
    /**
     * Tries now what waits for another attempt; resolves with how many.
     * @throws ApiError `conflict` while it is off
     */
    async deliverNow(webhookId: string): Promise<number> {
      return endpoints.hasten(switchedOn(webhookId).id)
    },
    /** Sends a test callback now. */
    async test(webhookId: string): Promise<{ deliveryId: number; attempt: Attempt }> {
      const { id: endpointId } = endpoints.get(webhookId)
      const event: NewEvent = {
        type: 'webhook.test',
        messageSeq: null,
        senderCode: null,
        at: now(),
        data: { webhook_id: webhookId },
      }
      let deliveryId = 0
      const attempt = await deps.deliverer.test(endpointId, async () => {
        deliveryId = await deps.events.addFor(endpointId, event)
        return find(deliveryId)
      })
      const { status } = attempt
      if (status !== null && status >= 200 && status < 300) await endpoints.hasten(endpointId)
      return { deliveryId, attempt: attemptView(attempt) }
    },
  }
}
