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
import { DAY, isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { type DeliveryCount, type EndpointRow, PLACES } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { NO_FAILURE } from './attempt.ts'
import { type CallbackFormats, createSecret, OWN_FORMAT, type WebhookContext } from './callback.ts'

// A receiver has a day to learn a new secret, and at most three old secrets sign meanwhile.
const REPLACED_SIGNS_FOR = DAY
const MOST_REPLACED = 3
/** Most deliveries in one transaction, so that other writes do not wait long. */
const BATCH = 500

/** @param until end of the oldest replaced secret */
const tooManySecrets = (until: number, now: number) =>
  new ApiError(
    'conflict',
    `The secret of this webhook was replaced ${MOST_REPLACED} times within 24 hours, and each replaced one signs for 24 hours. The next one is possible from ${isoTime(until)}.`,
    { retry_after: Math.ceil((until - now) / 1000) },
  )

/** @throws ApiError `not_found` */
export function endpointOf({ store }: WebhookContext, id: string): EndpointRow {
  const endpoint = /^\d{1,15}$/.test(id) ? store.endpoints.get(Number(id)) : undefined
  if (endpoint === undefined) throw unknownEndpoint()
  return endpoint
}

const unknownEndpoint = () => new ApiError('not_found', 'There is no such webhook.')

async function viewWith({ store }: WebhookContext, counts: DeliveryCount[], row: EndpointRow): Promise<WebhookView> {
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
    last_delivered_at: isoTimeOrNull(await store.deliveries.lastDelivered(row.id)),
    last_error: row.lastError,
    last_error_code: row.lastErrorCode,
    last_error_status: row.lastErrorStatus,
    created_at: isoTime(row.createdAt),
  }
}

export const endpointView = async (context: WebhookContext, row: EndpointRow): Promise<WebhookView> =>
  viewWith(context, await context.store.deliveries.counts(), row)

export async function listEndpoints(context: WebhookContext): Promise<WebhookView[]> {
  const counts = await context.store.deliveries.counts()
  return Promise.all(context.store.endpoints.list().map((row) => viewWith(context, counts, row)))
}

export const listFormats = ({ formats }: WebhookContext): WebhookFormat[] =>
  [...formats].map(([name, { title, events, isOffered }]) => ({
    name,
    title,
    events: [...events],
    offered: isOffered?.() ?? true,
  }))

/** Repeats a step until a batch is not full. Resolves with the sum of the steps' results. */
export async function inBatches(step: (limit: number) => Promise<number>): Promise<number> {
  let sum = 0
  for (let batch = BATCH; batch === BATCH; sum += batch) batch = await step(BATCH)
  return sum
}

/** Tries waiting deliveries now. Resolves with their number. */
export async function hasten({ store, bus, clock }: WebhookContext, id: number): Promise<number> {
  const at = clock.now()
  const hastened = await inBatches((limit) => store.deliveries.hasten(id, at, limit))
  bus.emit('deliveries', { endpointId: id })
  return hastened
}

/** Returns the events that a format supports. An unknown format may support all. */
const withinFormat = (formats: CallbackFormats, format: string, events: readonly EventName[]): EventName[] =>
  events.filter((event) => formats.get(format)?.events.includes(event) ?? true)

/** Returns an endpoint's events in a new format: those it supports, or the default events. */
function eventsFor(formats: CallbackFormats, format: string, { events }: EndpointRow): EventName[] {
  const kept = withinFormat(formats, format, events)
  return kept.some((event) => event !== 'webhook.test') ? kept : withinFormat(formats, format, DEFAULT_EVENTS)
}

async function check(
  { store, formats, refuseTarget }: WebhookContext,
  request: UpdateWebhookRequest,
  before = OWN_FORMAT,
): Promise<void> {
  const { format = before, events = [] } = request
  if (format !== before && !formats.has(format))
    throw invalidRequest([fieldProblem('format', 'not_one_of', { allowed: [...formats.keys()] })])
  const allowed = withinFormat(formats, format, EVENTS)
  if (events.some((event) => !allowed.includes(event)))
    throw invalidRequest([fieldProblem('events', 'not_one_of', { allowed })])
  const problem = request.url === undefined ? null : await refuseTarget(request.url)
  if (problem !== null) throw invalidRequest([fieldProblem('url', 'address_refused', { reason: problem })])
  const stranger = request.sender_codes?.find((code) => store.senders.byCode(code) === undefined)
  if (stranger !== undefined)
    throw invalidRequest([fieldProblem('sender_codes', 'unknown_sender', { sender_code: stranger })])
}

