import type { FailureCode, ProviderHint } from '../contract/failures.ts'
import type { MediaFile } from '../media/fetch.ts'
import type { Also, Message } from '../store/index.ts'

/** Outcome of one attempt. `also` is stored together with it. */
export type Outcome =
  /** WhatsApp's server said that it has the message. */
  | { kind: 'acknowledged' }
  /** A clear no; trying again would not help. */
  | {
      kind: 'refused'
      code: FailureCode
      providerCode?: string
      detail?: string
      hint?: string
      hintCode?: ProviderHint
      also?: readonly Also[]
    }
  /** Meta took the template message and named it. */
  | { kind: 'accepted'; providerMessageId: string; also: readonly Also[] }
  /** Meta may have taken it, and knows no id of ours: another attempt could send it twice. */
  | { kind: 'in_doubt'; reason: string; also?: readonly Also[] }
  /** It certainly did not leave, and should not be tried before a time. */
  | { kind: 'put_off'; reason: string; until: number }
  /**
   * It may have left: the same id is sent again later. `isLost`: the connection was lost, which
   * says nothing about the message.
   */
  | { kind: 'unknown'; reason: string; isLost?: boolean }
  /** It certainly did not leave, and trying again may help. */
  | { kind: 'not_sent'; reason: string }
  /** There is no connection; the attempt does not count. */
  | { kind: 'offline'; reason?: string }
  /**
   * WhatsApp lets this number write to no new people now, or answers no questions about people; the
   * attempt does not count. `until` in milliseconds; null: WhatsApp does not say how long.
   */
  | { kind: 'held'; until: number | null; reason: string }

/** Result of the checks before an attempt is counted. */
export type Checked =
  | 'go'
  /** A question took the place of a send: the message is looked at again in its turn. */
  | 'again'
  /** First contacts wait until then; milliseconds. */
  | { kind: 'wait'; until: number }
  | Outcome

/** A message that was written to the connection. */
export interface Flight {
  /** Never rejects. */
  outcome: Promise<Outcome>
}

/** A flight whose outcome is known at once. */
export const alreadyLanded = (outcome: Outcome): Flight => ({ outcome: Promise.resolve(outcome) })

/** Outcome of a message whose time was over before it was written. */
export const EXPIRED: Outcome = { kind: 'refused', code: 'expired' }

/** A message on its way out: the id that WhatsApp will know it by is on disk already. */
export type Outgoing = Message & { providerMessageId: string }
export const isOutgoing = (message: Message): message is Outgoing => message.providerMessageId !== null

/** The connection of a sender, as its lane needs it. */
export interface Channel {
  /**
   * True while a message to this person has no answer: of two at once either may arrive first.
   * Absent: what is written first arrives first.
   */
  isWritingTo?(recipient: string): boolean
  /** True if messages can leave now. The lane is woken when this changes. */
  ready(): boolean
  /** True if the sender never wrote to this number before; WhatsApp may restrict just those. */
  isFirstContact(message: Message): Promise<boolean>
  /** Checks before an attempt is counted, such as whether the number exists. Never rejects. */
  check(message: Message): Promise<Checked>
  /**
   * Resolves when the message is written, so that the next one may follow; what became of it comes
   * later. Never rejects.
   */
  send(message: Message, media: MediaFile | null): Promise<Flight>
  /** Deletes a sent message for everyone; absent where the connection cannot. Never rejects. */
  revoke?(message: Outgoing): Promise<Outcome>
}
