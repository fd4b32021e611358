import { z } from 'zod'
import { type CallbackError, type EventName, eventName } from '../contract/webhooks.ts'
import {
  blob,
  type Columns,
  flag,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  type SqlValue,
  text,
  textOrNull,
  writing,
} from './columns.ts'
import { inserting, overwriting, type Statements } from './statements.ts'

interface EndpointSettings {
  url: string
  /** Name of the callbacks' format, which this version may not know. */
  format: string
  events: EventName[]
  /** Codes of senders; null: every sender. */
  senderCodes: string[] | null
  enabled: boolean
}

interface NewEndpoint extends EndpointSettings {
  createdAt: number
}

export interface EndpointFailure {
  lastError: string | null
  lastErrorCode: CallbackError | null
  /** HTTP status of the answer, for `answered`. */
  lastErrorStatus: number | null
}

interface ChangingEndpoint extends EndpointSettings, EndpointFailure {
  disabledReason: string | null
  /** Sealed. */
  secret: Buffer
  /** Earlier secrets that still sign, oldest first; sealed. */
  replacedSecrets: { secret: Buffer; until: number }[]
  /** When the current run of failures began; null: the last callback was taken. */
  failingSince: number | null
}

type EndpointChange = Partial<ChangingEndpoint>

export interface EndpointRow extends NewEndpoint, ChangingEndpoint {
  id: number
}

/** Reads come from memory, and may be up to a second old in a shared database. */
export interface EndpointStore {
  list(): EndpointRow[]
  get(id: number): EndpointRow | undefined

  /** Adds an endpoint. `seal` gets the new id, because a sealed secret is bound to its row. */
  add(endpoint: NewEndpoint, seal: (id: number) => Buffer): Promise<EndpointRow>
  /**
   * Changes an endpoint. `decide` must be pure. Resolves with undefined if there is no such
   * endpoint.
   */
  change(id: number, decide: (endpoint: EndpointRow) => EndpointChange): Promise<EndpointRow | undefined>
  /** Removes an endpoint with its deliveries; resolves with false if there is none. */
  remove(id: number): Promise<boolean>
}

const replacedSecret = z.object({
  secret: z.string().transform((hex) => Buffer.from(hex, 'hex')),
  until: z.number(),
})

const NEW_ENDPOINT: Columns<NewEndpoint> = {
  url: text('url'),
  format: text('format'),
  events: json('events', z.array(eventName)),
  senderCodes: jsonOrNull('sender_codes', z.array(z.string())),
  enabled: flag('enabled'),
  createdAt: integer('created_at'),
}

const CHANGING_ENDPOINT: Columns<NewEndpoint & ChangingEndpoint> = {
  ...NEW_ENDPOINT,
  disabledReason: textOrNull('disabled_reason'),
  secret: blob('secret'),
  replacedSecrets: {
    ...json('replaced_secrets', z.array(replacedSecret)),
    encode: (list) => JSON.stringify(list.map(({ secret, until }) => ({ secret: secret.toString('hex'), until }))),
  },
  lastError: textOrNull('last_error'),
  lastErrorCode: textOrNull('last_error_code'),
  lastErrorStatus: integerOrNull('last_error_status'),
  failingSince: integerOrNull('failing_since'),
}

export const ENDPOINT: Columns<EndpointRow> = { id: integer('id'), ...CHANGING_ENDPOINT }

/** True if an endpoint gets an event. `senderCode` is null if the event belongs to no sender. */
function isWanting(
  { enabled, disabledReason, events, senderCodes }: EndpointRow,
  event: string,
  senderCode: string | null,
  formerCode: string | undefined,
): boolean {
  // An endpoint that was switched off because its receiver answered 410 gets the event when it is
  // on again.
  if ((!enabled && disabledReason === null) || !events.some((name) => name === event)) return false
  if (senderCodes === null || senderCode === null || senderCodes.includes(senderCode)) return true
  return formerCode !== undefined && senderCodes.includes(formerCode)
}

/** Returns the ids of the endpoints that get an event. */
export const wanting = (
  endpoints: readonly EndpointRow[],
  event: string,
  senderCode: string | null,
  formerCode?: string,
): number[] => endpoints.filter((endpoint) => isWanting(endpoint, event, senderCode, formerCode)).map(({ id }) => id)