/** @throws ApiError `invalid_request` */
export async function addEndpoint(
  context: WebhookContext,
  request: CreateWebhookRequest,
): Promise<WebhookView & { secret: string }> {
  const { store, vault, formats, bus, clock } = context
  await check(context, request)
  const secret = createSecret()
  const { format = OWN_FORMAT } = request
  const row = await store.endpoints.add(
    {
      url: request.url,
      format,
      events: request.events ?? withinFormat(formats, format, DEFAULT_EVENTS),
      senderCodes: request.sender_codes ?? null,
      enabled: request.enabled ?? true,
      createdAt: clock.now(),
    },
    (id) => vault.seal(secret, PLACES.endpoint(id)),
  )
  bus.emit('webhook', { id: row.id })
  return { ...(await endpointView(context, row)), secret }
}

/** @throws ApiError `not_found`, `invalid_request` */
export async function changeEndpoint(
  context: WebhookContext,
  id: string,
  request: UpdateWebhookRequest,
): Promise<WebhookView> {
  const { store, formats, bus } = context
  const before = endpointOf(context, id)
  const { id: number } = before
  await check(context, request, before.format)
  const { events, sender_codes: senderCodes, enabled } = request
  let isAnother = false
  const row = await store.endpoints.change(number, (now) => {
    // Another call may have changed the URL or the format meanwhile.
    const { url = now.url, format = now.format } = request
    isAnother = url !== now.url || format !== now.format
    return {
      // Failures of the former URL or format say nothing about the new one.
      ...(isAnother ? { url, format, ...NO_FAILURE } : {}),
      ...(format === now.format ? {} : { events: eventsFor(formats, format, now) }),
      ...(events === undefined ? {} : { events }),
      ...(senderCodes === undefined ? {} : { senderCodes }),
      ...(enabled === undefined ? {} : { enabled, disabledReason: null }),
    }
  })
  if (isAnother) await hasten(context, number)
  bus.emit('webhook', { id: number })
  return endpointView(context, row ?? endpointOf(context, id))
}

/** @throws ApiError `not_found` */
export async function removeEndpoint(context: WebhookContext, id: string): Promise<void> {
  const { store, bus } = context
  const { id: number } = endpointOf(context, id)
  // Stop new deliveries first.
  await store.endpoints.change(number, () => ({ enabled: false, disabledReason: null }))
  await inBatches((limit) => store.deliveries.forget(number, limit))
  await store.endpoints.remove(number)
  bus.emit('webhook', { id: number })
}

/** @throws ApiError `not_found`, `conflict` at the fourth rotation within a day */
export async function rotateSecret(
  context: WebhookContext,
  id: string,
): Promise<{ id: string; secret: string; previous_valid_until: string | null }> {
  const { store, vault, formats, clock } = context
  const { id: number } = endpointOf(context, id)
  const secret = createSecret()
  const now = clock.now()
  const until = now + REPLACED_SIGNS_FOR
  const row = await store.endpoints.change(number, (endpoint) => {
    const replaced = endpoint.replacedSecrets.filter((old) => old.until > now)
    const [oldest] = replaced
    if (oldest !== undefined && replaced.length >= MOST_REPLACED) throw tooManySecrets(oldest.until, now)
    return {
      secret: vault.seal(secret, PLACES.endpoint(number)),
      replacedSecrets: [...replaced, { secret: endpoint.secret, until }],
    }
  })
  // The endpoint was removed meanwhile.
  if (row === undefined) throw unknownEndpoint()
  // The formats of other gateways have a place for only one signature.
  const isAlone = formats.get(row.format)?.sign !== undefined
  return { id, secret, previous_valid_until: isAlone ? null : isoTime(until) }
}
