import { ApiError } from '../contract/errors.ts'
import {
  type CreateWebhookRequest,
  DEFAULT_EVENTS,
  EVENTS,
  type EventName,
  type UpdateWebhookRequest,
  type WebhookFormat,
  type WebhookView,
} from '../contract/webhooks.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { DAY } from '../lib/time.ts'
import type { Vault } from '../lib/vault.ts'
import { type DeliveryCount, type DeliveryStore, type EndpointRow, type EndpointStore, PLACES } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { type CallbackFormats, createSecret, OWN_FORMAT } from './callback.ts'
import { NO_FAILURE } from './schedule.ts'

// A receiver has so long to learn of a new secret, and needs no more old ones than these.
const REPLACED_SIGNS_FOR = DAY
const MOST_REPLACED = 3
// One transaction each, so that nothing else waits long.
const BATCH = 500

export interface EndpointServiceDeps {
  endpoints: EndpointStore
  deliveries: DeliveryStore
  vault: Vault
  formats: CallbackFormats
  /** Why a target cannot be used; null if it can. */
  refuseTarget: (url: string) => Promise<string | null>
  knownSender: (code: string) => boolean
  bus: Bus
  clock: Clock
  /** By which time what nobody could act on ends. */
  endTime: () => number
}

/** `until`: when the oldest of the replaced secrets ends. */
const tooManySecrets = (until: number, now: number) =>
  new ApiError(
    'conflict',
    `The secret of this webhook was replaced ${MOST_REPLACED} times within 24 hours, and each replaced one signs for 24 hours. The next one is possible from ${isoTime(until)}.`,
    { retry_after: Math.ceil((until - now) / 1000) },
  )

export type EndpointService = ReturnType<typeof createEndpointService>

