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

export interface AcceptContext {
  store: Store
  bus: Bus
  newId: () => string
  now: () => number
}

export interface MessageFiles {
  uploads: Uploads
  /** @throws FileNotAllowed */
  openLocalFile: (address: string) => Promise<LocalFile>
  media: LaneContext['media']
}

/** Context of all work on messages except sending. */
export interface MessageContext extends AcceptContext {
  record: Recorder
  files: MessageFiles
  lanes: LaneSet
  /** Returns undefined if the sender's connection does not run in this process. */
  channelOf: (senderId: number) => Channel | undefined
  /** Acts of the owner that can still be undone, by message id. */
  heldByOwner: Map<string, OwnerHold>
  /** Names of running acts on single messages, so that a second click does not repeat them. */
  underWay: Set<string>
}

/** An act of the owner that can still be undone. */
export interface OwnerHold {
  why: 'cancelling' | 'moving'
  /** When the hold ends if nothing else ends it, in milliseconds since 1970. */
  until: number
  /** Sender in whose lane the message waits. */
  senderId: number
  /** Carries out the whole act at once, after which it cannot be undone. */
  finish(): Promise<void>
}

export interface LaneContext {
  messages: MessageStore
  queues: QueueStore
  sendingState: SendingStateStore
  suppressions: SuppressionStore
  /** Returns undefined if the sender is deleted. */
  senderOf: (senderId: number) => SenderRow | undefined
  /** True while the owner has paused all senders. Each change wakes the lanes. */
  allPaused: () => boolean
  /** Acts of the owner that can still be undone, by message id. */
  heldByOwner: ReadonlyMap<string, OwnerHold>
  record: Recorder
  media: {
    /** Begins to download a file that its message will need soon. */
    prefetch(messageId: string, url: string): void
    /** @throws MediaFailure, StorageError */
    take(messageId: string, url: string): Promise<MediaFile>
    release(messageId: string): Promise<void>
  }
  /**
   * Number of messages whose attempts are counted together; default: 16. Must be 1 where each write
   * has its own commit, because a crash between two commits could leave a later message counted as
   * attempted and an earlier one not.
   */
  claimedAtOnce?: number | undefined
  /** Time by which messages expire: now, or shortly after a start, when Kurir was last open. */
  endTime: () => number
  retry: RetryPolicy
  bus: Bus
  clock: Clock
  random: () => number
  logger: Logger
}

/** The parts that belong to one lane alone. */
export interface LaneParts {
  senderId: number
  channel: Channel
  /** True while all lanes are held: the PC is about to sleep, or the owner paused all senders. */
  isHeld: () => boolean
}

export interface LaneSet {
  /** Starts the lane of a sender; an open lane stays as it is. */
  open(senderId: number, channel: Channel): void
  /** Closes a lane: takes no new message, and waits for those in flight as `Lane.stop` does. */
  shut(senderId: number, ms?: number): Promise<void>
  wake(senderId: number): void
  isInFlight(senderId: number, seq: number): boolean
  /** Holds all lanes before the PC sleeps; nothing new leaves until `resume`. */
  suspend(): void
  resume(): void
  isSuspended(): boolean
  /**
   * Settles the attempts that a crash interrupted, of one sender or (undefined) of all. Must run
   * before the lane opens.
   */
  recover(senderId?: number): Promise<void>
  stop(ms: number): Promise<void>
}
