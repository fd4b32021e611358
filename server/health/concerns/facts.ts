import type { Concern, ConcernCode } from '../../contract/concerns.ts'
import type { FailureCode } from '../../contract/failures.ts'
import type { ConnectionState, FirstContacts } from '../../contract/senders.ts'
import type { OfficialConcernFacts } from '../../senders/ports.ts'

export type StorageTrouble = Extract<ConcernCode, `storage_${string}`>

/**
 * Everything that concerns are found from. Members with `?` are absent where the part of the
 * program that knows them does not say. Times are milliseconds since 1970.
 */
export interface ConcernFacts {
  now: number
  /** Cause that keeps messages from being stored; null: none. */
  storage: StorageTrouble | null
  /** The database could not be read: senders, endpoints and outcomes are empty. */
  unread: boolean
  /** Null: the system does not say. */
  freeBytes: number | null
  allPaused: boolean
  /** Without the sandbox, which counts nowhere. */
  senders: readonly SenderFacts[]
  endpoints: readonly EndpointFacts[]
  /** Those of this day, and of the last hour where it began before. */
  outcomes: readonly OutcomeCount[]
  /** Failures of this day that the owner has seen; absent: none. */
  failuresSeen?: FailureCount | undefined
  lanOpen: boolean
  ownerPagesOpen: boolean
  /** Messages are never removed. */
  keptForEver: boolean
  /** When the clock of the PC was last set by more than a minute. */
  clockWrongAt: number | null
  /** When Meta switches off the version of its API that is used, where that is near. */
  graphVersionEndsAt?: number | null
  /** The version that is ready to be installed. */
  update: string | null
  /** Concerns of features that a shop can live without, and of how the program is deployed. */
  others: readonly Concern[]
}

/** How many messages failed, of how many that ended. */
export interface FailureCount {
  failed: number
  ended: number
}

/** How many messages of a sender were sent, or failed for a reason, in a span of time. */
export interface OutcomeCount {
  /** When the span began. */
  at: number
  senderId: number
  kind: 'sent' | 'failed'
  reason: FailureCode | null
  count: number
}

export interface SenderFacts {
  id: number
  code: string
  name: string
  kind: 'linked' | 'official'
  state: ConnectionState
  reason: string | null
  /** WhatsApp's or Meta's own code or words for the reason. */
  detail?: string | null
  since: number
  /** When the state ends by itself. */
  until?: number | null
  /** Callers heard that it is not connected: a shorter break is no concern. */
  isDown: boolean
  /** By the owner, this one. */
  paused: boolean
  /** Paused as data was restored or moved back: what waits may have been sent since. */
  pausedByReturn?: boolean
  /** It has been linked before. */
  hasPhone: boolean
  waiting: number
  /** Setting of the owner that holds its lane. */
  heldBy: 'quiet_hours' | 'daily_cap' | null
  heldUntil: number | null
  /** When the last message that is due now leaves, by the owner's settings alone. */
  queueEndsAt: number | null
  /** When it sent last, if it sent on most days before; absent: it is not silent. */
  silentSince?: number | undefined
  /** Messages are due for long, and nothing holds them. */
  isStuck: boolean
  /** Messages that have been *sending* for long; absent: none. `since`: the first of them. */
  sendingLong?: { count: number; since: number } | undefined
  /** Messages to people that it never wrote to wait. */
  firstContacts: { until: number; why: NonNullable<FirstContacts['heldBy']> } | null
  newChatsNearlyUsed?: { detail: string; until: number | null } | null
  /** The number that was linked in place of the earlier one, whose messages wait. */
  otherPhone?: string | null
  /** Why an attempt to link shows no code. */
  linkingTrouble?: { code: 'passkey_required' | 'pairing_code_refused'; detail: string | null } | null
  official: OfficialConcernFacts | null
}

export interface EndpointFacts {
  id: number
  host: string
  /** Switched off because the receiver answered 410. */
  isGone: boolean
  enabled: boolean
  /** Its last attempt failed. */
  isFailing: boolean
  failingSince: number | null
  pending: number
  dead: number
}
