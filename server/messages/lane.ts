import { PRIORITIES } from '../contract/messages.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import { createWaker } from '../lib/waker.ts'
import type { MediaFile } from '../media/fetch.ts'
import type {
  Also,
  Change,
  Message,
  MessageStore,
  SenderRow,
  SendingStateStore,
  SuppressionStore,
} from '../store/index.ts'
import type { Channel, Checked } from './channel.ts'
import { nextOpening, stoppedBy } from './gates.ts'
import { createLaneMedia, type LaneMediaDeps } from './lane-media.ts'
import { cancelledByOptOut, isUnwanted } from './opted-out.ts'
import { createResults, givenUp, type ResultsDeps } from './results.ts'
import { countSend } from './sending-state.ts'

// Stanzas that may be unacknowledged at once where the owner wants no pacing.
const WINDOW = 16
// A claimed row is looked at again after this, even if nothing remembers the attempt.
const LEASE = 5 * MINUTE
// Where the owner wants no pacing, so many share the commit that counts their attempts.
const BATCH = 8
// How far ahead, in time and in messages, files are fetched.
const LOOK_AHEAD = MINUTE
const LOOK_AT = 4
const EXPIRED_AT_ONCE = 100
// Pause after a storage error or an unexpected `offline`.
const REST = 5 * SECOND

export interface LaneDeps extends ResultsDeps, LaneMediaDeps {
  senderId: number
  sender: () => SenderRow | undefined
  channel: Channel
  /** Whether every lane is held: the PC is about to sleep, or the owner paused all senders. */
  isHeld: () => boolean
  messages: Pick<MessageStore, 'find' | 'due' | 'later' | 'overdue' | 'nextExpiry' | 'repeats' | 'attempts' | 'content'>
  suppressions: Pick<SuppressionStore, 'scopeOf'>
  sendingState: Pick<SendingStateStore, 'get'>
  media: ResultsDeps['media'] & LaneMediaDeps['media'] & { prefetch(messageId: string, url: string): void }
  newWhatsAppId: () => string
  random: () => number
}

/** Ready to be claimed: everything that takes time is done. */
interface Prepared {
  message: Message
  file: MediaFile | null
  isFirstContact: boolean
}

/** Counted as an attempt, with its WhatsApp id on disk; Meta gives a template message its id later. */
interface Claimed {
  outgoing: Message
  file: MediaFile | null
  isFirstContact: boolean
}

export interface Lane {
  /** Something may have changed: look again. */
  wake(): void
  /** Whether an attempt of this message is under way. */
  isInFlight(seq: number): boolean
  /** Takes no further message and waits for those on their way, at most `ms`. */
  stop(ms: number): Promise<void>
}

/**
 * Sends the messages of one sender in order, one decision at a time. The table is the truth; a lane remembers only what is
 * in flight. What it reads may be outdated a moment later: a claim looks again, inside its transaction.
 */
