import { z } from 'zod'
import type { Failure } from '../contract/failures.ts'
import type {
  AskedTemplate,
  AttemptOutcome,
  ChannelName,
  Pricing,
  Priority,
  Purpose,
  Status,
} from '../contract/messages.ts'
import type { SuppressionScope } from '../contract/suppressions.ts'
import type { IdempotencyKey, IdempotencyRecord, StoredAnswer } from './access.ts'
import type { SendingState } from './senders.ts'

/** Bit sets of the members of a group, in base64: who got a message, and who read it. */
export const groupReceipts = z.object({ members: z.number(), delivered: z.string(), read: z.string() })
export type GroupReceipts = z.infer<typeof groupReceipts>

/** Known addresses of a member, by number and by LID, without a device. */
export type GroupMember = readonly string[]

export const END_NAMED = ['no', 'length', 'moment'] as const
export type EndNamed = (typeof END_NAMED)[number]

/**
 * Kind of a message, and the lane that works on it: a text in the lane of its own sender, or a
 * template on its second road.
 */
interface Road {
  channel: ChannelName
  /**
   * The sender whose lane works on the message: its own sender, or the official one of its second
   * road.
   */
  laneId: number
  template: AskedTemplate | null
  providerMessageId: string | null
}

/** A message when it is accepted. Times are milliseconds since 1970. */
interface FirstMessage extends Road {
  id: string
  senderId: number
  recipient: string
  body: string | null
  /** Address of the file, or `upload:` and the id of an uploaded file. */
  file: string | null
  /** File name that the recipient sees; null: the name comes from the address. */
  filename: string | null
  /** Hash of the file's content, once it is known. */
  fileSha256: string | null
  priority: Priority
  purpose: Purpose
  referenceId: string | null
  /**
   * JSON text of an object, never parsed and written again, because numbers would lose digits. Null
   * for `{}`.
   */
  metadata: string | null
  /** Member names in the request that the route did not know; null: none. */
  unknownMembers: string[] | null
  status: Status
  createdAt: number
  dueAt: number
  expiresAt: number
  /** True if the caller named `dueAt` as a moment; false if it is a delay. */
  dueNamed: boolean
  /** How the caller named `expiresAt`. */
  endNamed: EndNamed
  /** When the lane looks at the message (again); null: nothing is left to do. */
  nextAt: number | null
}

export interface Message extends FirstMessage {
  /** Rises in the order of arrival. */
  seq: number
  attempts: number
  /** When the message reached its status. */
  occurredAt: number
  /** Meta's business-scoped user ID of the recipient. */
  recipientUserId: string | null
  pricing: Pricing | null
  error: Failure | null
  /** Null: the message goes to a person, or was not sent to its group yet. */
  receipts: GroupReceipts | null
  /** The message's first sender; null: the owner did not move the message to another one. */
  movedFrom: number | null
}

export interface NewMessage extends FirstMessage {
  /** Number of the API key that sent the message; null: the owner sent it. */
  keyNumber: number | null
  /** True for a template send, whose first attempt begins at once, because its caller waits. */
  attemptBegins: boolean
}

/** One atomic change of a message. Absent members stay as they are. */
export interface Change {
  status?: Status
  /** Time of the change, by the clock of the party that reported it. */
  at: number
  nextAt?: number | null
  providerMessageId?: string
  fileSha256?: string
  /** Members that callers may change while the message waits. */
  dueAt?: number
  expiresAt?: number
  dueNamed?: boolean
  endNamed?: EndNamed
  priority?: Priority
  recipientUserId?: string
  pricing?: Pricing
  road?: Road
  /** Replaces the message's sender; `road` then leads there. */
  senderId?: number
  error?: Failure | null
  /** A new attempt begins; it is counted and added to the history. */
  attemptBegins?: true
  attemptEnds?: { outcome: AttemptOutcome; reason: string | null }
  /** The attempt never reached the network, and does not count. */
  attemptReturned?: true
  /** The message was deleted for everyone, which makes an event but no status. */
  revoked?: true
  /** Content given to WhatsApp, used unchanged by every further attempt. */
  content?: Uint8Array
  /** Members of the group that the message is sent to. None of them has a receipt yet. */
  members?: readonly GroupMember[]
  receipts?: GroupReceipts
  /**
   * Changes that must be consistent with the message, so they are written in the same transaction.
   */
  also?: readonly Also[]
}

export type Also =
  /**
   * Changes the sending state of the message's lane. `update` must be pure, and may be called more
   * than once.
   */
  | { kind: 'sending_state'; update: (state: SendingState) => SendingState }
  /** Marks the recipient as known, no first contact. */
  | { kind: 'known_contact' }
  /** Stores the last request to Meta, and Meta's answer. */
  | { kind: 'provider_call'; call: ProviderCall }
  /**
   * Ends a call that began with an open idempotency record. Null removes the record, so that the
   * caller may try again.
   */
  | { kind: 'idempotency_answer'; key: IdempotencyKey; answer: StoredAnswer | null }
  /** Meta takes no marketing message from the lane's sender to the recipient until this time. */
  | { kind: 'marketing_hold'; until: number }
  /** Counts a message on its second road in a month such as `2026-11`; -1 takes it back. */
  | { kind: 'second_road'; month: string; by: 1 | -1 }

