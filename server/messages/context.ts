import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { MediaFile } from '../media/fetch.ts'
import type { LocalFile } from '../media/local-file.ts'
import type { Uploads } from '../media/uploads.ts'
import type { MessageStore, QueueStore, SenderRow, SendingStateStore, Store, SuppressionStore } from '../store/index.ts'
import type { Channel } from './channel.ts'
import type { Recorder } from './record.ts'
import type { RetryPolicy } from './status.ts'

/** Context of accepting a message. */
export interface AcceptContext {
  store: Store
  bus: Bus
  newId: () => string
  now: () => number
}

/** Files of messages. */
export interface MessageFiles {
  uploads: Uploads
  /** @throws FileNotAllowed */
  openLocalFile: (address: string) => Promise<LocalFile>
  media: LaneContext['media']
}

/** Context of everything that is done with messages beside sending them. */
export interface MessageContext extends AcceptContext {
  record: Recorder
  files: MessageFiles
  lanes: LaneSet
  /** Channel of a sender's messages. */
  channelOf: (senderId: number) => Channel | undefined
  /** Messages with which the owner is doing something that can still be undone. */
  heldByOwner: Map<string, OwnerHold>
  /** Names of acts on single messages under way, so that a second press does not repeat them. */
  underWay: Set<string>
}

/** An act of the owner that can still be undone. */
export interface OwnerHold {
  why: 'cancelling' | 'moving'
  /** When the message may leave otherwise (ms). */
  until: number
  /** The sender that the message waits for. */
  senderId: number
  /** Carries it out, with all that belongs to the act: it cannot be undone any more. */
  finish(): Promise<void>
}

/** Context of all lanes. */
export interface LaneContext {
  messages: MessageStore
  queues: QueueStore
  sendingState: SendingStateStore
  suppressions: SuppressionStore
  /** Undefined: the sender is deleted. */
  senderOf: (senderId: number) => SenderRow | undefined
  /** True while the owner has paused all senders. A change wakes the lanes. */
  allPaused: () => boolean
  /** Messages with which the owner is doing something that can still be undone. */
  heldByOwner: ReadonlyMap<string, OwnerHold>
  record: Recorder
  media: {
    /** Downloads a file before its message leaves. */
    prefetch(messageId: string, url: string): void
    /** @throws MediaFailure, StorageError */
    take(messageId: string, url: string): Promise<MediaFile>
    release(messageId: string): Promise<void>
  }
  /**
   * Messages whose attempts may be counted at once; undefined: 16. It is 1 where each write has its
   * own commit: after a crash between two of them a later message would count as attempted, and an
   * earlier one not.
   */
  claimedAtOnce?: number | undefined
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime: () => number
  retry: RetryPolicy
  bus: Bus
  clock: Clock
  random: () => number
  logger: Logger
}

/** The parts of one lane that others do not share. */
export interface LaneParts {
  senderId: number
  channel: Channel
  /** True while every lane is held: the PC is about to sleep, or the owner paused all senders. */
  isHeld: () => boolean
}

/** The lanes of all senders. */
export interface LaneSet {
  /** Begins (or keeps) the lane of a sender. */
  open(senderId: number, channel: Channel): void
  /** Takes nothing more and waits as `Lane.stop` does. */
  shut(senderId: number, ms?: number): Promise<void>
  wake(senderId: number): void
  isInFlight(senderId: number, seq: number): boolean
  /** The PC goes to sleep: nothing new leaves until `resume`. */
  suspend(): void
  resume(): void
  isSuspended(): boolean
  /** Settles what a crash left, of one sender or (undefined) all. Before the lane opens. */
  recover(senderId?: number): Promise<void>
  stop(ms: number): Promise<void>
}