export function createLane(deps: LaneDeps): Lane {
  const { senderId, channel, messages, sendingState, record, clock } = deps
  const inFlight = new Map<number, Promise<void>>()
  const waker = createWaker(clock)
  const stopping = new AbortController()
  const results = createResults(deps, stopping.signal)
  const fetchMedia = createLaneMedia(deps)
  let restingSince = Number.NEGATIVE_INFINITY

  const isStopped = (sender: SenderRow): boolean =>
    stoppedBy({
      paused: sender.paused || deps.isHeld(),
      connected: channel.ready(),
      otherPhone: sender.previousPhone !== null,
    }) !== null

  /** Those whose time is over end, wherever they are in the queue. Resolves with when the next one does. */
  async function expireOverdue(now: number): Promise<number | null> {
    const next = await messages.nextExpiry(senderId)
    if (next === null || next > now) return next
    const overdue = await messages.overdue(senderId, now, inFlight.size + EXPIRED_AT_ONCE)
    const free = overdue.filter(({ seq }) => !inFlight.has(seq))
    await Promise.all(free.map((each) => giveUp(each, 'expired')))
    // One in flight is looked at again when it lands.
    return free.length > 0 ? now : null
  }

  async function giveUp(message: Message, code: 'expired' | 'sender_deleted'): Promise<null> {
    await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null || m.laneId !== senderId ? null : givenUp(m, code, clock.now()),
    )
    await deps.media.release(message.id)
    return null
  }

  /** A connection that is lost wakes the lane when it is back; one that only seems to be there gets a pause. */
  function rest(): void {
    if (channel.ready()) restingSince = clock.now()
  }

  /**
   * Everything that an attempt needs before it is counted; null: the message was dealt with in another way; `again`: a
   * question took its turn, and nothing overtakes it meanwhile.
   */
  async function prepare(message: Message): Promise<Prepared | null | 'again'> {
    if (!deps.isThere(message.senderId)) return giveUp(message, 'sender_deleted')
    if (isUnwanted(await deps.suppressions.scopeOf(message.senderId, message.recipient), message.purpose)) {
      const cancelled = await record.change({ seq: message.seq }, (m) => cancelledByOptOut(m, clock.now()))
      if (cancelled !== undefined) await deps.media.release(message.id)
      if (cancelled !== undefined) return null
    }
    const { restrictedUntil } = await sendingState.get(senderId)
    const isFirstContact = await channel.isFirstContact(message)
    if (restrictedUntil > clock.now() && isFirstContact) return stepAside(message, restrictedUntil)
    const checked = await channel.check(message)
    if (checked === 'again') return checked
    if (checked !== 'go') return settleEarly(message, checked)
    const media = await fetchMedia(message)
    return 'kind' in media ? settleEarly(message, media) : { message, file: media.file, isFirstContact }
  }

  /** Counts the attempt and stores its WhatsApp id, together with the pacing that follows from it. */
  async function claim({ message, file, isFirstContact }: Prepared, sender: SenderRow): Promise<Claimed | null> {
    const now = clock.now()
    const { min_seconds: min, max_seconds: max } = sender.settings.pacing
    const pacedUntil = now + Math.round((min + (max - min) * deps.random()) * 1000)
    const whatsAppId = message.channel === 'template' ? undefined : (message.providerMessageId ?? deps.newWhatsAppId())
    const changed = await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null || m.nextAt > now || m.laneId !== senderId || m.expiresAt <= now
        ? null
        : claimOf(m, { now, pacedUntil, whatsAppId, fileSha256: file?.sha256 }),
    )
    return changed === undefined ? null : { outgoing: changed.after, file, isFirstContact }
  }

  /** Resolves when the message is written; its result is stored later. */
  async function dispatch({ outgoing, file, isFirstContact }: Claimed): Promise<void> {
    const flight = await channel.send(outgoing, file)
    const landed = flight.outcome
      .then(async (outcome) => {
        await results.store(outgoing, outcome, isFirstContact)
        if (outcome.kind === 'offline') rest()
      })
      .finally(() => {
        inFlight.delete(outgoing.seq)
        waker.wake()
      })
    inFlight.set(outgoing.seq, landed)
  }

  /** Attempts that are counted together leave one after the other. */
  async function send(rows: Message[], sender: SenderRow): Promise<void> {
    const prepared: Prepared[] = []
    for (const row of rows) {
      const ready = await prepare(row)
      if (ready === 'again') break
      if (ready !== null) prepared.push(ready)
    }
    // The owner may have paused, or the PC gone to sleep, while a file was fetched.
    if (stopping.signal.aborted || isStopped(deps.sender() ?? sender)) return
    const claimed = await Promise.all(prepared.map((each) => claim(each, sender)))
    for (const each of claimed) if (each !== null) await dispatch(each)
  }

  /** The messages that may leave together with the first one: nothing about them takes time. None overtakes another. */
  async function batchOf(head: Message, next: Message[], sender: SenderRow, now: number): Promise<Message[]> {
    const { pacing, daily_cap } = sender.settings
    if (pacing.max_seconds > 0 || daily_cap !== null) return [head]
    const batch = [head]
    for (const m of next) {
      if (inFlight.has(m.seq) || batch.some(({ seq }) => seq === m.seq)) continue
      if (batch.length >= Math.min(BATCH, WINDOW - inFlight.size)) break
      const isQuick = (m.nextAt ?? 0) <= now && m.file === null && !(await channel.isFirstContact(m))
      if (!isQuick) break
      batch.push(m)
    }
    return batch
  }

  /** No attempt was made: a clear no ends the message; without an answer it steps aside for a moment. */
  async function settleEarly(message: Message, outcome: Exclude<Checked, 'go' | 'again'>): Promise<null> {
    if (outcome.kind === 'wait') return stepAside(message, outcome.until)
    if (outcome.kind === 'offline') rest()
    else if (outcome.kind === 'refused') await results.store(message, outcome, false)
    else await stepAside(message, clock.now() + (deps.retry.waits[0] ?? 0))
    return null
  }

  async function stepAside(message: Message, nextAt: number): Promise<null> {
    await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null || m.laneId !== senderId ? null : { at: clock.now(), nextAt },
    )
    return null
  }

  /** Files of messages that will leave soon. */
  function prefetch(queue: Message[], opensAt: number): void {
    for (const m of queue.slice(0, LOOK_AT)) {
      const isNear = (m.nextAt ?? 0) <= opensAt + LOOK_AHEAD
      if (isNear && m.file !== null && m.attempts === 0) deps.media.prefetch(m.id, m.file)
    }
  }

  /** What is waiting, in the order in which it leaves. */
  async function look(now: number): Promise<{ queue: Message[]; head: Message | undefined }> {
    // A message that lands while this is read shows as it was before: it counts as in flight all the same.
    const flying = new Set(inFlight.keys())
    const isFree = (m: Message) => !flying.has(m.seq) && !inFlight.has(m.seq)
    const again = await messages.repeats(senderId, now, flying.size + BATCH)
    const due = await messages.due(senderId, now, flying.size + BATCH)
    const waiting = byPriority(again, due).filter(isFree)
    const more = Math.max(0, LOOK_AT - waiting.length)
    // Rows in flight come late in this order (their lease is long), so the longer look is rarely needed.
    const later = more === 0 ? [] : (await messages.later(senderId, now, flying.size + more)).filter(isFree)
    const queue = [...waiting, ...later]
    return { queue, head: queue[0] }
  }

  /** One decision. Resolves with the time until which there is nothing to do; null: until something changes. */
  async function step(): Promise<number | null> {
    const now = clock.now()
    const sender = deps.sender()
    if (sender === undefined) return null
    const expiry = await expireOverdue(now)
    if (expiry === now) return now
    const { queue, head } = await look(now)
    return head === undefined ? expiry : earlier(await serve(sender, { head, queue, now }), expiry)
  }

  /** What is done for the first of the queue. Resolves as `step` does. */
  async function serve(
    sender: SenderRow,
    { head, queue, now }: { head: Message; queue: Message[]; now: number },
  ): Promise<number | null> {
    if (isStopped(sender)) return null
    const gate = nextOpening(sender.settings, await sendingState.get(senderId), now)
    prefetch(queue, Math.max(gate.at, now))
    if (gate.at > now) return gate.at
    if (inFlight.size >= WINDOW) return null
    if (head.nextAt !== null && head.nextAt > now) return head.nextAt
    if (restingSince <= now && now < restingSince + REST) return restingSince + REST
    await send(await batchOf(head, queue, sender, now), sender)
    return now
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      let until: number | null
      try {
        until = await step()
      } catch (error) {
        // A full or locked disk: nothing was decided, so the lane looks again soon.
        deps.logger.error({ err: error, sender: senderId }, 'a lane could not go on')
        until = clock.now() + REST
      }
      if (!stopping.signal.aborted && (until === null || until > clock.now())) await waker.sleep(until)
    }
  }
  const running = run()

  return {
    wake: waker.wake,
    isInFlight: (seq) => inFlight.has(seq),
    async stop(ms) {
      stopping.abort()
      waker.wake()
      const finished = running.then(() => Promise.all(inFlight.values()))
      await new Promise<void>((done) => {
        const cancel = clock.after(ms, done)
        void finished.then(() => {
          cancel()
          done()
        })
      })
    },
  }
}

