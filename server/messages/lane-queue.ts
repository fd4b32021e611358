import { PRIORITIES } from '../contract/messages.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { sleep } from '../lib/sleep.ts'
import { isOfFiles } from '../lib/storage-error.ts'
import { MediaFailure, type MediaFile } from '../media/fetch.ts'
import { fileNameFor, sanitise } from '../media/file-name.ts'
import { type AttemptRow, type Decide, isUnwanted, type Message, type SenderRow } from '../store/index.ts'
import type { Checked, Outcome } from './channel.ts'
import type { LaneContext, LaneParts } from './context.ts'
import { WINDOW } from './lane-state.ts'
import type { Results } from './results.ts'
import { endedByOptOut, type GivenUp, givenUp, mayBeOfOtherNumber } from './status.ts'

/** Messages whose attempts are counted in one commit if the owner wants no pacing. */
const BATCH = 16
// Files of the next messages are fetched this far ahead.
const PREFETCH_WITHIN = MINUTE
const MOST_PREFETCHED = 4

/**
 * Creates the reading side of one sender's queue.
 * @param attempts returns the running attempts by `seq`, which a read may not show yet
 */
export function createLaneQueue(
  { queues, media, claimedAtOnce = BATCH }: LaneContext,
  { senderId, channel }: LaneParts,
  attempts: () => ReadonlyMap<number, unknown>,
) {
  /** Reads the next waiting messages, in the order in which they leave. */
  async function read(now: number): Promise<Message[]> {
    // A message that lands during these reads may be read in its old state, so it still counts as
    // in flight.
    const flying = attempts()
    const isFree = (m: Message) => !flying.has(m.seq) && !attempts().has(m.seq)
    const again = await queues.repeats(senderId, now, flying.size + BATCH)
    const due = await queues.due(senderId, now, flying.size + BATCH)
    const waiting = byPriority(again, due).filter(isFree)
    const more = Math.max(0, MOST_PREFETCHED - waiting.length)
    // Rows in flight come late in this order because their lease is long, so few of the rows read
    // are in flight.
    const afterNow = { nextAt: now, seq: Number.MAX_SAFE_INTEGER }
    const later = more === 0 ? [] : await queues.waitingAfter(senderId, afterNow, flying.size + more)
    return [...waiting, ...later.filter(isFree)]
  }

  /**
   * Returns the messages that may leave together with the first, because none of them needs a file
   * or a look-up. Stops at the first that does, so that none overtakes another.
   */
  async function batchOf(head: Message, waiting: Message[], sender: SenderRow, now: number): Promise<Message[]> {
    const { pacing, daily_cap } = sender.settings
    if (pacing.max_seconds > 0 || daily_cap !== null) return [head]
    const batch = [head]
    for (const m of waiting) {
      if (attempts().has(m.seq) || batch.some(({ seq }) => seq === m.seq)) continue
      if (batch.length >= Math.min(claimedAtOnce, WINDOW - attempts().size)) break
      if (channel.isWritingTo?.(m.recipient)) break
      // All messages of a batch are written before any of them is answered.
      if (channel.isWritingTo !== undefined && batch.some(({ recipient }) => recipient === m.recipient)) break
      const isQuick = (m.nextAt ?? 0) <= now && m.file === null && !(await channel.isFirstContact(m))
      if (!isQuick) break
      batch.push(m)
    }
    return batch
  }

  /** Begins to fetch the files of messages that will leave soon. */
  function prefetch(queue: Message[], opensAt: number): void {
    for (const m of queue.slice(0, MOST_PREFETCHED)) {
      const isNear = (m.nextAt ?? 0) <= opensAt + PREFETCH_WITHIN
      if (isNear && m.file !== null && m.attempts === 0) media.prefetch(m.id, m.file)
    }
  }

  return { read, batchOf, prefetch }
}

const rankOf = ({ priority }: Message): number => PRIORITIES.indexOf(priority)

/**
 * Sorts by priority. Within a priority, retries come first, so that nothing overtakes them again.
 * Each message appears once. Pure.
 */
function byPriority(again: readonly Message[], due: readonly Message[]): Message[] {
  const known = new Set(again.map(({ seq }) => seq))
  return [...again, ...due.filter(({ seq }) => !known.has(seq))].sort((a, b) => rankOf(a) - rankOf(b))
}

