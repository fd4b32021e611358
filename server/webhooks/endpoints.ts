import { ApiError, invalidRequest } from '../contract/errors.ts'
import {
  type CreateWebhookRequest,
  type Delivery,
  EVENTS,
  type EventName,
  type UpdateWebhookRequest,
  type WebhookView,
} from '../contract/webhooks.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { Vault } from '../lib/vault.ts'
import type { Deliveries, DeliveryAttemptRow, DeliveryRow } from '../store/sqlite/deliveries.ts'
import type { EndpointRow, Endpoints } from '../store/sqlite/endpoints.ts'
import { createSecret } from './sign.ts'

const BOTH_SECRETS_FOR = 24 * 3_600_000

export interface WebhookDeps {
  endpoints: Endpoints
  deliveries: Deliveries
  vault: Vault
  /** Why a target cannot be used; null if it can. */
  refuseTarget: (url: string) => Promise<string | null>
  knownSender: (code: string) => boolean
  bus: Bus
  clock: Clock
}

export type WebhookService = ReturnType<typeof createWebhookService>

export const attemptView = (row: DeliveryAttemptRow): Delivery['attempts'][number] => ({
  at: isoTime(row.at),
  status: row.status,
  error: row.error,
  body: row.body,
  took_ms: row.tookMs,
})

/** Receivers of callbacks as the owner handles them. */
export function createWebhookService(deps: WebhookDeps) {
  const { endpoints, deliveries, vault, bus, clock } = deps
  const context = (id: number) => `webhook/${id}`

  function get(id: string): EndpointRow {
    const endpoint = /^\d{1,15}$/.test(id) ? endpoints.get(Number(id)) : undefined
    if (endpoint === undefined) throw new ApiError('not_found', 'There is no such webhook.')
    return endpoint
  }

  function views(rows: EndpointRow[]): WebhookView[] {
    const counts = deliveries.counts()
    const count = (id: number, state: string) =>
      counts.find((row) => row.endpointId === id && row.state === state)?.count ?? 0
    return rows.map((row) => ({
      id: String(row.id),
      url: row.url,
      events: row.events as EventName[],
      sender_codes: row.senderCodes,
      enabled: row.enabled,
      disabled_reason: row.disabledReason,
      pending: count(row.id, 'pending'),
      dead: count(row.id, 'dead'),
      last_delivered_at: isoTimeOrNull(deliveries.lastDelivered(row.id)),
      last_error: row.lastError,
      created_at: isoTime(row.createdAt),
    }))
  }

  const view = (row: EndpointRow): WebhookView => views([row])[0] as WebhookView

  async function check(request: UpdateWebhookRequest): Promise<void> {
    const problem = request.url === undefined ? null : await deps.refuseTarget(request.url)
    if (problem !== null) throw invalidRequest([{ field: 'url', message: problem }])
    const stranger = request.sender_codes?.find((code) => !deps.knownSender(code))
    if (stranger !== undefined)
      throw invalidRequest([{ field: 'sender_codes', message: `there is no sender ${stranger}` }])
  }

  return {
    get,
    view,
    list: (): WebhookView[] => views(endpoints.list()),
    /** The secrets that sign now: two for a day after a rotation. */
    secretsOf(endpoint: EndpointRow): string[] {
      const current = vault.open(endpoint.secret, context(endpoint.id)).toString()
      const { previousSecret, previousUntil } = endpoint
      if (previousSecret === null || previousUntil === null || previousUntil <= clock.now()) return [current]
      return [current, vault.open(previousSecret, context(endpoint.id)).toString()]
    },
    async create(request: CreateWebhookRequest): Promise<WebhookView & { secret: string }> {
      await check(request)
      const secret = createSecret()
      const row = await endpoints.add(
        {
          url: request.url,
          events: request.events ?? [...EVENTS],
          senderCodes: request.sender_codes ?? null,
          enabled: request.enabled ?? true,
          createdAt: clock.now(),
        },
        (id) => vault.seal(secret, context(id)),
      )
      bus.emit('webhook', { id: row.id })
      return { ...view(row), secret }
    },
    async update(id: string, request: UpdateWebhookRequest): Promise<WebhookView> {
      const { id: number } = get(id)
      await check(request)
      const { url, events, sender_codes: senderCodes, enabled } = request
      const row = await endpoints.change(number, {
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events }),
        ...(senderCodes === undefined ? {} : { senderCodes }),
        ...(enabled === undefined ? {} : { enabled, disabledReason: null }),
      })
      bus.emit('webhook', { id: number })
      return view(row ?? get(id))
    },
    async remove(id: string): Promise<void> {
      const { id: number } = get(id)
      await endpoints.remove(number)
      bus.emit('webhook', { id: number })
    },
    async rotate(id: string): Promise<{ id: string; secret: string; previous_valid_until: string }> {
      const endpoint = get(id)
      const secret = createSecret()
      const previousUntil = clock.now() + BOTH_SECRETS_FOR
      await endpoints.change(endpoint.id, {
        secret: vault.seal(secret, context(endpoint.id)),
        previousSecret: endpoint.secret,
        previousUntil,
      })
      return { id, secret, previous_valid_until: isoTime(previousUntil) }
    },
    deliveryView: (row: DeliveryRow): Delivery => ({
      id: String(row.id),
      webhook_id: String(row.endpointId),
      event: row.event as EventName,
      message_id: row.messageId,
      state: row.state,
      next_at: isoTimeOrNull(row.nextAt),
      created_at: isoTime(row.createdAt),
      attempts: deliveries.attempts(row.id).map(attemptView),
    }),
  }
}
