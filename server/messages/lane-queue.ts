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

/** Messages that share the commit which counts their attempts, where the owner wants no pacing. */
const BATCH = 16
// How far ahead, in time and in messages, files are fetched.
const PREFETCH_WITHIN = MINUTE
const MOST_PREFETCHED = 4

/** The queue of one sender. @param attempts those under way, by `seq`: newer than a read */
export function createLaneQueue(
  { queues, media, claimedAtOnce = BATCH }: LaneContext,
  { senderId, channel }: LaneParts,
  attempts: () => ReadonlyMap<number, unknown>,
) {
  /** Reads what is waiting, in the order in which it leaves. */
  async function read(now: number): Promise<Message[]> {
    // A message that lands while this is read shows as it was before: it counts as in flight all
    // the same.
    const flying = attempts()
    const isFree = (m: Message) => !flying.has(m.seq) && !attempts().has(m.seq)
    const again = await queues.repeats(senderId, now, flying.size + BATCH)
    const due = await queues.due(senderId, now, flying.size + BATCH)
    const waiting = byPriority(again, due).filter(isFree)
    const more = Math.max(0, MOST_PREFETCHED - waiting.length)
    // Rows in flight come late in this order (their lease is long), so the longer look is rarely
    // needed.
    const afterNow = { nextAt: now, seq: Number.MAX_SAFE_INTEGER }
    const later = more === 0 ? [] : await queues.waitingAfter(senderId, afterNow, flying.size + more)
    return [...waiting, ...later.filter(isFree)]
  }

  /** Messages that may leave with the first: nothing about them takes time. None overtakes. */
  async function batchOf(head: Message, waiting: Message[], sender: SenderRow, now: number): Promise<Message[]> {
    const { pacing, daily_cap } = sender.settings
    if (pacing.max_seconds > 0 || daily_cap !== null) return [head]
    const batch = [head]
    for (const m of waiting) {
      if (attempts().has(m.seq) || batch.some(({ seq }) => seq === m.seq)) continue
      if (batch.length >= Math.min(claimedAtOnce, WINDOW - attempts().size)) break
      if (channel.isWritingTo?.(m.recipient)) break
      // Those of a batch are written before any of them has its answer.
      if (channel.isWritingTo !== undefined && batch.some(({ recipient }) => recipient === m.recipient)) break
      const isQuick = (m.nextAt ?? 0) <= now && m.file === null && !(await channel.isFirstContact(m))
      if (!isQuick) break
      batch.push(m)
    }
    return batch
  }

  /** Files of messages that will leave soon. */
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
 * In each priority those for another attempt come first, so that nothing overtakes them again; each
 * once, in its order. Pure.
 */
function byPriority(again: readonly Message[], due: readonly Message[]): Message[] {
  const known = new Set(again.map(({ seq }) => seq))
  return [...again, ...due.filter(({ seq }) => !known.has(seq))].sort((a, b) => rankOf(a) - rankOf(b))
}

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
 * @param attempts those under way, by `seq`
 * @param storeResult stores the outcome of an attempt
 * @param onOffline hears that the connection was not there
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

  /** Changes a message that still waits in this lane. */
  const changeWaiting = ({ seq }: Message, decide: Decide) =>
    record.change({ seq }, (m) => (m.nextAt === null || m.laneId !== senderId ? null : decide(m)))

  /** Ends those whose time is over, anywhere in the queue. Resolves with the next end. */
  async function expireOverdue(now: number): Promise<number | null> {
    const next = await queues.nextExpiry(senderId)
    if (next === null || next > now) return next
    const overdue = await queues.overdue(senderId, { now, ended: context.endTime() }, attempts().size + EXPIRED_AT_ONCE)
    const free = overdue.filter(({ seq }) => !attempts().has(seq))
    await Promise.all(free.map((each) => giveUp(each, 'expired')))
    // A message in flight is looked at again when it lands; one whose end is put off after a start,
    // later.
    return free.length > 0 ? now : now + LOOKED_AGAIN_AFTER
  }

  /** True if its recipient opted out, of its own sender or that of its second road. */
  async function isOptedOut({ senderId: own, recipient, purpose }: Message): Promise<boolean> {
    for (const each of new Set([own, senderId]))
      if (isUnwanted(await context.suppressions.scopeOf(each, recipient), purpose)) return true
    return false
  }

  /** Resolves with whether the message ended here, also where an earlier attempt failed. */
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
   * Everything that an attempt needs before it is counted; null: the message was dealt with in
   * another way; `again`: a question took its turn, and nothing overtakes it meanwhile.
   */
  async function prepare(message: Message): Promise<Prepared | null | 'again'> {
    const sender = context.senderOf(message.senderId)
    if (sender === undefined) return giveUp(message, 'sender_deleted')
    const earlier = message.attempts === 0 ? [] : await messages.attempts(message.seq)
    // WhatsApp takes it for the same message only from the same number. A clock that was set back
    // since the number changed does not tell which one it was.
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

  /** Takes an outcome before any attempt: a clear no ends the message; else it steps aside. */
  async function settleUntried(message: Message, outcome: Exclude<Checked, 'go' | 'again'>): Promise<null | 'again'> {
    if (outcome.kind === 'wait') return waitUntil(message, outcome.until)
    if (outcome.kind === 'offline') onOffline()
    else if (outcome.kind === 'refused') await storeResult(message, outcome, false)
    else if (outcome.kind === 'put_off') await stepAside(message, outcome.until)
    else await stepAside(message, clock.now() + (context.retry.waits[0] ?? 0))
    return null
  }

  /** Steps aside; `again`: the reason ended before that was written, and would end no wait. */
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

// A slow file server must not hold up the messages behind: its message steps aside, the download
// goes on. While one is late, the lane waits for no other of that server, and few are begun.
const PATIENCE = 15 * SECOND
const MOST_LATE = 8
const LATE_SERVER_RESTS = MINUTE

/** Gives a lane the file of a message, or says what becomes of the message without it. */
function createLaneMedia({ media, messages, clock, logger }: LaneContext) {
  /** Downloads for which the lane waits no longer, by `seq`: their file servers. */
  const late = new Map<number, string>()

  return async (message: Message): Promise<{ file: MediaFile | null } | Outcome> => {
    // Content that WhatsApp was given once is kept: a second attempt must not have other content
    // under the same id.
    if (message.file === null || (await messages.content(message.seq)) !== undefined) return { file: null }
    // One that was sent along comes from no server: it stands for itself.
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
      // Only messages with files wait for it; a disk or a database that fails holds up all of them.
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

/** The name that the caller wants, with an extension that fits the content. */
function nameFor({ mimetype, kind, fileName }: MediaFile, wanted: string): string {
  const name = sanitise(wanted)
  return name === '' ? fileName : fileNameFor(name, mimetype, kind)
}
