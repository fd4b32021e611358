import { z } from 'zod'
import { blob, type Columns, integer, json, text } from './columns.ts'
import type { Urgency } from './messages.ts'

/** The part of a callback of Meta that is to be applied. */
export interface InboxRow {
  seq: number
  /** Senders whose app secret signed it. */
  senderIds: number[]
  /** As it was added; in a row of version 0.1.0 Meta's own body. */
  body: Buffer
  receivedAt: number
}

/** A status that came before its message id was known. */
export interface EarlyStatus {
  senderId: number
  providerMessageId: string
  status: string
  update: unknown
  receivedAt: number
}

/** Callbacks of Meta: stored first, applied afterwards. */
export interface InboxStore {
  /** True if a callback with this digest was added before. */
  has(digest: Uint8Array): Promise<boolean>
  /**
   * `body` is what is to be applied; null: nothing, only the digest is kept. False: it was added
   * before.
   */
  add(digest: Uint8Array, senderIds: readonly number[], body: Uint8Array | null, at: number): Promise<boolean>
  /** The oldest bodies that wait, at most `bytes` of them together (but always one). */
  waiting(bytes: number): Promise<InboxRow[]>
  /** Keeps only the digests of these callbacks. */
  applied(seqs: readonly number[], at: number, urgency?: Urgency): Promise<void>
  /** Removes the oldest digests of before, at most `batch`; resolves with their number. */
  expire(before: number, batch: number): Promise<number>
  /** Keeps a status until its message id is known; false when it is known by now. */
  keepEarly(status: EarlyStatus): Promise<boolean>
  early(senderId: number, providerMessageId: string): Promise<EarlyStatus[]>
  /** Early statuses whose message is known by now: the program ended before they were applied. */
  ripe(): Promise<{ senderId: number; providerMessageId: string }[]>
  dropEarly(senderId: number, providerMessageId: string): Promise<void>
  expireEarly(before: number): Promise<void>
}

export const INBOX: Columns<InboxRow> = {
  seq: integer('seq'),
  senderIds: json('sender_ids', z.array(z.number())),
  body: blob('body'),
  receivedAt: integer('received_at'),
}

export const EARLY_STATUS: Columns<EarlyStatus> = {
  senderId: integer('sender_id'),
  providerMessageId: text('provider_message_id'),
  status: text('status'),
  update: json('body', z.unknown()),
  receivedAt: integer('received_at'),
}