const EXPIRED_AT_ONCE = 100
const LOOKED_AGAIN_AFTER = 10 * MINUTE

/** A message that is ready to be claimed, because all slow work for it is done. */
export interface Prepared {
  message: Message
  file: MediaFile | null
  isFirstContact: boolean
}

/**
 * Creates the work before an attempt is counted: a message expires, is unwanted, steps aside, or
 * becomes ready.
 * @param attempts returns the running attempts by `seq`
 * @param storeResult stores the outcome of an attempt
 * @param onOffline is called when a check found no connection
 */
export function createLanePreparation(
  context: LaneContext,
  { senderId, channel }: LaneParts,
  attempts: () => ReadonlyMap<number, unknown>,
  storeResult: Results['store'],
  onOffline: () => void,
) {
  const { messages, queues, record, clock } = context
  const fetchMedia = createLaneMedia(context)

  /** Changes a message if it still waits in this lane; resolves with undefined if not. */
  const changeWaiting = ({ seq }: Message, decide: Decide) =>
    record.change({ seq }, (m) => (m.nextAt === null || m.laneId !== senderId ? null : decide(m)))

  /**
   * Ends all expired messages of the queue. Resolves with the time to call again: `now` if more may
   * be left, null if no message waits.
   */
  async function expireOverdue(now: number): Promise<number | null> {
    const next = await queues.nextExpiry(senderId)
    if (next === null || next > now) return next
    const overdue = await queues.overdue(senderId, { now, ended: context.endTime() }, attempts().size + EXPIRED_AT_ONCE)
    const free = overdue.filter(({ seq }) => !attempts().has(seq))
    await Promise.all(free.map((each) => giveUp(each, 'expired')))
    // None can end yet: the overdue messages are in flight and wake the lane when they land, or
    // their end is put off because Kurir was started recently.
    return free.length > 0 ? now : now + LOOKED_AGAIN_AFTER
  }

  /** True if the recipient opted out of the message's own sender or of its second road's sender. */
  async function isOptedOut({ senderId: own, recipient, purpose }: Message): Promise<boolean> {
    for (const each of new Set([own, senderId]))
      if (isUnwanted(await context.suppressions.scopeOf(each, recipient), purpose)) return true
    return false
  }

  /** Resolves with true if the message ended here; a message with earlier attempts may end too. */
  async function endOptedOut(message: Message, earlier: readonly AttemptRow[]): Promise<boolean> {
    const doubtful = earlier.some(({ outcome }) => outcome === 'unknown')
    const ended = await changeWaiting(message, (m) => endedByOptOut(m, doubtful, clock.now()))
    if (ended !== undefined) await context.media.release(message.id)
    return ended !== undefined
  }

  async function giveUp(message: Message, code: GivenUp): Promise<null> {
    await changeWaiting(message, (m) => givenUp(m, code, clock.now()))
    await context.media.release(message.id)
    return null
  }

  /**
   * Prepares a message for its attempt. Null: the message ended or steps aside. `again`: a question
   * to WhatsApp took this turn, and no other message may overtake this one.
   */
  async function prepare(message: Message): Promise<Prepared | null | 'again'> {
    const sender = context.senderOf(message.senderId)
    if (sender === undefined) return giveUp(message, 'sender_deleted')
    const earlier = message.attempts === 0 ? [] : await messages.attempts(message.seq)
    // WhatsApp recognises a repeated id only from the same number. If the clock was set back since
    // the number changed, times do not tell which number an attempt used.
    const isTold = (sender.phoneSince ?? 0) <= clock.now()
    if (isTold && mayBeOfOtherNumber(earlier, sender)) return giveUp(message, 'not_acknowledged')
    const held = context.heldByOwner.get(message.id)
    if (held !== undefined) return stepAside(message, held.until)
    if ((await isOptedOut(message)) && (await endOptedOut(message, earlier))) return null
    const { restrictedUntil } = await context.sendingState.get(senderId)
    const isFirstContact = await channel.isFirstContact(message)
    if (restrictedUntil > clock.now() && isFirstContact) return stepAside(message, restrictedUntil)
    const checked = await channel.check(message)
    if (checked === 'again') return checked
    if (checked !== 'go') return settleUntried(message, checked)
    const media = await fetchMedia(message)
    return 'kind' in media ? settleUntried(message, media) : { message, file: media.file, isFirstContact }
  }

  /**
   * Settles an outcome that came before the attempt: a refusal ends the message, any other outcome
   * but `offline` makes it step aside.
   */
  async function settleUntried(message: Message, outcome: Exclude<Checked, 'go' | 'again'>): Promise<null | 'again'> {
    if (outcome.kind === 'wait') return waitUntil(message, outcome.until)
    if (outcome.kind === 'offline') onOffline()
    else if (outcome.kind === 'refused') await storeResult(message, outcome, false)
    else if (outcome.kind === 'put_off') await stepAside(message, outcome.until)
    else await stepAside(message, clock.now() + (context.retry.waits[0] ?? 0))
    return null
  }

  /**
   * Makes a message step aside until a time. Checks once more afterwards, because a reason that
   * ended before the wait was stored would not end it; resolves with `again` in that case.
   */
  async function waitUntil(message: Message, until: number): Promise<null | 'again'> {
    await stepAside(message, until)
    const checked = await channel.check(message)
    if (typeof checked === 'object' && checked.kind === 'wait') return null
    await changeWaiting(message, ({ dueAt }) => ({ at: clock.now(), nextAt: dueAt }))
    return 'again'
  }

  async function stepAside(message: Message, nextAt: number): Promise<null> {
    await changeWaiting(message, () => ({ at: clock.now(), nextAt }))
    return null
  }

  return { prepare, expireOverdue }
}

