import { randomBytes } from 'node:crypto'
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

// The lane looks at a claimed row again after this time, even if no process remembers the attempt.
const LEASE = 5 * MINUTE

/** A message whose attempt is counted and whose id is on disk. A template gets its id from Meta. */
interface Claimed {
  outgoing: Message
  file: MediaFile | null
  isFirstContact: boolean
}

type Lane = ReturnType<typeof createLane>

/**
 * Sends the messages of one sender in order, one decision at a time. The database is the truth; a
 * lane remembers only which messages are in flight. A row may change after the lane read it, so a
 * claim checks the row again inside its transaction.
 */
function createLane(context: LaneContext, lane: LaneParts) {
  const { sendingState, record, clock } = context
  const { senderId, channel } = lane
  let state: LaneState = IDLE
  /** Attempts that have no outcome yet, or whose outcome is not on disk yet. */
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

  /** Counts the attempt, and stores its WhatsApp id and the next time by the pacing. */
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
      // If the database server was lost, it may still have stored the claim, so take the claim back
      // before a later message leaves.
      if (error instanceof StorageError && ['no_server', 'in_doubt'].includes(error.problem))
        await results.store({ ...message, attempts: message.attempts + 1 }, { kind: 'offline' }, isFirstContact)
      throw error
    })
    return changed === undefined ? null : { outgoing: changed.after, file, isFirstContact }
  }

  /** Sends a claimed message. Resolves when it is written; its outcome is stored later. */
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

  /** Prepares messages, counts their attempts together, and dispatches them one by one. */
  async function send(rows: Message[], sender: SenderRow, returnsAtRead: number): Promise<void> {
    const prepared: Prepared[] = []
    for (const row of rows) {
      const ready = await prepare(row)
      if (ready === 'again') break
      if (ready !== null) prepared.push(ready)
    }
    // While a file was fetched, the owner may have paused, or the PC may have begun to sleep.
    if (stopping.signal.aborted || isStopped(context.senderOf(senderId) ?? sender)) return
    if (state.returns !== returnsAtRead) return
    const claimed = await Promise.all(prepared.map((each) => claim(each, sender)))
    for (const each of claimed) if (each !== null) await dispatch(each, returnsAtRead)
  }

  /** Takes one decision. Resolves with the time of the next; null: when something changes. */
  async function step(): Promise<number | null> {
    const now = clock.now()
    const sender = context.senderOf(senderId)
    if (sender === undefined) return null
    const expiry = await expireOverdue(now)
    if (expiry === now) return now
    // Checked before the queue is read, because an unlinked sender may have a long queue and each
    // new message wakes its lane.
    if (isStopped(sender)) return expiry
    const returnsAtRead = state.returns
    const waiting = await queue.read(now)
    const [head] = waiting
    return head === undefined ? expiry : earlier(await serve(sender, { head, waiting, returnsAtRead, now }), expiry)
  }

  /** Serves the first message of the queue. Resolves as `step` does. */
  async function serve(
    sender: SenderRow,
    { head, waiting, returnsAtRead, now }: { head: Message; waiting: Message[]; returnsAtRead: number; now: number },
  ): Promise<number | null> {
    const gate = nextOpening(sender.settings, await sendingState.get(senderId), now)
    queue.prefetch(waiting, Math.max(gate.at, now))
    const turn = turnOf(state, { returns: returnsAtRead, headAt: head.nextAt ?? now }, gate.at, now)
    if (turn !== 'send') return turn
    // The answer to the earlier message wakes the lane.
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
        // A full or locked disk, for example. Nothing was decided, so the lane looks again soon.
        context.logger.error({ err: error, sender: senderId }, 'a lane could not go on')
        until = clock.now() + REST
      }
      if (!stopping.signal.aborted && (until === null || until > clock.now())) await waker.sleep(until)
    }
  }
  const running = run()

  return {
    wake: waker.wake,
    isInFlight: (seq: number): boolean => state.attempts.has(seq),
    /** Sends nothing more, and waits for messages in flight, at most `ms`; default: for all. */
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

/** Returns an id in the form of WhatsApp's web client. All attempts of a message share one id. */
const newWhatsAppId = (): string => `3EB0${randomBytes(9).toString('hex').toUpperCase()}`

/** Returns the earlier of two times; null means never. Pure. */
const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

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

/** Creates the set of lanes, one per sender; lanes never wait for each other. */
export function createLanes(context: LaneContext): LaneSet {
  const lanes = new Map<number, Lane>()
  let suspended = false
  const isHeld = () => suspended || context.allPaused()
  const unsubscribe = context.bus.on('lane', ({ senderId }) => lanes.get(senderId)?.wake())

  /**
   * Returns the change for a message whose attempt a crash interrupted. If it is tried again, it is
   * due at once, so that no later message overtakes it.
   */
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
      const left = await context.queues.interrupted()
      const ours = left.filter(({ laneId }) => senderId === undefined || laneId === senderId)
      await Promise.all(ours.map(({ seq }) => context.record.change({ seq }, interrupted)))
    },
    async stop(ms) {
      unsubscribe()
      await Promise.all([...lanes.values()].map((lane) => lane.stop(ms)))
    },
  }
}
