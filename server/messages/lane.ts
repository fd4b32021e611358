import { randomBytes } from 'node:crypto'
import { CHANNELS } from '../contract/messages.ts'
import { MINUTE } from '../lib/clock.ts'
import { createWaker } from '../lib/sleep.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { MediaFile } from '../media/fetch.ts'
import type { Also, Change, Message, SenderRow } from '../store/index.ts'
import { alreadyLanded } from './channel.ts'
import type { LaneContext, LaneParts, LaneSet } from './context.ts'
import { countSend, nextOpening, pacedUntil, stoppedBy } from './gates.ts'
import { createLanePreparation, createLaneQueue, type Prepared } from './lane-queue.ts'
import { IDLE, type LaneEvent, type LaneState, next, REST, turnOf } from './lane-state.ts'
import { createResults } from './results.ts'
import { afterOutcome } from './status.ts'

// A claimed row is looked at again after this, even if nothing remembers the attempt.
const LEASE = 5 * MINUTE

/** Counted as an attempt, with its id on disk; a template's comes from Meta later. */
interface Claimed {
  outgoing: Message
  file: MediaFile | null
  isFirstContact: boolean
}

type Lane = ReturnType<typeof createLane>

/**
 * Sends the messages of one sender in order, one decision at a time. The table is the truth; a lane
 * remembers only what is in flight. What it reads may be outdated a moment later: a claim looks
 * again, inside its transaction.
 */
