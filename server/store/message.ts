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
import type { IdempotencyKey, StoredAnswer } from './access.ts'
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
export interface Road {
  channel: ChannelName
  /** The sender whose lane works on it: its own, or the official one of its second road. */
  laneId: number
  template: AskedTemplate | null
  providerMessageId: string | null
}

/** A message as it is accepted. Times are milliseconds since 1970. */
export interface FirstMessage extends Road {
  id: string
  senderId: number
  recipient: string
  body: string | null
  /** Its address, or `upload:` and the id of a file that was sent along. */
  file: string | null
  /** As the caller named it. */
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
