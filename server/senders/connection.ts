import type { LinkRequest, SenderState, SenderView } from '../contract/senders.ts'
import type { Channel } from '../messages/channel.ts'

/** What a channel tells of its sender's connection. Absent members stay as they are. */
export interface StateReport {
  state: SenderState
  /** A stable code for why. */
  reason: string | null
  /** Digits only. */
  phone?: string | null
  accountName?: string | null
}

/** The running side of a sender: where its messages leave, and what the owner can do with its connection. */
export interface SenderConnection {
  channel: Channel
  /** Running link attempt: the code on the screen. Null when there is none. */
  linking(): SenderView['linking']
  link(request: LinkRequest): Promise<void>
  unlink(): Promise<void>
  /** The owner or the PC's waking up asks for the connection to be made anew. */
  resume(): void
  /** The PC goes to sleep. */
  suspend(): void
  stop(): Promise<void>
}