// A slow file server must not hold up other messages: the message steps aside while its download
// continues. While a download is late, the lane waits for no other from that server, and begins
// only a few.
const PATIENCE = 15 * SECOND
const MOST_LATE = 8
const LATE_SERVER_RESTS = MINUTE

/** Creates the function that fetches a message's file, or returns an outcome without it. */
function createLaneMedia({ media, messages, clock, logger }: LaneContext) {
  /** File servers of the downloads that the lane has stopped waiting for, by `seq`. */
  const late = new Map<number, string>()

  return async (message: Message): Promise<{ file: MediaFile | null } | Outcome> => {
    // Content that WhatsApp got once is stored and reused, because a retry must not have other
    // content under the same id.
    if (message.file === null || (await messages.content(message.seq)) !== undefined) return { file: null }
    // An uploaded file has no server, so its own address stands for one.
    const server = URL.parse(message.file)?.host || message.file
    const lateOnes = [...late.values()].filter((each) => each === server).length
    if (lateOnes >= MOST_LATE && !late.has(message.seq))
      return { kind: 'put_off', reason: 'its file server is slow', until: clock.now() + LATE_SERVER_RESTS }
    const waiting = new AbortController()
    const over = sleep(clock, lateOnes > 0 ? 0 : PATIENCE, waiting.signal).then(() => 'late' as const)
    over.catch(() => undefined)
    try {
      const download = media.take(message.id, message.file)
      const file = await Promise.race([download, over])
      if (file === 'late') {
        const forget = () => void late.delete(message.seq)
        if (!late.has(message.seq)) download.then(forget, forget)
        late.set(message.seq, server)
        return { kind: 'not_sent', reason: 'the file is still being downloaded' }
      }
      const { filename } = message
      return { file: filename === null ? file : { ...file, fileName: nameFor(file, filename) } }
    } catch (error) {
      if ((await messages.find({ seq: message.seq }))?.nextAt == null)
        return { kind: 'not_sent', reason: 'it was cancelled' }
      // A failure of the file store delays only messages with files. A failing disk or database
      // stops the lane.
      if (isOfFiles(error)) {
        logger.warn({ err: error, id: message.id }, 'a file cannot be fetched now')
        return { kind: 'not_sent', reason: error.message }
      }
      if (!(error instanceof MediaFailure)) throw error
      const hint = error.hint === undefined ? {} : { hint: error.hint }
      return { kind: 'refused', code: error.code, detail: error.message, ...hint }
    } finally {
      waiting.abort()
    }
  }
}

/** Returns the file name that the caller wants, with an extension that fits the content. */
function nameFor({ mimetype, kind, fileName }: MediaFile, wanted: string): string {
  const name = sanitise(wanted)
  return name === '' ? fileName : fileNameFor(name, mimetype, kind)
}
