import type { Failure } from '../contract/failures.ts'
import type { ChannelName, Status } from '../contract/messages.ts'

/** A message as the database holds it. Times are milliseconds since 1970. JSON stays text until somebody reads it. */
export interface Message {
  /** Order of arrival. */
  seq: number
  id: string
  senderId: number
  channel: ChannelName
  recipient: string
  body: string | null
  file: string | null
  /** JSON: what was asked of Meta. */
  template: string | null
  referenceId: string | null
  /** JSON of an object, numbers digit by digit as they were sent; null for `{}`. */
  metadata: string | null
  status: Status
  attempts: number
  createdAt: number
  dueAt: number
  expiresAt: number
  /** When its lane looks at it (again); null when there is nothing left to do. */
  nextAt: number | null
  /** When its status was reached. */
  occurredAt: number
  providerMessageId: string | null
  pricingCategory: string | null
  error: Failure | null
}

export interface NewMessage {
  id: string
  senderId: number
  keyNumber: number | null
  channel: ChannelName
  recipient: string
  body: string | null
  file: string | null
  template: string | null
  templateName: string | null
  referenceId: string | null
  metadata: string | null
  status: Status
  createdAt: number
  dueAt: number
  expiresAt: number
  nextAt: number | null
  providerMessageId?: string | null
  /** Its only attempt begins at once: a template send, whose caller waits. */
  attemptBegins?: true
}

/** One atomic step of a message's life; absent members stay as they are. */
export interface Change {
  status?: Status
  /** When it happened, by the clock of whoever reported it. */
  at: number
  nextAt?: number | null
  providerMessageId?: string
  pricingCategory?: string
  error?: Failure | null
  /** A new attempt begins: counted, and shown in the history. */
  attemptBegins?: true
  /** The running attempt ends. */
  attemptEnds?: { outcome: string; reason: string | null }
  /** An attempt that never reached the network does not count. */
  attemptReturned?: true
  content?: Uint8Array
}

export type MessageRef = { seq: number } | { id: string } | { providerMessageId: string; senderId: number | null }

export interface AttemptRow {
  number: number
  at: number
  endedAt: number | null
  outcome: string | null
  reason: string | null
}

export interface EventRow {
  seq: number
  type: string
  messageSeq: number | null
  at: number
  recordedAt: number
  /** JSON */
  data: string
}
