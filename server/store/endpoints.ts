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
  text,
  textOrNull,
  writing,
} from './columns.ts'
import { inserting, overwriting, type Statements } from './statements.ts'

/** Wishes of the owner about an endpoint. */
interface EndpointSettings {
  url: string
  /** Name of the form of its callbacks, which this version may not know. */
  format: string
  events: EventName[]
  /** Null: every sender. */
  senderCodes: string[] | null
  enabled: boolean
}

/** A receiver of callbacks. */
export interface NewEndpoint extends EndpointSettings {
  createdAt: number
}

/** Why the last callback of an endpoint was not taken. */
export interface EndpointFailure {
  lastError: string | null
  /** Code of `lastError`; null if it has none. */
  lastErrorCode: CallbackError | null
  /** The status of the answer, for `answered`. */
  lastErrorStatus: number | null
}

/** Members of an endpoint that change. */
interface ChangingEndpoint extends EndpointSettings, EndpointFailure {
  disabledReason: string | null
  /** Sealed. */
  secret: Buffer
  /** Earlier ones that still sign, oldest first; sealed. */
  replacedSecrets: { secret: Buffer; until: number }[]
  /** When the first of the failures that go on was; null: the last callback was taken. */
  failingSince: number | null
}

export type EndpointChange = Partial<ChangingEndpoint>

export interface EndpointRow extends NewEndpoint, ChangingEndpoint {
  id: number
}

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

const NEW_ENDPOINT: Columns<NewEndpoint> = {
  url: text('url'),
  format: text('format'),
  events: json('events', z.array(eventName)),
  senderCodes: jsonOrNull('sender_codes', z.array(z.string())),
  enabled: flag('enabled'),
  createdAt: integer('created_at'),
}

const CHANGING: Columns<NewEndpoint & ChangingEndpoint> = {
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

export const ENDPOINT: Columns<EndpointRow> = { id: integer('id'), ...CHANGING }

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

/** A new one without its secret, which is sealed with its id. */
export const insertEndpoint = inserting('webhook_endpoints', {
  ...writing(NEW_ENDPOINT),
  secret: () => Buffer.alloc(0),
})

export const updateEndpoint = overwriting<EndpointRow>('webhook_endpoints', writing(CHANGING))

export type KeptEndpoints = ReturnType<typeof keepEndpoints>

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
  /** The row that was just added; it is in memory from then on. */
  async function added(id: number): Promise<EndpointRow> {
    await reload()
    return known.get(id) ?? Promise.reject(new Error(`endpoint ${id} is not there after it was added`))
  }
  return { reads, reload, added }
}
