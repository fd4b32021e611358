import type { LinkRequest, PasskeyAssertion } from '../contract/linking.ts'
import type { ConnectionState, SenderView } from '../contract/senders.ts'
import type { Channel } from '../messages/channel.ts'

/** A connection's report about itself. Absent members stay as they are. */
export interface StateReport {
  state: ConnectionState
  /** A stable code for why. */
  reason: string | null
  /** WhatsApp's or Meta's own name of the reason. */
  reasonDetail?: string | null
  /** When the state ends by itself, in milliseconds. */
  until?: number | null
  /** No connection is attempted before; milliseconds. */
  noConnectionBefore?: number | null
  /** Digits only. */
  phone?: string | null
  accountName?: string | null
}

/** The running side of a sender. */
export interface SenderConnection extends ConnectionControls {
  /** Takes its messages out. */
  channel: Channel
}

/** Controls of a connection, for the owner and the PC. */
export interface ConnectionControls {
  /** Running link attempt: the code on the screen. Null when there is none. */
  linking(): SenderView['linking']
  /** Resolves when the attempt has begun. */
  link(request: LinkRequest): Promise<void>
  /**
   * The owner's passkey for the attempt. Resolves once WhatsApp has taken or refused it; with false
   * where none is asked for.
   */
  answerPasskey(assertion: PasskeyAssertion): Promise<boolean>
  /** The phone shows the same code; resolves with false where there is none. */
  confirmPasskey(): Promise<boolean>
  unlink(): Promise<void>
  /** The PC goes to sleep. */
  suspend(): void
  /** The owner wants this sender back: checks the connection, or makes a new one. */
  resume(): void
  /** The PC woke up. A sender that WhatsApp ended, or that needs its owner, stays as it is. */
  wake(): void
  stop(): Promise<void>
}