export interface ProviderAnswer {
  /** Null until an answer came. */
  httpStatus: number | null
  answer: unknown
}

export interface ProviderCall extends ProviderAnswer {
  request: unknown
}

/**
 * Names one message. `senderId` is the sender through which the message left. Changes that name the
 * same provider's id are written in the order in which they were asked for, because WhatsApp
 * reports on one message faster than a server writes.
 */
export type MessageRef =
  | { seq: number; providerMessageId?: string | null }
  | { id: string }
  | { providerMessageId: string; senderId: number }

/**
 * Decides on the change of a message; null: no change. Must be pure, because it may be called more
 * than once.
 */
export type Decide = (message: Message) => Change | null

export interface AcceptOptions {
  /** Refuse a reference that the same API key used before. */
  unique: boolean
  /**
   * Refuse content that was sent to the same number through the same sender at or after this time;
   * null: refuse nothing.
   */
  sameContentSince?: number | null
  /**
   * Answer `repeated` if a message at or after this time is equal even in its time, reference and
   * file name; null: do not look for one.
   */
  repeatedSince?: number | null
  idempotency?: IdempotencyRecord | undefined
}

export type Accepted =
  | { kind: 'accepted'; seq: number }
  /** `id` is the first message with this reference. */
  | { kind: 'duplicate_reference'; id: string }
  /** `id` is the first message with this content. */
  | { kind: 'duplicate_content'; id: string }
  /** `id` is the message of the first call. */
  | { kind: 'repeated'; id: string }
  | { kind: 'opted_out'; scope: SuppressionScope }
  /** The named file is not stored any more. */
  | { kind: 'file_gone' }
  /** Another call with this idempotency key was quicker; nothing was written. */
  | { kind: 'key_in_use' }
  /** The sender was deleted meanwhile; nothing was written. */
  | { kind: 'sender_deleted' }

export interface Changed {
  before: Message
  after: Message
  /** Endpoints that have a new delivery. */
  endpoints: number[]
}

/** `soon`: no caller waits, so the write may wait a moment and share its commit with others. */
export type Urgency = 'now' | 'soon'

export interface AttemptRow {
  number: number
  at: number
  endedAt: number | null
  /** Null while the attempt runs. */
  outcome: AttemptOutcome | null
  reason: string | null
}

export interface MessageSelection {
  referenceId?: string | undefined
  statuses?: readonly Status[] | undefined
  senderId?: number | undefined
  /** `onlyOf`: messages of one of these senders. `noneOf`: of none of these. */
  onlyOf?: readonly number[] | undefined
  noneOf?: readonly number[] | undefined
  channel?: ChannelName | undefined
  /** Messages to one of these numbers: digits with the country code. */
  recipients?: readonly string[] | undefined
  templateName?: string | undefined
  /** Accepted at or after `from`, and before `to`. Milliseconds. */
  from?: number | undefined
  to?: number | undefined
  /** Failed at or after this time. Milliseconds. */
  failedFrom?: number | undefined
  /** Searched words, parts of numbers, references. */
  text?: string | undefined
  /** Messages older than this `seq`. */
  before?: number | undefined
  /** Read texts, metadata and templates only as far as a list shows them. */
  short?: true | undefined
}

export interface MessageFilter extends MessageSelection {
  limit: number
}

/**
 * An object with no members besides those of `Wanted`. The compiler checks this by itself only for
 * object literals, not for variables, and a filter with a misspelt member would select everything.
 */
type Exactly<Wanted, Given extends Wanted> = Given & { [Member in Exclude<keyof Given, keyof Wanted>]: never }

export interface TallyRow {
  senderId: number
  status: Status
  count: number
  /** When the first and the last of these messages were accepted. */
  firstAt: number
  lastAt: number
}

export interface MessageStore {
  /**
   * Writes a message and everything that belongs to it; resolves when it is on disk.
   * @throws StorageError: nothing was written
   */
  accept(message: NewMessage, options: AcceptOptions): Promise<Accepted>
  /**
   * Reads the message, calls `decide`, and writes the change with its event, callbacks and `also`,
   * all in one transaction. Resolves with undefined if nothing changed.
   */
  change(ref: MessageRef, decide: Decide, urgency?: Urgency): Promise<Changed | undefined>

  find(ref: MessageRef): Promise<Message | undefined>
  attempts(seq: number): Promise<AttemptRow[]>
  content(seq: number): Promise<Uint8Array | undefined>
  /** Group members that a message was sent to. */
  members(seq: number): Promise<GroupMember[] | undefined>
  /** The last request to Meta and Meta's answer, word for word. */
  providerCall(seq: number): Promise<ProviderCall | undefined>
  /** Messages of one sender that have left and whose status may still change. */
  unfinished(senderId: number, limit: number): Promise<Message[]>
  newest(): Promise<{ id: string; seq: number } | undefined>

  /** Newest first. */
  list<Given extends MessageFilter>(filter: Exactly<MessageFilter, Given>): Promise<Message[]>
  tallyOfRecipient(recipient: string): Promise<TallyRow[]>
  /** Counts people who got a template message from any of these senders at or after `ms`. */
  peopleWrittenTo(laneIds: readonly number[], ms: number): Promise<number>
  /** Messages after a `seq`, oldest first. */
  after(seq: number, limit: number): Promise<Message[]>
}
