import type { CallbackError, EventName } from '../contract/webhooks.ts'

/** A receiver of callbacks. */
export interface EndpointRow {
  id: number
  url: string
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

export type NewEndpoint = Pick<EndpointRow, 'url' | 'events' | 'senderCodes' | 'enabled' | 'createdAt'>
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
