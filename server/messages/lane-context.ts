import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { MediaFile } from '../media/fetch.ts'
import type { MessageStore, SenderRow, SendingStateStore, SuppressionStore } from '../store/index.ts'
import type { Channel } from './channel.ts'
import type { Recorder } from './record.ts'
import type { RetryPolicy } from './status.ts'

/** An act of the owner that can still be undone. */
export interface OwnerHold {
  why: 'cancelling' | 'moving'
  /** When the message may leave otherwise (ms). */
  until: number
}

/** Context of all lanes. */
export interface LaneContext {
  messages: MessageStore
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
  /** By which time a message ends whose caller named no end. */
  endTime: () => number
  retry: RetryPolicy
  bus: Bus
  clock: Clock
  random: () => number
  logger: Logger
}

/** One lane: what leaves through the channel of a sender. */
export interface LaneOf {
  senderId: number
  channel: Channel
  /** True while every lane is held: the PC is about to sleep, or the owner paused all senders. */
  isHeld: () => boolean
}