/** Endpoints as the owner handles them. */
export function createEndpointService(deps: EndpointServiceDeps) {
  const { endpoints, deliveries, vault, formats, bus, clock } = deps

  /** @throws ApiError `not_found` */
  function get(id: string): EndpointRow {
    const endpoint = /^\d{1,15}$/.test(id) ? endpoints.get(Number(id)) : undefined
    if (endpoint === undefined) throw new ApiError('not_found', 'There is no such webhook.')
    return endpoint
  }

  async function viewWith(counts: DeliveryCount[], row: EndpointRow): Promise<WebhookView> {
    const count = (state: DeliveryCount['state']) =>
      counts.find((each) => each.endpointId === row.id && each.state === state)?.count ?? 0
    return {
      id: String(row.id),
      url: row.url,
      format: row.format,
      events: row.events,
      sender_codes: row.senderCodes,
      enabled: row.enabled,
      disabled_reason: row.disabledReason,
      pending: count('pending'),
      dead: count('dead'),
      last_delivered_at: isoTimeOrNull(await deliveries.lastDelivered(row.id)),
      last_error: row.lastError,
      last_error_code: row.lastErrorCode,
      last_error_status: row.lastErrorStatus,
      created_at: isoTime(row.createdAt),
    }
  }

  const view = async (row: EndpointRow): Promise<WebhookView> => viewWith(await deliveries.counts(), row)

  /**
   * Tries now what waits for another attempt: the receiver works again. Resolves with the number.
   */
  async function hasten(id: number): Promise<number> {
    const at = clock.now()
    let hastened = 0
    let batch = BATCH
    while (batch === BATCH) {
      batch = await deliveries.hasten(id, at, BATCH)
      hastened += batch
    }
    bus.emit('deliveries', { endpointId: id })
    return hastened
  }

  /** The events of these that a form has; a form that this version does not know may have all. */
  const withinFormat = (format: string, events: readonly EventName[]): EventName[] =>
    events.filter((event) => formats.get(format)?.events.includes(event) ?? true)

  /** Events of an endpoint that gets another form: where that one has none of them, its default. */
  function eventsFor(format: string, { events }: EndpointRow): EventName[] {
    const kept = withinFormat(format, events)
    return kept.some((event) => event !== 'webhook.test') ? kept : withinFormat(format, DEFAULT_EVENTS)
  }

  async function check(request: UpdateWebhookRequest, before = OWN_FORMAT): Promise<void> {
    const { format = before, events = [] } = request
    if (format !== before && !formats.has(format))
      throw invalidRequest([fieldProblem('format', 'not_one_of', { allowed: [...formats.keys()] })])
    const allowed = withinFormat(format, EVENTS)
    if (events.some((event) => !allowed.includes(event)))
      throw invalidRequest([fieldProblem('events', 'not_one_of', { allowed })])
    const problem = request.url === undefined ? null : await deps.refuseTarget(request.url)
    if (problem !== null) throw invalidRequest([fieldProblem('url', 'address_refused', { reason: problem })])
    const stranger = request.sender_codes?.find((code) => !deps.knownSender(code))
    if (stranger !== undefined)
      throw invalidRequest([fieldProblem('sender_codes', 'unknown_sender', { sender_code: stranger })])
  }

  return {
    get,
    view,
    hasten,
    formats: (): WebhookFormat[] =>
      [...formats].map(([name, { title, events, isOffered }]) => ({
        name,
        title,
        events: [...events],
        offered: isOffered?.() ?? true,
      })),
    async list(): Promise<WebhookView[]> {
      const counts = await deliveries.counts()
      return Promise.all(endpoints.list().map((row) => viewWith(counts, row)))
    },
    /** The secrets that sign now, newest first: a replaced one goes on for a day. */
    secretsOf({ id, secret, replacedSecrets }: EndpointRow): string[] {
      const replaced = replacedSecrets.filter(({ until }) => until > deps.endTime()).map((old) => old.secret)
      return [secret, ...replaced.toReversed()].map((sealed) => vault.open(sealed, PLACES.endpoint(id)).toString())
    },
    async create(request: CreateWebhookRequest): Promise<WebhookView & { secret: string }> {
      await check(request)
      const secret = createSecret()
      const { format = OWN_FORMAT } = request
      const row = await endpoints.add(
        {
          url: request.url,
          format,
          events: request.events ?? withinFormat(format, DEFAULT_EVENTS),
          senderCodes: request.sender_codes ?? null,
          enabled: request.enabled ?? true,
          createdAt: clock.now(),
        },
        (id) => vault.seal(secret, PLACES.endpoint(id)),
      )
      bus.emit('webhook', { id: row.id })
      return { ...(await view(row)), secret }
    },
    async update(id: string, request: UpdateWebhookRequest): Promise<WebhookView> {
      const before = get(id)
      const { id: number } = before
      await check(request, before.format)
      const { url = before.url, format = before.format, events, sender_codes: senderCodes, enabled } = request
      const isAnother = url !== before.url || format !== before.format
      const row = await endpoints.change(number, (now) => ({
        // Failures of the former address or form say nothing about this one.
        ...(isAnother ? { url, format, ...NO_FAILURE } : {}),
        ...(format === now.format ? {} : { events: eventsFor(format, now) }),
        ...(events === undefined ? {} : { events }),
        ...(senderCodes === undefined ? {} : { senderCodes }),
        ...(enabled === undefined ? {} : { enabled, disabledReason: null }),
      }))
      if (isAnother) await hasten(number)
      bus.emit('webhook', { id: number })
      return view(row ?? get(id))
    },
    async remove(id: string): Promise<void> {
      const { id: number } = get(id)
      await endpoints.remove(number)
      bus.emit('webhook', { id: number })
    },
    /** @throws ApiError `conflict` at the fourth within a day */
    async rotate(id: string): Promise<{ id: string; secret: string; previous_valid_until: string }> {
      const { id: number } = get(id)
      const secret = createSecret()
      const now = clock.now()
      const until = now + REPLACED_SIGNS_FOR
      await endpoints.change(number, (endpoint) => {
        const replaced = endpoint.replacedSecrets.filter((old) => old.until > now)
        const [oldest] = replaced
        if (oldest !== undefined && replaced.length >= MOST_REPLACED) throw tooManySecrets(oldest.until, now)
        return {
          secret: vault.seal(secret, PLACES.endpoint(number)),
          replacedSecrets: [...replaced, { secret: endpoint.secret, until }],
        }
      })
      return { id, secret, previous_valid_until: isoTime(until) }
    },
  }
}