/** Inserts an endpoint without its secret, because the secret is sealed with the endpoint's id. */
export const insertEndpoint = inserting('webhook_endpoints', {
  ...writing(NEW_ENDPOINT),
  secret: () => Buffer.alloc(0),
})

export const updateEndpoint = overwriting<EndpointRow>('webhook_endpoints', writing(CHANGING_ENDPOINT))

export type KeptEndpoints = ReturnType<typeof keepEndpoints>

/**
 * Keeps endpoints in memory, because they are few and every status needs them. Changes write the
 * database first.
 */
export function keepEndpoints({ rows, bind, keep }: Statements) {
  let known = new Map<number, EndpointRow>()
  const all = rows(ENDPOINT, 'FROM webhook_endpoints ORDER BY id')
  const { change, reload } = keep('webhook_endpoints', async () => {
    known = new Map((await all()).map((endpoint) => [endpoint.id, endpoint]))
  })
  const remove = bind('DELETE FROM webhook_endpoints WHERE id = $1')
  const reads = {
    list: () => [...known.values()],
    get: (id: number) => known.get(id),
    remove: async (id: number) => (await change(remove(id))) > 0,
  } satisfies Partial<EndpointStore>
  async function added(id: number): Promise<EndpointRow> {
    await reload()
    return known.get(id) ?? Promise.reject(new Error(`endpoint ${id} is not there after it was added`))
  }
  return { reads, reload, added }
}

export interface DeliveryRow {
  id: number
  endpointId: number
  eventSeq: number
  event: EventName
  messageId: string | null
  state: 'pending' | 'delivered' | 'dead'
  tries: number
  /**
   * When the delivery is tried; null: nothing is left to do, or an earlier event of the same
   * message comes first.
   */
  nextAt: number | null
  createdAt: number
}

export interface DeliveryAttempt {
  at: number
  status: number | null
  error: string | null
  /** Null as well if a version without codes wrote the attempt. */
  errorCode: CallbackError | null
  /** First bytes of the answer. */
  body: string | null
  tookMs: number
}

export type DeliveryStep = { state: 'delivered' | 'dead' } | { state: 'pending'; nextAt: number }

export interface DeliveryFilter {
  state?: DeliveryRow['state'] | undefined
  endpointId?: number | undefined
  messageId?: string | undefined
  /** Deliveries older than this id. */
  before?: number | undefined
  limit: number
}

export interface DeliveryCount {
  endpointId: number
  state: 'pending' | 'dead'
  count: number
}

/**
 * The outbox. Of the events of one message, only the oldest unfinished one has a time (`nextAt`),
 * which keeps their order.
 */
export interface DeliveryStore {
  /**
   * Deliveries of one endpoint that are due at `at`. A shared database reserves them for this
   * process until they are recorded.
   */
  due(endpointId: number, at: number, limit: number): Promise<DeliveryRow[]>
  /** When the next delivery after `at` falls due; null: none. */
  nextAfter(endpointId: number, at: number): Promise<number | null>
  get(id: number): Promise<DeliveryRow | undefined>
  attempts(id: number): Promise<DeliveryAttempt[]>
  ofMessage(messageSeq: number): Promise<DeliveryRow[]>
  /** Newest first. */
  list(filter: DeliveryFilter): Promise<DeliveryRow[]>
  counts(): Promise<DeliveryCount[]>
  lastDelivered(endpointId: number): Promise<number | null>

  /**
   * Writes an attempt and its result; the next event of the same message becomes due when this one
   * is finished. A delivery that was begun again meanwhile (its `tries` differ) keeps its state,
   * unless it was delivered.
   */
  record(delivery: DeliveryRow, attempt: DeliveryAttempt, step: DeliveryStep): Promise<void>
  /** Begins a delivery again. Resolves with false if there was nothing to begin again. */
  replay(id: number, at: number): Promise<boolean>
  /**
   * Makes pending deliveries of an endpoint due that were to be tried after `at`, at most `limit`;
   * resolves with their number.
   */
  hasten(endpointId: number, at: number, limit: number): Promise<number>
  /**
   * Ends pending deliveries from before `ms` to endpoints that were switched off automatically, at
   * most `limit`; resolves with their number.
   */
  abandon(ms: number, limit: number): Promise<number>
  /**
   * Begins dead deliveries to enabled endpoints again, of one endpoint or (null) of all: at most
   * `limit`, in the order of their ids, after the id `after`. Resolves with them.
   */
  replayDead(endpointId: number | null, after: number, at: number, limit: number): Promise<DeadDelivery[]>
  /**
   * Forgets dead deliveries of one endpoint, or (null) of all, at most `limit`; resolves with their
   * number.
   */
  discardDead(endpointId: number | null, limit: number): Promise<number>
  /** Forgets deliveries of an endpoint, at most `limit`; resolves with their number. */
  forget(endpointId: number, limit: number): Promise<number>
}

