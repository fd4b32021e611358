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

/** Bits of the members of a group, in base64: who has a message, who has read it. */
export const groupReceipts = z.object({ members: z.number(), delivered: z.string(), read: z.string() })
export type GroupReceipts = z.infer<typeof groupReceipts>

/** The addresses of a member, by number and by LID as far as they are known; without a device. */
export type GroupMember = readonly string[]

export const END_NAMED = ['no', 'length', 'moment'] as const
export type EndNamed = (typeof END_NAMED)[number]

/**
 * Kind of a message and the lane that works on it: a text of its own sender, or a template on its
 * second road.
 */
interface Road {
  channel: ChannelName
  /** The sender whose lane works on it: its own, or the official one of its second road. */
  laneId: number
  template: AskedTemplate | null
  providerMessageId: string | null
}

/** A message as it is accepted. Times are milliseconds since 1970. */
interface FirstMessage extends Road {
  id: string
  senderId: number
  recipient: string
  body: string | null
  /** Its address, or `upload:` and the id of a file that was sent along. */
  file: string | null
  /** As its recipient sees it; null: named by its address. */
  filename: string | null
  /** Hash of the file's content, once it is known. */
  fileSha256: string | null
  priority: Priority
  purpose: Purpose
  referenceId: string | null
  /**
   * JSON text of an object: parsed and written again, its numbers would lose digits. Null for `{}`.
   */
  metadata: string | null
  /** Names in its request that the route did not know. Null: there were none. */
  unknownMembers: string[] | null
  status: Status
  createdAt: number
  dueAt: number
  expiresAt: number
  /** True if its caller named `dueAt` as a moment; otherwise it is a wait. */
  dueNamed: boolean
  /** How its caller named `expiresAt`. */
  endNamed: EndNamed
  /** When its lane looks at it (again); null when there is nothing left to do. */
  nextAt: number | null
}

/** A message as it is stored. */
export interface Message extends FirstMessage {
  /** Order of arrival. */
  seq: number
  attempts: number
  /** When its status was reached. */
  occurredAt: number
  /** Meta's business-scoped user ID of the recipient. */
  recipientUserId: string | null
  pricing: Pricing | null
  error: Failure | null
  /** Null: it goes to a person, or was not written to its group yet. */
  receipts: GroupReceipts | null
  /** The sender that it waited for first; null: the owner has not moved it to another one. */
  movedFrom: number | null
}

export interface NewMessage extends FirstMessage {
  /** Number of the API key that sent it; null: the owner. */
  keyNumber: number | null
  /** Its first attempt begins with it: a template send, whose caller waits. */
  attemptBegins: boolean
}

/** One atomic step in the life of a message; absent members stay as they are. */
export interface Change {
  status?: Status
  /** When it happened, by the clock of the one who reported it. */
  at: number
  nextAt?: number | null
  providerMessageId?: string
  fileSha256?: string
  /** Members that callers may change while it waits. */
  dueAt?: number
  expiresAt?: number
  dueNamed?: boolean
  endNamed?: EndNamed
  priority?: Priority
  recipientUserId?: string
  pricing?: Pricing
  road?: Road
  /** Another sender in the place of its own, with the road there. */
  senderId?: number
  error?: Failure | null
  /** A new attempt begins: counted, and shown in the history. */
  attemptBegins?: true
  /** The running attempt ends. */
  attemptEnds?: { outcome: AttemptOutcome; reason: string | null }
  /** An attempt that never reached the network does not count. */
  attemptReturned?: true
  /** It was deleted for everyone: an event, and no status. */
  revoked?: true
  /** The content given to WhatsApp, the same for every further attempt. */
  content?: Uint8Array
  /** The members of its group that it is written to, of whom there are no receipts yet. */
  members?: readonly GroupMember[]
  receipts?: GroupReceipts
  /** Changes that must not drift apart from the message: written in the same transaction. */
  also?: readonly Also[]
}

export type Also =
  /** The counters of the message's sender; `update` is pure and may be called more than once. */
  | { kind: 'sending_state'; update: (state: SendingState) => SendingState }
  /** The recipient is no first contact any more. */
  | { kind: 'known_contact' }
  /** The last question to Meta, and its answer. */
  | { kind: 'provider_call'; call: ProviderCall }
  /**
   * Ends a call that began with an open idempotency record; null forgets the record, so that the
   * caller may try again.
   */
  | { kind: 'idempotency_answer'; key: IdempotencyKey; answer: StoredAnswer | null }
  /** Meta takes no marketing message from its lane's sender to its recipient until then. */
  | { kind: 'marketing_hold'; until: number }
  /** Counts its way over the second road in a month; -1 takes it back. */
  | { kind: 'second_road'; month: string; by: 1 | -1 }

/** Meta's answer, as it is kept. */
export interface ProviderAnswer {
  /** Null while none came. */
  httpStatus: number | null
  answer: unknown
}