const rankOf = ({ priority }: Message): number => PRIORITIES.indexOf(priority)

/**
 * In each priority those for another attempt come first, so that nothing overtakes them again; each once, in its order.
 * Pure.
 */
function byPriority(again: readonly Message[], due: readonly Message[]): Message[] {
  const known = new Set(again.map(({ seq }) => seq))
  return [...again, ...due.filter(({ seq }) => !known.has(seq))].sort((a, b) => rankOf(a) - rankOf(b))
}

/** The earlier of two times; null is never. Pure. */
const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/** The change that begins an attempt. Pure. */
function claimOf(
  message: Message,
  {
    now,
    pacedUntil,
    whatsAppId,
    fileSha256,
  }: { now: number; pacedUntil: number; whatsAppId: string | undefined; fileSha256: string | undefined },
): Change {
  const isFirstAttempt = message.attempts === 0
  const counted: Also = {
    kind: 'sending_state',
    update: (state) => ({ ...(isFirstAttempt ? countSend(state, now) : state), pacedUntil }),
  }
  return {
    status: 'sending',
    at: now,
    nextAt: now + LEASE,
    attemptBegins: true,
    ...(whatsAppId === undefined ? {} : { providerMessageId: whatsAppId }),
    ...(fileSha256 === undefined ? {} : { fileSha256 }),
    also: [counted],
  }
}
