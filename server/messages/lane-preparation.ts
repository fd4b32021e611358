import { MINUTE } from '../lib/time.ts'
import type { MediaFile } from '../media/fetch.ts'
import type { Message } from '../store/index.ts'
import type { Checked } from './channel.ts'
import type { LaneContext, LaneOf } from './lane-context.ts'
import { createLaneMedia } from './lane-media.ts'
import { endedByOptOut, isUnwanted } from './opted-out.ts'
import { givenUp, type Results } from './results.ts'

const EXPIRED_AT_ONCE = 100
const LOOKED_AGAIN_AFTER = 10 * MINUTE

/** Ready to be claimed: everything that takes time is done. */
export interface Prepared {
  message: Message
  file: MediaFile | null
  isFirstContact: boolean
}

/**
 * Prepares messages before an attempt is counted: one expires, is not wanted, steps aside, or is
 * made ready.
 * @param storeResult stores the outcome of an attempt
 * @param onOffline hears that the connection was not there
 */
export function createLanePreparation(
  context: LaneContext,
  { senderId, channel }: LaneOf,
  storeResult: Results['store'],
  onOffline: () => void,
) {
  const { messages, record, clock } = context
  const fetchMedia = createLaneMedia(context)

  /**
   * Those whose time is over end, wherever they are in the queue. Resolves with when the next one
   * does.
   */
  async function expireOverdue(now: number, inFlight: ReadonlyMap<number, unknown>): Promise<number | null> {
    const next = await messages.nextExpiry(senderId)
    if (next === null || next > now) return next
    const overdue = await messages.overdue(senderId, { now, ended: context.endTime() }, inFlight.size + EXPIRED_AT_ONCE)
    const free = overdue.filter(({ seq }) => !inFlight.has(seq))
    await Promise.all(free.map((each) => giveUp(each, 'expired')))
    // One in flight is looked at again when it lands; whose end is put off after a start, later.
    return free.length > 0 ? now : now + LOOKED_AGAIN_AFTER
  }

  /**
   * True if its recipient does not want it, from its own sender or from the one at the end of its
   * second road.
   */
  async function isRefused({ senderId: own, recipient, purpose }: Message): Promise<boolean> {
    for (const each of new Set([own, senderId]))
      if (isUnwanted(await context.suppressions.scopeOf(each, recipient), purpose)) return true
    return false
  }

  /** Resolves with whether it came to its end here, also where an earlier attempt failed. */
  async function endUnwanted(message: Message): Promise<boolean> {
    const earlier = message.attempts === 0 ? [] : await messages.attempts(message.seq)
    const doubtful = earlier.some(({ outcome }) => outcome === 'unknown')
    const ended = await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null || m.laneId !== senderId ? null : endedByOptOut(m, doubtful, clock.now()),
    )
    if (ended !== undefined) await context.media.release(message.id)
    return ended !== undefined
  }

  async function giveUp(message: Message, code: 'expired' | 'sender_deleted'): Promise<null> {
    await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null || m.laneId !== senderId ? null : givenUp(m, code, clock.now()),
    )
    await context.media.release(message.id)
    return null
  }

  /**
   * Everything that an attempt needs before it is counted; null: the message was dealt with in
   * another way; `again`: a question took its turn, and nothing overtakes it meanwhile.
   */
  async function prepare(message: Message): Promise<Prepared | null | 'again'> {
    if (context.senderOf(message.senderId) === undefined) return giveUp(message, 'sender_deleted')
    const cancelledBy = context.beingCancelled.get(message.id)
    if (cancelledBy !== undefined) return stepAside(message, cancelledBy)
    if ((await isRefused(message)) && (await endUnwanted(message))) return null
    const { restrictedUntil } = await context.sendingState.get(senderId)
    const isFirstContact = await channel.isFirstContact(message)
    if (restrictedUntil > clock.now() && isFirstContact) return stepAside(message, restrictedUntil)
    const checked = await channel.check(message)
    if (checked === 'again') return checked
    if (checked !== 'go') return settleEarly(message, checked)
    const media = await fetchMedia(message)
    return 'kind' in media ? settleEarly(message, media) : { message, file: media.file, isFirstContact }
  }

  /**
   * No attempt was made: a clear no ends the message; without an answer it steps aside for a
   * moment.
   */
  async function settleEarly(message: Message, outcome: Exclude<Checked, 'go' | 'again'>): Promise<null> {
    if (outcome.kind === 'wait') return stepAside(message, outcome.until)
    if (outcome.kind === 'offline') onOffline()
    else if (outcome.kind === 'refused') await storeResult(message, outcome, false)
    else await stepAside(message, clock.now() + (context.retry.waits[0] ?? 0))
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
