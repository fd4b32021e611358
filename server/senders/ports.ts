import type { LinkRequest, PasskeyAssertion } from '../contract/linking.ts'
import type { AccountReason, OfficialFields, OfficialIds, SenderCheck } from '../contract/official-senders.ts'
import type { SecondRoadTrial, SecondRoadTryRequest } from '../contract/second-road.ts'
import type { SendAnswer } from '../contract/send.ts'
import type { ConnectionState, SenderView } from '../contract/senders.ts'
import type { TemplateAnswer, TemplateRequest, TemplateView } from '../contract/templates.ts'
import type { Channel } from '../messages/channel.ts'
import type { AsSent, Origin } from '../messages/new-message.ts'
import type { IdempotencyRecord, SenderRow } from '../store/index.ts'

/** A connection's report about itself. Absent members stay as they are. */
export interface StateReport {
  state: ConnectionState
  /** A stable code for why. */
  reason: string | null
  /** WhatsApp's or Meta's own name of the reason. */
  reasonDetail?: string | null
  /** When the state ends by itself, in milliseconds. */
  until?: number | null
  /** No connection is attempted before; milliseconds. */
  noConnectionBefore?: number | null
  /** Digits only. */
  phone?: string | null
  accountName?: string | null
}

/** The running side of a sender. */
export interface SenderConnection extends ConnectionControls {
  /** Takes its messages out. */
  channel: Channel
}

/** Controls of a connection, for the owner and the PC. */
export interface ConnectionControls {
  /** Running link attempt: the code on the screen. Null when there is none. */
  linking(): SenderView['linking']
  /** Resolves when the attempt has begun. */
  link(request: LinkRequest): Promise<void>
  /**
   * The owner's passkey for the attempt. Resolves once WhatsApp has taken or refused it; with false
   * where none is asked for.
   */
  answerPasskey(assertion: PasskeyAssertion): Promise<boolean>
  /** The phone shows the same code; resolves with false where there is none. */
  confirmPasskey(): Promise<boolean>
  unlink(): Promise<void>
  /** The PC goes to sleep. */
  suspend(): void
  /** The owner wants this sender back: checks the connection, or makes a new one. */
  resume(): void
  /** The PC woke up. A sender that WhatsApp ended, or that needs its owner, stays as it is. */
  wake(): void
  stop(): Promise<void>
}

/** The owner's entries for an official sender, or part of them. */
export type OfficialInput = { [K in keyof OfficialFields]?: OfficialFields[K] | undefined }

/** The official side, as the service of senders needs it. */
export interface OfficialAccountsPort {
  /** Ids of a new sender (`old` null) or a changed one. */
  ids(old: SenderRow | null, input: OfficialInput): OfficialIds
  /**
   * Its secrets, sealed for the row `id`.
   * @throws ApiError `conflict` where the old ones are needed and cannot be read
   */
  seal(id: number, old: SenderRow | null, input: OfficialInput): Buffer
  view(sender: SenderRow): Promise<SenderView['official']>
  /** After an official sender was added or changed by this input. */
  saved(sender: SenderRow, input: OfficialInput): void
}

/**
 * Facts that may need the owner of an official sender. Members with `?` are absent where nothing is
 * known. Times are milliseconds since 1970.
 */
export interface OfficialConcernFacts {
  /** They were sealed with the key of another PC. */
  secretsUnreadable: boolean
  failedChecks: SenderCheck['name'][]
  /** `silentSince`: messages went out since then, and no status came. */
  statuses: 'arrive' | 'cannot_arrive' | { silentSince: number }
  /** Templates that Meta's callbacks took away. */
  templatesLost: number
  templatesOfLowQuality?: string[]
  templatesRecategorized?: number
  /** Callbacks whose signature fitted no sender. */
  refusedCallbacks?: number
  /** Meta's reports about the account, by concerns' codes; `until`: its end, or its effect. */
  account?: { code: AccountConcern; detail: string | null; since: number; until: number | null }[]
  qualityIsRed?: boolean
  qualitySince?: number | null
  tokenEndsAt?: number | null
  /** People written to first in the last 24 hours, and how many may be. */
  messagingLimit?: { used: number; total: number } | null
  messagingLimitChanged?: { at: number; detail: string } | null
  /** Meta approved a display name, and the number was not registered since. */
  nameApproved?: { at: number; name: string | null } | null
}

export type AccountConcern = AccountReason | 'number_blocked' | 'account_alert' | 'security_event'

/** A request of /waba/send-template. */
export interface TemplateSend extends Origin {
  request: TemplateRequest
  asSent: AsSent
  /** Open until Meta's answer is known. */
  idempotency: IdempotencyRecord | undefined
}

/** The official side, as the routes need it. */
export interface TemplatesPort {
  /** Sends one template message while its caller waits. @throws ApiError */
  send(send: TemplateSend): Promise<TemplateAnswer>
  /** Queues one template message. @throws ApiError */
  queue(send: TemplateSend): Promise<SendAnswer>
  /** As they were last read from Meta. */
  list(senderId: number): Promise<TemplateView[]>
  /** Reads them from Meta. @throws ApiError */
  sync(sender: SenderRow): Promise<{ templates: { status: string }[]; unreadable: number }>
  /** Checks everything that an official sender needs. @throws ApiError */
  check(sender: SenderRow): Promise<void>
  /**
   * Tries the last texts of a linked sender on its second road.
   * @throws ApiError `invalid_request`
   */
  tryRoad(sender: SenderRow, request: SecondRoadTryRequest): Promise<SecondRoadTrial[]>
  /** Registers its number with the Cloud API. @param pin six digits @throws ApiError */
  register(sender: SenderRow, pin: string): Promise<void>
  /** Enters the public address of this PC at Meta. @throws ApiError */
  setUpCallbacks(sender: SenderRow): Promise<void>
}
