import type { ConcernCode } from '../../contract/concerns.ts'
import type { FailureCode } from '../../contract/failures.ts'
import type { ConnectionState, FirstContacts } from '../../contract/senders.ts'
import type { OfficialConcernFacts } from '../../senders/official.ts'

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
  /** Files that callers send along can be stored and fetched. */
  filesWork: boolean
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
  /** Other nodes of the same database that were not heard of for a while, and did not leave. */
  goneNodes?: readonly GoneNode[]
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
  /** When the last backup was made; null: never. */
  backupAt?: number | null
  /** Automatic backups; absent: the owner has chosen none. */
  backupPlan?: BackupPlanFacts
  /** Programs that are refused again and again, the most frequent one first. */
  refusals?: readonly RefusalFacts[]
  /** Programs of this PC that call as they would call another gateway. */
  programs?: readonly ProgramFacts[]
  /** The printer port. */
  printer?: PrinterFacts
  /** The drop folder; absent: it is off. */
  dropFolder?: DropFolderFacts
}

export interface DropFolderFacts {
  folder: string
  /** Why files wait in it. */
  problem: 'away' | 'not_writable' | 'no_sender' | 'limit' | 'full' | 'tables_full' | 'stuck' | null
  waiting: number
  /** Files that were not sent, and lie there still. */
  failed: number
}

export interface PrinterFacts {
  /** Why it takes nothing; null: it is off, or does. */
  problem: 'port_taken' | 'port_refused' | 'full' | null
  port: number
  /** Prints that wait for the owner, without those that have no number. */
  troubled: number
  since: number | null
}

/** Automatic backups. */
export interface BackupPlanFacts {
  folder: string
  /** Since when there was none: the last one, or when the folder was chosen. */
  since: number
  /** Why the newest attempt failed. */
  failed: string | null
  /** None was made for days, though the program ran. */
  isLate: boolean
}

/** Calls of one program that were refused for one reason. */
export interface RefusalFacts {
  id: string
  /** Name of its API key, where it has one. */
  key: string | null
  /** Code of the error. */
  code: string
  times: number
  since: number
}

/** Programs that call as they would call a gateway. */
export interface ProgramFacts {
  /** The gateway. */
  name: string
  /** How they come in: Kurir answers as the gateway; they are nearly right; not at all. */
  way: 'mouth' | 'slip' | 'none'
  times: number
  since: number
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

/** Times go by the database's clock. */
export interface GoneNode {
  name: string
  seenAt: number
  /** Milliseconds since it was heard of. */
  silentFor: number
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
