import type { MediaFile } from '../media/fetch.ts'
import type { Message, MessageStore, SendingStateStore, SuppressionStore } from '../store/index.ts'
import type { Channel, Checked } from './channel.ts'
import { createLaneMedia, type LaneMediaDeps } from './lane-media.ts'
import { endedByOptOut, isUnwanted } from './opted-out.ts'
import { givenUp, type Results, type ResultsDeps } from './results.ts'

const EXPIRED_AT_ONCE = 100

export interface LanePreparationDeps
  extends LaneMediaDeps,
    Pick<ResultsDeps, 'record' | 'isThere' | 'retry' | 'clock'> {
  senderId: number
  channel: Pick<Channel, 'check' | 'isFirstContact'>
  messages: LaneMediaDeps['messages'] & Pick<MessageStore, 'overdue' | 'nextExpiry' | 'attempts'>
  suppressions: Pick<SuppressionStore, 'scopeOf'>
  sendingState: Pick<SendingStateStore, 'get'>
  media: ResultsDeps['media'] & LaneMediaDeps['media']
  /** Messages that the owner is cancelling, and may still keep: when they may leave otherwise (milliseconds). */
  beingCancelled: ReadonlyMap<string, number>
  /** Stores the outcome of an attempt. */
  storeResult: Results['store']
  /** The connection was not there. */
  onOffline: () => void
}

/** Ready to be claimed: everything that takes time is done. */
export interface Prepared {
  message: Message
  file: MediaFile | null
  isFirstContact: boolean
}

/** What happens to a message of a lane before an attempt is counted: it expires, is not wanted, steps aside, or is made ready. */
export function createLanePreparation(deps: LanePreparationDeps) {
  const { senderId, channel, messages, record, clock } = deps
  const fetchMedia = createLaneMedia(deps)

  /** Those whose time is over end, wherever they are in the queue. Resolves with when the next one does. */
  async function expireOverdue(now: number, inFlight: ReadonlyMap<number, unknown>): Promise<number | null> {
    const next = await messages.nextExpiry(senderId)
    if (next === null || next > now) return next
    const overdue = await messages.overdue(senderId, now, inFlight.size + EXPIRED_AT_ONCE)
    const free = overdue.filter(({ seq }) => !inFlight.has(seq))
    await Promise.all(free.map((each) => giveUp(each, 'expired')))
    // One in flight is looked at again when it lands.
    return free.length > 0 ? now : null
  }

  /** Whether its recipient does not want it, from its own sender or from the one at the end of its second road. */
  async function isRefused({ senderId: own, recipient, purpose }: Message): Promise<boolean> {
    for (const each of new Set([own, senderId]))
      if (isUnwanted(await deps.suppressions.scopeOf(each, recipient), purpose)) return true
    return false
  }

  /** Resolves with whether it came to its end here, also where an earlier attempt failed. */
  async function endUnwanted(message: Message): Promise<boolean> {
    const earlier = message.attempts === 0 ? [] : await messages.attempts(message.seq)
    const doubtful = earlier.some(({ outcome }) => outcome === 'unknown')
    const ended = await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null || m.laneId !== senderId ? null : endedByOptOut(m, doubtful, clock.now()),
    )
    if (ended !== undefined) await deps.media.release(message.id)
    return ended !== undefined
  }

  async function giveUp(message: Message, code: 'expired' | 'sender_deleted'): Promise<null> {
    await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null || m.laneId !== senderId ? null : givenUp(m, code, clock.now()),
    )
    await deps.media.release(message.id)
    return null
  }

  /**
   * Everything that an attempt needs before it is counted; null: the message was dealt with in another way; `again`: a
   * question took its turn, and nothing overtakes it meanwhile.
   */
  async function prepare(message: Message): Promise<Prepared | null | 'again'> {
    if (!deps.isThere(message.senderId)) return giveUp(message, 'sender_deleted')
    const cancelledBy = deps.beingCancelled.get(message.id)
    if (cancelledBy !== undefined) return stepAside(message, cancelledBy)
    if ((await isRefused(message)) && (await endUnwanted(message))) return null
    const { restrictedUntil } = await deps.sendingState.get(senderId)
    const isFirstContact = await channel.isFirstContact(message)
    if (restrictedUntil > clock.now() && isFirstContact) return stepAside(message, restrictedUntil)
    const checked = await channel.check(message)
    if (checked === 'again') return checked
    if (checked !== 'go') return settleEarly(message, checked)
    const media = await fetchMedia(message)
    return 'kind' in media ? settleEarly(message, media) : { message, file: media.file, isFirstContact }
  }

  /** No attempt was made: a clear no ends the message; without an answer it steps aside for a moment. */
  async function settleEarly(message: Message, outcome: Exclude<Checked, 'go' | 'again'>): Promise<null> {
    if (outcome.kind === 'wait') return stepAside(message, outcome.until)
    if (outcome.kind === 'offline') deps.onOffline()
    else if (outcome.kind === 'refused') await deps.storeResult(message, outcome, false)
    else await stepAside(message, clock.now() + (deps.retry.waits[0] ?? 0))
    return null
  }

  async function stepAside(message: Message, nextAt: number): Promise<null> {
    await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null || m.laneId !== senderId ? null : { at: clock.now(), nextAt },
    )
    return null
  }

  return { prepare, expireOverdue }
}
