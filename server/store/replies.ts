import { DAY } from '../lib/time.ts'

/**
 * Bounds of waiting replies: of one author, and of all in bytes. Ours: a customer writes a few in
 * the day for which they wait, and nobody fills the disk of a shop whose receiver is down. All of
 * them are on the owner's phone.
 */
export const MOST_OF_AUTHOR = 200
export const MOST_BYTES = 50 * 1024 * 1024

/** A message of a customer on its way to the endpoints that asked for it. */
export interface NewReply {
  senderId: number
  senderCode: string
  /** The one of WhatsApp or Meta, by which a repeated one is known. */
  providerMessageId: string | null
  at: number
  /** The same for all that one customer writes to this sender; it says nothing of who that is. */
  author: number
  /** Sealed: nothing that a customer writes is readable in a file. */
  body: Buffer
  /** Nothing of it is kept after this. */
  expiresAt: number
}

/** Replies of customers: passed on and not kept. */
export interface ReplyStore {
  /** True if an endpoint asks for the messages of this sender. Kept in memory. */
  isWanted(senderCode: string): boolean
  /**
   * Writes the event with its deliveries, once for each message; resolves with the endpoints to
   * wake, or with `full`, and keeps nothing, where too much waits already.
   */
  add(reply: NewReply): Promise<number[] | 'full'>
  /** True if the wish in this message was done. */
  isHeard(senderId: number, providerMessageId: string): Promise<boolean>
  markHeard(senderId: number, providerMessageId: string, at: number): Promise<void>
  /** True if this recipient wanted marketing messages again after `at`. */
  optedInAfter(senderId: number, recipient: string, at: number): Promise<boolean>
  markOptedIn(senderId: number, recipient: string, at: number): Promise<void>
  /** Undefined once it was delivered everywhere, or is too old. */
  body(eventSeq: number): Promise<Buffer | undefined>
  /**
   * Removes what expired before `now` with its deliveries, at most `batch`; resolves with how many
   * were removed.
   */
  expire(now: number, batch: number): Promise<number>
}

// WhatsApp keeps what a device did not fetch for about a month; Meta repeats for a week.
export const SEEN_FOR = 31 * DAY

/** True if one more would be too many. @param bytes of all, with it */
export const isTooMuch = ({ ofAuthor, bytes }: { ofAuthor: number; bytes: number }): boolean =>
  ofAuthor >= MOST_OF_AUTHOR || bytes > MOST_BYTES
