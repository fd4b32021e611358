import { z } from 'zod'
import { type CallbackError, type EventName, eventName } from '../contract/webhooks.ts'
import { blob, type Columns, flag, integer, integerOrNull, json, jsonOrNull, text, textOrNull } from './columns.ts'
import { type Bound, bound, type Statements } from './statements.ts'

/** A receiver of callbacks. */
export interface NewEndpoint {
  url: string
  /** Name of the form of its callbacks, which this version may not know. */
  format: string
  events: EventName[]
  /** Null: every sender. */
  senderCodes: string[] | null
  enabled: boolean
  createdAt: number
}

export interface EndpointRow extends NewEndpoint {
  id: number
  disabledReason: string | null
  /** Sealed. */
  secret: Buffer
  /** Earlier ones that still sign, oldest first; sealed. */
  replacedSecrets: { secret: Buffer; until: number }[]
  lastError: string | null
  /** Code of `lastError`; null if it has none. */
  lastErrorCode: CallbackError | null
  /** The status of the answer, for `answered`. */
  lastErrorStatus: number | null
  /** When the first of the failures that go on was; null: the last callback was taken. */
  failingSince: number | null
}

export type EndpointChange = Partial<Omit<EndpointRow, 'id' | 'createdAt'>>

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface EndpointStore {
  list(): EndpointRow[]
  get(id: number): EndpointRow | undefined

  /** `seal` gets the new id, because a sealed secret is bound to its row. */
  add(endpoint: NewEndpoint, seal: (id: number) => Buffer): Promise<EndpointRow>
  /** `decide` is pure; resolves with undefined where there is no such endpoint. */
  change(id: number, decide: (endpoint: EndpointRow) => EndpointChange): Promise<EndpointRow | undefined>
  /** Together with its deliveries. */
  remove(id: number): Promise<boolean>
}

const replacedSecret = z.object({
  secret: z.string().transform((hex) => Buffer.from(hex, 'hex')),
  until: z.number(),
})

export const ENDPOINT: Columns<EndpointRow> = {
  id: integer('id'),
  url: text('url'),
  format: text('format'),
  events: json('events', z.array(eventName)),
  senderCodes: jsonOrNull('sender_codes', z.array(z.string())),
  enabled: flag('enabled'),
  disabledReason: textOrNull('disabled_reason'),
  secret: blob('secret'),
  replacedSecrets: json('replaced_secrets', z.array(replacedSecret)),
  lastError: textOrNull('last_error'),
  lastErrorCode: textOrNull('last_error_code'),
  lastErrorStatus: integerOrNull('last_error_status'),
  failingSince: integerOrNull('failing_since'),
  createdAt: integer('created_at'),
}

/** Columns of an endpoint that was just added. */
export const UNSET_ENDPOINT = {
  disabledReason: null,
  replacedSecrets: [],
  lastError: null,
  lastErrorCode: null,
  lastErrorStatus: null,
  failingSince: null,
} satisfies Partial<EndpointRow>

/** True if an endpoint gets an event; `senderCode` is null where it belongs to no sender. */
function isWanting(
  { enabled, disabledReason, events, senderCodes }: EndpointRow,
  event: string,
  senderCode: string | null,
  formerCode: string | undefined,
): boolean {
  // One that was switched off because its receiver answered 410 gets it when it is on again.
  if ((!enabled && disabledReason === null) || !events.some((name) => name === event)) return false
  if (senderCodes === null || senderCode === null || senderCodes.includes(senderCode)) return true
  return formerCode !== undefined && senderCodes.includes(formerCode)
}

/** Ids of the endpoints that get an event. */
export const wanting = (
  endpoints: readonly EndpointRow[],
  event: string,
  senderCode: string | null,
  formerCode?: string,
): number[] => endpoints.filter((endpoint) => isWanting(endpoint, event, senderCode, formerCode)).map(({ id }) => id)

const listed = (list: readonly string[] | null): string | null => (list === null ? null : JSON.stringify(list))

/** A new one without its secret, which is sealed with its id. */
export const insertEndpoint = ({ url, format, events, senderCodes, enabled, createdAt }: NewEndpoint): Bound =>
  bound(
    `INSERT INTO webhook_endpoints (url, format, events, sender_codes, enabled, secret, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    ...[url, format, JSON.stringify(events), listed(senderCodes), Number(enabled), Buffer.alloc(0), createdAt],
  )

export const updateEndpoint = (endpoint: EndpointRow): Bound =>
  bound(
    `UPDATE webhook_endpoints SET url = $2, format = $3, events = $4, sender_codes = $5, enabled = $6,
       disabled_reason = $7, secret = $8, replaced_secrets = $9, last_error = $10, last_error_code = $11,
       last_error_status = $12, failing_since = $13 WHERE id = $1`,
    ...[endpoint.id, endpoint.url, endpoint.format, JSON.stringify(endpoint.events), listed(endpoint.senderCodes)],
    ...[Number(endpoint.enabled), endpoint.disabledReason, endpoint.secret],
    JSON.stringify(endpoint.replacedSecrets.map(({ secret, until }) => ({ secret: secret.toString('hex'), until }))),
    ...[endpoint.lastError, endpoint.lastErrorCode, endpoint.lastErrorStatus, endpoint.failingSince],
  )

/** Few, and read with every status, so they are kept in memory; the database is written first. */
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
  return { reads, reload }
}
