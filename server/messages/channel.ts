import type { FailureCode, ProviderHint } from '../contract/failures.ts'
import type { MediaFile } from '../media/fetch.ts'
import type { Also, Message } from '../store/index.ts'

/** Outcome of one attempt. `also` is stored in the same transaction. */
export type Outcome =
  /** WhatsApp's server confirmed that it has the message. */
  | { kind: 'acknowledged' }
  /** A definite refusal; a retry would not help. */
  | {
      kind: 'refused'
      code: FailureCode
      providerCode?: string
      detail?: string
      hint?: string
      hintCode?: ProviderHint
      also?: readonly Also[]
    }
  /** Meta took the template message and gave it an id. */
  | { kind: 'accepted'; providerMessageId: string; also: readonly Also[] }
  /** Meta may have the message, and knows no id of ours, so a retry could send it twice. */
  | { kind: 'in_doubt'; reason: string; also?: readonly Also[] }
  /** The message certainly did not leave, and should not be tried before `until`. */
  | { kind: 'put_off'; reason: string; until: number }
  /**
   * The message may have left, so the lane sends it again later under the same id. `isLost`: the
   * connection was lost, which says nothing about the message.
   */
  | { kind: 'unknown'; reason: string; isLost?: boolean }
  /** The message certainly did not leave, and a retry may help. */
  | { kind: 'not_sent'; reason: string }
  /** There is no connection; the attempt does not count. */
  | { kind: 'offline'; reason?: string }
  /**
   * WhatsApp lets this number write to no new people now, or refuses its look-ups of people; the
   * attempt does not count. `until` is in milliseconds since 1970; null: WhatsApp does not say.
   */
  | { kind: 'held'; until: number | null; reason: string }

/** Result of the checks before an attempt is counted. */
export type Checked =
  | 'go'
  /** A question to WhatsApp took this turn; the lane checks the message again in its next turn. */
  | 'again'
  /** First contacts wait until this time, in milliseconds since 1970. */
  | { kind: 'wait'; until: number }
  | Outcome

/** A message that was written to the connection. */
export interface Flight {
  /** Settles when the outcome is known; never rejects. */
  outcome: Promise<Outcome>
}

export const alreadyLanded = (outcome: Outcome): Flight => ({ outcome: Promise.resolve(outcome) })

/** Outcome of a message whose time was over before it was written. */
export const EXPIRED: Outcome = { kind: 'refused', code: 'expired' }

/** A message whose WhatsApp id is on disk, as it must be before the message leaves. */
export type Outgoing = Message & { providerMessageId: string }
export const isOutgoing = (message: Message): message is Outgoing => message.providerMessageId !== null

/** The part of a sender's connection that its lane uses. */
export interface Channel {
  /**
   * True while a message to this recipient has no answer yet. The lane then waits, because two
   * unanswered messages may arrive in either order. Absent: the connection keeps the order.
   */
  isWritingTo?(recipient: string): boolean
  /** True if messages can leave now. The lane is woken when this changes. */
  ready(): boolean
  /** True if the sender never wrote to this number; WhatsApp may restrict such messages alone. */
  isFirstContact(message: Message): Promise<boolean>
  /** Checks, for example, that the number exists, before the attempt is counted. Never rejects. */
  check(message: Message): Promise<Checked>
  /**
   * Writes the message. Resolves as soon as it is written, so that the next message may follow; the
   * flight brings the outcome later. Never rejects.
   */
  send(message: Message, media: MediaFile | null): Promise<Flight>
  /** Deletes a sent message for everyone. Absent: the connection cannot. Never rejects. */
  revoke?(message: Outgoing): Promise<Outcome>
}