export interface ProviderCall extends ProviderAnswer {
  request: unknown
}

/**
 * Names one message; `senderId` is the sender through which it left. Changes that name the same
 * provider's id are written in the order in which they are asked for: WhatsApp tells of one message
 * faster than a server writes.
 */
export type MessageRef =
  | { seq: number; providerMessageId?: string | null }
  | { id: string }
  | { providerMessageId: string; senderId: number }

/**
 * Pure, because it may be called more than once: what follows for this message; null changes
 * nothing.
 */
export type Decide = (message: Message) => Change | null

export interface AcceptOptions {
  /** Refuse a reference that the same API key used before. */
  unique: boolean
  /**
   * Refuse what was sent to the same number through the same sender at or after this time; null:
   * refuse nothing.
   */
  sameContentSince?: number | null
  /** The same call at or after this time is `repeated`: also its time, reference and file name. */
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
  /** The recipient does not want it. */
  | { kind: 'opted_out'; scope: SuppressionScope }
  /** The file that it names is not kept any more. */
  | { kind: 'file_gone' }
  /** Another call with this idempotency key was quicker; nothing was written. */
  | { kind: 'key_in_use' }
  /** Its sender was deleted meanwhile; nothing was written. */
  | { kind: 'sender_deleted' }

export interface Changed {
  before: Message
  after: Message
  /** Endpoints that have a new delivery. */
  endpoints: number[]
}

/**
 * `soon`: no caller is waiting for it, so it may wait a moment and share its commit with others.
 */
export type Urgency = 'now' | 'soon'

export interface AttemptRow {
  number: number
  at: number
  endedAt: number | null
  /** Null while the attempt runs. */
  outcome: AttemptOutcome | null
  reason: string | null
}

/** Messages of a kind, however many. */
export interface MessageSelection {
  referenceId?: string | undefined
  statuses?: readonly Status[] | undefined
  senderId?: number | undefined
  /** Senders: of one of these, of none of these. */
  onlyOf?: readonly number[] | undefined
  noneOf?: readonly number[] | undefined
  channel?: ChannelName | undefined
  /** One of these; digits with the country code. */
  recipients?: readonly string[] | undefined
  templateName?: string | undefined
  /** Accepted at or after, before. Milliseconds. */
  from?: number | undefined
  to?: number | undefined
  /** Failed at or after. Milliseconds. */
  failedFrom?: number | undefined
  /** Words, parts of numbers, references. */
  text?: string | undefined
  /** Older than this `seq`. */
  before?: number | undefined
  /** Texts, metadata and templates are read no further than a list shows them. */
  short?: true | undefined
}

export interface MessageFilter extends MessageSelection {
  limit: number
}

/**
 * An object without any other member than `Wanted` has. The compiler asks for that by itself only
 * where an object is written down, not where it comes out of a variable; and a filter with a
 * misspelt member is one for everything.
 */
type Exactly<Wanted, Given extends Wanted> = Given & { [Member in Exclude<keyof Given, keyof Wanted>]: never }

/** How many messages are alike in all of this. */
export interface TallyRow {
  senderId: number
  status: Status
  count: number
  /** When the first and the last of them were accepted. */
  firstAt: number
  lastAt: number
}

export interface MessageStore {
  /**
   * Writes a message with what belongs to it; resolves when it is on disk.
   * @throws StorageError: nothing was written
   */
  accept(message: NewMessage, options: AcceptOptions): Promise<Accepted>
  /**
   * Reads the message, asks `decide`, and writes its change with event, callbacks and `also`, all
   * in one transaction. Resolves with undefined where nothing changed.
   */
  change(ref: MessageRef, decide: Decide, urgency?: Urgency): Promise<Changed | undefined>

  find(ref: MessageRef): Promise<Message | undefined>
  attempts(seq: number): Promise<AttemptRow[]>
  content(seq: number): Promise<Uint8Array | undefined>
  /** The members of its group that a message was written to. */
  members(seq: number): Promise<GroupMember[] | undefined>
  /** The question to Meta and its answer, word for word. */
  providerCall(seq: number): Promise<ProviderCall | undefined>
  /** Those of one sender that have left and whose status may still change. */
  unfinished(senderId: number, limit: number): Promise<Message[]>
  /** The one that was accepted last. */
  newest(): Promise<{ id: string; seq: number } | undefined>

  /** Newest first. */
  list<Given extends MessageFilter>(filter: Exactly<MessageFilter, Given>): Promise<Message[]>
  tallyOfRecipient(recipient: string): Promise<TallyRow[]>
  /** How many people got a template message of any of these senders at or after `ms`. */
  peopleWrittenTo(laneIds: readonly number[], ms: number): Promise<number>
  /** Accepted after a `seq`, oldest first. */
  after(seq: number, limit: number): Promise<Message[]>
}