export interface DeadDelivery {
  id: number
  endpointId: number
}

export const DELIVERY: Columns<DeliveryRow> = {
  id: integer('d.id'),
  endpointId: integer('d.endpoint_id'),
  eventSeq: integer('d.event_seq'),
  event: text('e.type'),
  messageId: textOrNull('m.id'),
  state: text('d.state'),
  tries: integer('d.tries'),
  nextAt: integerOrNull('d.next_at'),
  createdAt: integer('d.created_at'),
}
export const FROM_DELIVERIES =
  'FROM webhook_deliveries d JOIN events e ON e.seq = d.event_seq LEFT JOIN messages m ON m.seq = d.message_seq'

const DELIVERY_ATTEMPT: Columns<DeliveryAttempt> = {
  at: integer('at'),
  status: integerOrNull('status'),
  error: textOrNull('error'),
  errorCode: textOrNull('error_code'),
  body: textOrNull('body'),
  tookMs: integer('took_ms'),
}

const DELIVERY_COUNT: Columns<DeliveryCount> = {
  endpointId: integer('endpoint_id'),
  state: text('state'),
  count: integer('count'),
}

/** Returns the SELECT of a list, newest first: its text from FROM on, and its values. */
export function deliveryList(filter: DeliveryFilter): [rest: string, values: SqlValue[]] {
  const values: SqlValue[] = []
  const use = (value: SqlValue) => `$${values.push(value)}`
  const { state, endpointId, messageId, before, limit } = filter
  const conditions = [
    state !== undefined && `d.state = ${use(state)}`,
    endpointId !== undefined && `d.endpoint_id = ${use(endpointId)}`,
    messageId !== undefined && `d.message_seq = (SELECT seq FROM messages WHERE id = ${use(messageId)})`,
    before !== undefined && `d.id < ${use(before)}`,
  ].filter((condition) => condition !== false)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return [`${FROM_DELIVERIES} ${where} ORDER BY d.id DESC LIMIT ${use(limit)}`, values]
}

export function createDeliveries({ rows, one, bind, write }: Statements) {
  const lastDelivered = one({ at: integerOrNull('last_delivered_at') }, 'FROM webhook_endpoints WHERE id = $1')
  const hasten = bind(
    `UPDATE webhook_deliveries SET next_at = $2 WHERE id IN (SELECT id FROM webhook_deliveries
       WHERE endpoint_id = $1 AND state = 'pending' AND next_at > $2 LIMIT $3)`,
  )
  const discardDead = bind(
    `DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries
       WHERE state = 'dead' AND (CAST($1 AS BIGINT) IS NULL OR endpoint_id = $1) LIMIT $2)`,
  )
  const forget = bind(
    'DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 LIMIT $2)',
  )
  return {
    get: one(DELIVERY, `${FROM_DELIVERIES} WHERE d.id = $1`),
    attempts: rows(DELIVERY_ATTEMPT, 'FROM webhook_attempts WHERE delivery_id = $1 ORDER BY id'),
    ofMessage: rows(DELIVERY, `${FROM_DELIVERIES} WHERE d.message_seq = $1 ORDER BY d.id`),
    counts: rows(DELIVERY_COUNT, 'FROM delivery_counts WHERE count > 0'),
    lastDelivered: async (endpointId) => (await lastDelivered(endpointId))?.at ?? null,
    hasten: (endpointId, at, limit) => write(hasten(endpointId, at, limit)),
    discardDead: (endpointId, limit) => write(discardDead(endpointId, limit)),
    forget: (endpointId, limit) => write(forget(endpointId, limit)),
  } satisfies Partial<DeliveryStore>
}
