import type { LinkRequest, PasskeyAssertion } from '../contract/linking.ts'
import type { AccountReason, OfficialFields, OfficialIds, SenderCheck } from '../contract/official-senders.ts'
import type { SecondRoadTrial, SecondRoadTryRequest } from '../contract/second-road.ts'
import type { SendAnswer } from '../contract/send.ts'
import type { ConnectionState, SenderView } from '../contract/senders.ts'
import type { TemplateAnswer, TemplateRequest, TemplateView } from '../contract/templates.ts'
import type { Channel } from '../messages/channel.ts'
import type { AsSent, Origin } from '../messages/new-message.ts'
import type { IdempotencyRecord, SenderRow } from '../store/index.ts'

/**
 * A connection's report about itself. If `phone` or `accountName` is absent, the stored value
 * stays; other absent members become null.
 */
export interface StateReport {
  state: ConnectionState
  /** A stable code for the reason of the state. */
  reason: string | null
  /** WhatsApp's or Meta's own words or code for the reason. */
  reasonDetail?: string | null
  /** When the state ends by itself, in milliseconds since 1970. */
  until?: number | null
  /** Time before which Kurir does not try to connect, in milliseconds since 1970. */
  noConnectionBefore?: number | null
  /** Digits only. */
  phone?: string | null
  accountName?: string | null
}

export interface SenderConnection extends ConnectionControls {
  channel: Channel
}

export interface ConnectionControls {
  /** Returns the running link attempt with the code to show; null: none runs. */
  linking(): SenderView['linking']
  /** Resolves when the attempt has begun. */
  link(request: LinkRequest): Promise<void>
  /**
   * Sends the owner's passkey to WhatsApp. Resolves when WhatsApp has accepted or refused it, or
   * with false if WhatsApp asks for none.
   */
  answerPasskey(assertion: PasskeyAssertion): Promise<boolean>
  /** Confirms that the phone shows the same code; resolves with false if there is no code. */
  confirmPasskey(): Promise<boolean>
  unlink(): Promise<void>
  /** Prepares for the PC's sleep. */
  suspend(): void
  /** Checks the connection, or makes a new one, because the owner wants this sender back. */
  resume(): void
  /**
   * Connects again after the PC's sleep. A sender that WhatsApp ended, or that needs its owner,
   * stays as it is.
   */
  wake(): void
  stop(): Promise<void>
}

/** The owner's entries for an official sender; absent members do not change. */
export type OfficialInput = { [K in keyof OfficialFields]?: OfficialFields[K] | undefined }

/** The part of the official side that the service of senders uses. */
export interface OfficialAccountsPort {
  /** Returns the ids of a new sender (`old` null) or of a changed one. */
  ids(old: SenderRow | null, input: OfficialInput): OfficialIds
  /**
   * Returns the sender's secrets, encrypted for the row `id`.
   * @throws ApiError `conflict` if the old secrets are needed and cannot be decrypted
   */
  seal(id: number, old: SenderRow | null, input: OfficialInput): Buffer
  view(sender: SenderRow): Promise<SenderView['official']>
  /** Must be called after an official sender was added or changed by this input. */
  saved(sender: SenderRow, input: OfficialInput): void
}

/**
 * Facts about an official sender that may need its owner. Optional members are absent if nothing is
 * known. Times are milliseconds since 1970.
 */
export interface OfficialConcernFacts {
  /** True if the secrets were encrypted with the key of another PC. */
  secretsUnreadable: boolean
  failedChecks: SenderCheck['name'][]
  /** `silentSince`: messages have left since then, and no status has come. */
  statuses: 'arrive' | 'cannot_arrive' | { silentSince: number }
  /** Number of templates that are unusable by Meta's callbacks. */
  templatesLost: number
  templatesOfLowQuality?: string[]
  templatesRecategorized?: number
  /** Number of callbacks whose signature fitted no sender. */
  refusedCallbacks?: number
  /** Meta's reports on the account, as concern codes; `until`: when it ends or takes effect. */
  account?: { code: AccountConcern; detail: string | null; since: number; until: number | null }[]
  qualityIsRed?: boolean
  qualitySince?: number | null
  tokenEndsAt?: number | null
  /** Number of people written to first in the last 24 hours, and the limit for it. */
  messagingLimit?: { used: number; total: number } | null
  messagingLimitChanged?: { at: number; detail: string } | null
  /** A display name that Meta approved after the number was last registered. */
  nameApproved?: { at: number; name: string | null } | null
}

export type AccountConcern = AccountReason | 'number_blocked' | 'account_alert' | 'security_event'

/** A request of /waba/send-template, with its origin. */
export interface TemplateSend extends Origin {
  request: TemplateRequest
  asSent: AsSent
  /** A record that stays open until Meta's answer is known. */
  idempotency: IdempotencyRecord | undefined
}

/** The part of the official side that the routes use. */
export interface TemplatesPort {
  /** Sends one template message while its caller waits. @throws ApiError */
  send(send: TemplateSend): Promise<TemplateAnswer>
  /** Queues one template message. @throws ApiError */
  queue(send: TemplateSend): Promise<SendAnswer>
  /** Resolves with the templates as they were last read from Meta. */
  list(senderId: number): Promise<TemplateView[]>
  /** Reads the templates from Meta. @throws ApiError */
  sync(sender: SenderRow): Promise<{ templates: { status: string }[]; unreadable: number }>
  /** Checks everything that an official sender needs. @throws ApiError */
  check(sender: SenderRow): Promise<void>
  /**
   * Tests a linked sender's last texts against a second road, the sender's own or one in the
   * request. Sends nothing.
   * @throws ApiError `invalid_request`
   */
  tryRoad(sender: SenderRow, request: SecondRoadTryRequest): Promise<SecondRoadTrial[]>
  /** Registers the sender's number with the Cloud API. @param pin six digits @throws ApiError */
  register(sender: SenderRow, pin: string): Promise<void>
  /** Registers the public address of this PC at Meta for its callbacks. @throws ApiError */
  setUpCallbacks(sender: SenderRow): Promise<void>
}
