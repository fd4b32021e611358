import type { Concern, ConcernCode } from '../../contract/concerns.ts'
import type { FailureCode } from '../../contract/failures.ts'
import type { ConnectionState, FirstContacts } from '../../contract/senders.ts'
import type { OfficialConcernFacts } from '../../senders/ports.ts'

export type StorageTrouble = Extract<ConcernCode, `storage_${string}`>

/**
 * All facts from which concerns are found. Optional members are absent if the part of the program
 * that knows them does not say. Times are milliseconds since 1970.
 */
export interface ConcernFacts {
  now: number
  /** Reason why messages cannot be stored; null: storage works. */
  storage: StorageTrouble | null
  /** True if the database could not be read; senders, endpoints and outcomes are then empty. */
  unread: boolean
  /** Null: the system does not say. */
  freeBytes: number | null
  allPaused: boolean
  /** All senders but the sandbox. */
  senders: readonly SenderFacts[]
  endpoints: readonly EndpointFacts[]
  /** Outcomes of this day, and of the last hour if it began before midnight. */
  outcomes: readonly OutcomeCount[]
  /** Failures of this day that the owner has seen, and when; absent: none. */
  failuresSeen?: (FailureCount & { at: number }) | undefined
  lanOpen: boolean
  ownerPagesOpen: boolean
  keptForEver: boolean
  /** When the PC's clock was last set by more than a minute; null: not known to be. */
  clockWrongAt: number | null
  /** When Meta switches off the API version in use; null: not soon. */
  graphVersionEndsAt?: number | null
  /** Version that is ready to be installed; null: none. */
  update: string | null
  /** Concerns of optional features and of the deployment. */
  others: readonly Concern[]
}

/** Number of failed messages, out of those that ended. */
export interface FailureCount {
  failed: number
  ended: number
}

/** Number of a sender's messages that were sent, or failed for one reason, in a span of time. */
export interface OutcomeCount {
  /** Start of the span. */
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
  /** WhatsApp's or Meta's own code or words for `reason`. */
  detail?: string | null
  since: number
  /** When the state ends by itself. */
  until?: number | null
  /** True if callers were told that the sender is disconnected; a shorter break is no concern. */
  isDown: boolean
  /** True if the owner paused this sender. `allPaused` is apart. */
  paused: boolean
  /** Paused because data was restored or moved back: waiting messages may have been sent since. */
  pausedByReturn?: boolean
  /** True if the sender was linked at some time. */
  hasPhone: boolean
  waiting: number
  /** Setting of the owner that holds its lane. */
  heldBy: 'quiet_hours' | 'daily_cap' | null
  heldUntil: number | null
  /** When the last due message leaves, by the owner's settings alone; null: not within a year. */
  queueEndsAt: number | null
  /** Time of the last message, if the sender used to send on most days; absent: not silent. */
  silentSince?: number | undefined
  /** True if messages have been due for a long time and nothing holds them. */
  isStuck: boolean
  /** Messages in `sending` for a long time, and when the first became so; absent: none. */
  sendingLong?: { count: number; since: number } | undefined
  /** Wait of messages to people that the sender never wrote to; null: none. */
  firstContacts: { until: number; why: NonNullable<FirstContacts['heldBy']> } | null
  newChatsNearlyUsed?: { detail: string; until: number | null } | null
  /** Number that was linked in place of an earlier one, whose messages wait; null: none. */
  otherPhone?: string | null
  /** Reason why a link attempt shows no code. */
  linkingTrouble?: { code: 'passkey_required' | 'pairing_code_refused'; detail: string | null } | null
  official: OfficialConcernFacts | null
}

export interface EndpointFacts {
  id: number
  host: string
  /** Switched off because the receiver answered 410. */
  isGone: boolean
  enabled: boolean
  /** True if the last delivery attempt failed. */
  isFailing: boolean
  failingSince: number | null
  pending: number
  dead: number
}