function createLane(context: LaneContext, lane: LaneParts) {
  const { sendingState, record, clock } = context
  const { senderId, channel } = lane
  let state: LaneState = IDLE
  /** Attempts whose results are not stored yet. */
  const landings = new Set<Promise<void>>()
  const waker = createWaker(clock)
  const stopping = new AbortController()
  const results = createResults(context, stopping.signal)
  const attempts = () => state.attempts
  const queue = createLaneQueue(context, lane, attempts)
  const { prepare, expireOverdue } = createLanePreparation(context, lane, attempts, results.store, () =>
    note({ type: 'offline', isReady: channel.ready(), now: clock.now() }),
  )

  function note(event: LaneEvent): void {
    state = next(state, event)
  }

  const isStopped = (sender: SenderRow): boolean =>
    stoppedBy({
      paused: sender.paused || lane.isHeld(),
      connected: channel.ready(),
      otherPhone: sender.previousPhone !== null,
    }) !== null

  /** Counts the attempt and stores its WhatsApp id, with the pacing that follows from it. */
  async function claim({ message, file, isFirstContact }: Prepared, sender: SenderRow): Promise<Claimed | null> {
    const now = clock.now()
    const until = pacedUntil(sender.settings.pacing, now, context.random())
    const known = {
      ...(message.channel === 'template' ? {} : { providerMessageId: message.providerMessageId ?? newWhatsAppId() }),
      ...(file === null ? {} : { fileSha256: file.sha256 }),
    }
    const mayBegin = (m: Message) =>
      m.nextAt !== null &&
      m.nextAt <= now &&
      m.laneId === senderId &&
      m.expiresAt > (m.endNamed === 'no' ? context.endTime() : now) &&
      !context.heldByOwner.has(m.id)
    const begin = (m: Message) => (mayBegin(m) ? { ...claimOf(m, now, until), ...known } : null)
    const changed = await record.change({ seq: message.seq }, begin).catch(async (error: unknown) => {
      // A database server that was lost may have stored the claim all the same: it is taken back
      // before a later message leaves.
      if (error instanceof StorageError && ['no_server', 'in_doubt'].includes(error.problem))
        await results.store({ ...message, attempts: message.attempts + 1 }, { kind: 'offline' }, isFirstContact)
      throw error
    })
    return changed === undefined ? null : { outgoing: changed.after, file, isFirstContact }
  }

  /** Resolves when the message is written; its result is stored later. */
  async function dispatch({ outgoing, file, isFirstContact }: Claimed, returnsAtRead: number): Promise<void> {
    const { seq } = outgoing
    const flight =
      state.returns !== returnsAtRead || stopping.signal.aborted
        ? alreadyLanded({ kind: 'offline' })
        : await channel.send(outgoing, file)
    note({ type: 'dispatched', seq })
    const landed = flight.outcome
      .then((outcome) => {
        note({ type: 'landed', seq, outcome, isReady: channel.ready(), now: clock.now() })
        return results.store(outgoing, outcome, isFirstContact)
      })
      .finally(() => {
        note({ type: 'stored', seq })
        landings.delete(landed)
        waker.wake()
      })
    landings.add(landed)
  }

  /** Prepares messages, counts their attempts together, and dispatches one after the other. */
  async function send(rows: Message[], sender: SenderRow, returnsAtRead: number): Promise<void> {
    const prepared: Prepared[] = []
    for (const row of rows) {
      const ready = await prepare(row)
      if (ready === 'again') break
      if (ready !== null) prepared.push(ready)
    }
    // The owner may have paused, or the PC gone to sleep, while a file was fetched.
    if (stopping.signal.aborted || isStopped(context.senderOf(senderId) ?? sender)) return
    if (state.returns !== returnsAtRead) return
    const claimed = await Promise.all(prepared.map((each) => claim(each, sender)))
    for (const each of claimed) if (each !== null) await dispatch(each, returnsAtRead)
  }

  /** One decision. Resolves with when to look again; null: when something changes. */
  async function step(): Promise<number | null> {
    const now = clock.now()
    const sender = context.senderOf(senderId)
    if (sender === undefined) return null
    const expiry = await expireOverdue(now)
    if (expiry === now) return now
    // Before the queue is read: that of a sender that is not linked may be long, and each new
    // message wakes the lane.
    if (isStopped(sender)) return expiry
    const returnsAtRead = state.returns
    const waiting = await queue.read(now)
    const [head] = waiting
    return head === undefined ? expiry : earlier(await serve(sender, { head, waiting, returnsAtRead, now }), expiry)
  }

  /** Serves the first of the queue. Resolves as `step` does. */
  async function serve(
    sender: SenderRow,
    { head, waiting, returnsAtRead, now }: { head: Message; waiting: Message[]; returnsAtRead: number; now: number },
  ): Promise<number | null> {
    const gate = nextOpening(sender.settings, await sendingState.get(senderId), now)
    queue.prefetch(waiting, Math.max(gate.at, now))
    const turn = turnOf(state, { returns: returnsAtRead, headAt: head.nextAt ?? now }, gate.at, now)
    if (turn !== 'send') return turn
    // The answer to that message wakes the lane.
    if (channel.isWritingTo?.(head.recipient)) return null
    await send(await queue.batchOf(head, waiting, sender, now), sender, returnsAtRead)
    return now
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      let until: number | null
      try {
        until = await step()
      } catch (error) {
        // A full or locked disk: nothing was decided, so the lane looks again soon.
        context.logger.error({ err: error, sender: senderId }, 'a lane could not go on')
        until = clock.now() + REST
      }
      if (!stopping.signal.aborted && (until === null || until > clock.now())) await waker.sleep(until)
    }
  }
  const running = run()

  return {
    /** Something may have changed: look again. */
    wake: waker.wake,
    /** True while an attempt of this message is under way. */
    isInFlight: (seq: number): boolean => state.attempts.has(seq),
    /** Takes nothing more and waits for what is on its way, at most `ms`; default: all of it. */
    async stop(ms?: number): Promise<void> {
      stopping.abort()
      waker.wake()
      const finished = running.then(() => Promise.all(landings))
      if (ms === undefined) return void (await finished)
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

/** An id as WhatsApp's web client makes them; every attempt of a message has the same one. */
const newWhatsAppId = (): string => `3EB0${randomBytes(9).toString('hex').toUpperCase()}`

/** The earlier of two times; null is never. Pure. */
const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/** The change that begins an attempt. Pure. */
function claimOf(message: Message, now: number, pacedUntil: number): Change {
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
    also: [counted],
  }
}

/** One lane per sender; lanes never wait for each other. */
export function createLanes(context: LaneContext): LaneSet {
  const lanes = new Map<number, Lane>()
  let suspended = false
  const isHeld = () => suspended || context.allPaused()
  const unsubscribe = context.bus.on('lane', ({ senderId }) => lanes.get(senderId)?.wake())

  /** Due at once: it goes before all others, so that nothing that came later overtakes it. */
  function interrupted(message: Message): Change | null {
    const now = context.clock.now()
    const kind = message.channel === 'template' ? 'in_doubt' : 'unknown'
    const outcome = { kind, reason: 'Kurir was stopped in the middle' } as const
    const change = afterOutcome(message, outcome, now, { retry: context.retry, doubtful: true })
    return change === null || change.nextAt === null ? change : { ...change, nextAt: now }
  }

  return {
    open(senderId, channel) {
      if (lanes.has(senderId)) return
      lanes.set(senderId, createLane(context, { senderId, channel, isHeld }))
    },
    async shut(senderId, ms) {
      const lane = lanes.get(senderId)
      lanes.delete(senderId)
      await lane?.stop(ms)
    },
    wake: (senderId) => lanes.get(senderId)?.wake(),
    isInFlight: (senderId, seq) => lanes.get(senderId)?.isInFlight(seq) ?? false,
    isSuspended: () => suspended,
    suspend() {
      suspended = true
    },
    resume() {
      suspended = false
      for (const lane of lanes.values()) lane.wake()
    },
    async recover(senderId) {
      for (const channel of CHANNELS) {
        const left = await context.queues.interrupted(channel)
        const ours = left.filter(({ laneId }) => senderId === undefined || laneId === senderId)
        await Promise.all(ours.map(({ seq }) => context.record.change({ seq }, interrupted)))
      }
    },
    async stop(ms) {
      unsubscribe()
      await Promise.all([...lanes.values()].map((lane) => lane.stop(ms)))
    },
  }
}
