import type { AttemptOutcome, ChannelName, Status } from '../contract/messages.ts'
import type { SuppressionScope } from '../contract/suppressions.ts'
import type { IdempotencyRecord } from './access.ts'
import type { Change, GroupMember, Message, NewMessage, ProviderCall } from './message.ts'

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
  idempotency?: IdempotencyRecord | undefined
}

export type Accepted =
  | { kind: 'accepted'; seq: number }
  /** `id` is the first message with this reference. */
  | { kind: 'duplicate_reference'; id: string }
  /** `id` is the first message with this content. */
  | { kind: 'duplicate_content'; id: string }
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
