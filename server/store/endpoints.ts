import { z } from 'zod'
import { type CallbackError, type EventName, eventName } from '../contract/webhooks.ts'
import { blob, type Columns, flag, integer, integerOrNull, json, jsonOrNull, text, textOrNull } from './columns.ts'

/** A receiver of callbacks. */
export interface EndpointRow {
  id: number
  url: string
  /** Name of the form of its callbacks, which this version may not know. */
  format: string
  events: EventName[]
  /** Null: every sender. */
  senderCodes: string[] | null
  enabled: boolean
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
  createdAt: number
}

export type NewEndpoint = Pick<EndpointRow, 'url' | 'format' | 'events' | 'senderCodes' | 'enabled' | 'createdAt'>
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
  createdAt: integer('created_at'),
}

/** Columns of an endpoint that was just added. */
export const UNSET_ENDPOINT = {
  disabledReason: null,
  replacedSecrets: [],
  lastError: null,
  lastErrorCode: null,
  lastErrorStatus: null,
} satisfies Partial<EndpointRow>

type Stored = Pick<EndpointRow, 'events' | 'senderCodes' | 'enabled'> & Partial<Pick<EndpointRow, 'replacedSecrets'>>

/** Its columns as they are stored. */
export const storedEndpoint = ({ events, senderCodes, enabled, replacedSecrets = [] }: Stored) => ({
  events: JSON.stringify(events),
  senderCodes: senderCodes === null ? null : JSON.stringify(senderCodes),
  enabled: Number(enabled),
  replacedSecrets: JSON.stringify(
    replacedSecrets.map(({ secret, until }) => ({ secret: secret.toString('hex'), until })),
  ),
})

/** True if an endpoint gets an event; `senderCode` is null where it belongs to no sender. */
export function isWanting(
  { enabled, disabledReason, events, senderCodes }: EndpointRow,
  event: string,
  senderCode: string | null,
): boolean {
  // One that was switched off because its receiver answered 410 gets it when it is on again.
  if ((!enabled && disabledReason === null) || !events.some((name) => name === event)) return false
  return senderCodes === null || senderCode === null || senderCodes.includes(senderCode)
}
