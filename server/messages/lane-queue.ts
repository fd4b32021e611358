import { PRIORITIES } from '../contract/messages.ts'
import { MINUTE } from '../lib/time.ts'
import type { Message, SenderRow } from '../store/index.ts'
import type { LaneContext, LaneOf } from './lane-context.ts'

/** Stanzas that may be unacknowledged at once where the owner wants no pacing. */
export const WINDOW = 32
/** Messages that share the commit which counts their attempts, where the owner wants no pacing. */
const BATCH = 16
// How far ahead, in time and in messages, files are fetched.
const LOOK_AHEAD = MINUTE
const LOOK_AT = 4

/**
 * The queue of one sender. `inFlight`: by `seq`, the attempts under way; a read may be older than
 * it.
 */
export function createLaneQueue(
  { messages, media, claimedAtOnce = BATCH }: LaneContext,
  { senderId, channel }: LaneOf,
  inFlight: ReadonlyMap<number, unknown>,
) {
  /** Reads what is waiting, in the order in which it leaves. */
  async function read(now: number): Promise<Message[]> {
    // A message that lands while this is read shows as it was before: it counts as in flight all
    // the same.
    const flying = new Set(inFlight.keys())
    const isFree = (m: Message) => !flying.has(m.seq) && !inFlight.has(m.seq)
    const again = await messages.repeats(senderId, now, flying.size + BATCH)
    const due = await messages.due(senderId, now, flying.size + BATCH)
    const waiting = byPriority(again, due).filter(isFree)
    const more = Math.max(0, LOOK_AT - waiting.length)
    // Rows in flight come late in this order (their lease is long), so the longer look is rarely
    // needed.
    const afterNow = { nextAt: now, seq: Number.MAX_SAFE_INTEGER }
    const later = more === 0 ? [] : await messages.waitingAfter(senderId, afterNow, flying.size + more)
    return [...waiting, ...later.filter(isFree)]
  }

  /**
   * The messages that may leave together with the first one: nothing about them takes time. None
   * overtakes another.
   */
  async function batchOf(head: Message, next: Message[], sender: SenderRow, now: number): Promise<Message[]> {
    const { pacing, daily_cap } = sender.settings
    if (pacing.max_seconds > 0 || daily_cap !== null) return [head]
    const batch = [head]
    for (const m of next) {
      if (inFlight.has(m.seq) || batch.some(({ seq }) => seq === m.seq)) continue
      if (batch.length >= Math.min(claimedAtOnce, WINDOW - inFlight.size)) break
      const isQuick = (m.nextAt ?? 0) <= now && m.file === null && !(await channel.isFirstContact(m))
      if (!isQuick) break
      batch.push(m)
    }
    return batch
  }

  /** Files of messages that will leave soon. */
  function prefetch(queue: Message[], opensAt: number): void {
    for (const m of queue.slice(0, LOOK_AT)) {
      const isNear = (m.nextAt ?? 0) <= opensAt + LOOK_AHEAD
      if (isNear && m.file !== null && m.attempts === 0) media.prefetch(m.id, m.file)
    }
  }

  return { read, batchOf, prefetch }
}

const rankOf = ({ priority }: Message): number => PRIORITIES.indexOf(priority)

/**
 * In each priority those for another attempt come first, so that nothing overtakes them again; each
 * once, in its order. Pure.
 */
function byPriority(again: readonly Message[], due: readonly Message[]): Message[] {
  const known = new Set(again.map(({ seq }) => seq))
  return [...again, ...due.filter(({ seq }) => !known.has(seq))].sort((a, b) => rankOf(a) - rankOf(b))
}
