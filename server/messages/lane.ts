import type { Channel, Outcome, Outgoing } from '../channels/channel.ts'
import type { Clock } from '../lib/clock.ts'
import { localDay } from '../lib/local-time.ts'
import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'
import { createWaker } from '../lib/waker.ts'
import { MediaFailure } from '../media/failure.ts'
import type { MediaFile } from '../media/fetch.ts'
import type { Message } from '../store/rows.ts'
import type { Lanes } from '../store/sqlite/lanes.ts'
import type { Messages } from '../store/sqlite/messages.ts'
import type { SenderRow } from '../store/sqlite/senders.ts'
import { nextOpening } from './gates.ts'
import { afterOutcome, failed, type RetryPolicy, restrictionWait } from './outcome.ts'
import type { Recorder } from './record.ts'

// Stanzas that may be unacknowledged at once where the owner wants no pacing.
const WINDOW = 16
// A claimed row is looked at again after this even if nobody remembers the attempt.
const LEASE = 5 * 60_000
// How far ahead, in time and in messages, files are fetched.
const LOOK_AHEAD = 60_000
const LOOK_AT = 4
// A slow file server must not hold up the messages behind: its message steps aside, the download goes on.
const MEDIA_PATIENCE = 15_000

export interface MediaDesk {
  prefetch(messageId: string, url: string): void
  /** @throws MediaFailure */
  take(messageId: string, url: string): Promise<MediaFile>
  release(messageId: string): Promise<void>
}

export interface LaneDeps {
  sender: () => SenderRow | undefined
  senderId: number
  channel: Channel
  messages: Pick<Messages, 'due' | 'nextDue' | 'attempts' | 'content'>
  lanes: Lanes
  record: Recorder
  media: MediaDesk
  newWhatsAppId: () => string
  clock: Clock
  random: () => number
  retry: RetryPolicy
  logger: Logger
}

export interface Lane {
  /** Something may have changed: look again. */
  wake(): void
  /** Takes no further message and waits for those on their way, at most `ms`. */
  stop(ms: number): Promise<void>
}

/** Sends the messages of one sender in order, one decision at a time. The table is the truth; a lane remembers only what is in flight. */
export function createLane(deps: LaneDeps): Lane {
  const { senderId, channel, messages, lanes, record, clock } = deps
  const inFlight = new Map<number, Promise<void>>()
  const waker = createWaker(clock)
  let stopped = false

  async function expire(message: Message): Promise<void> {
    await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null ? null : failed(m, m.attempts > 0 ? 'not_acknowledged' : 'expired', clock.now()),
    )
    await deps.media.release(message.id)
  }

  async function settle(message: Message, outcome: Outcome): Promise<void> {
    const now = clock.now()
    const doubtful = messages.attempts(message.seq).some((attempt) => attempt.outcome === 'unknown')
    const changed = await record.change(
      { seq: message.seq },
      (m) => afterOutcome(m, outcome, now, { retry: deps.retry, doubtful }),
      () => {
        if (outcome.kind === 'acknowledged') lanes.set(senderId, { lastSentAt: now })
        if (outcome.kind === 'refused' && outcome.code === 'account_restricted') {
          const restrictions = lanes.get(senderId).restrictions + 1
          lanes.set(senderId, { restrictions, restrictedUntil: now + restrictionWait(restrictions) })
        }
      },
      'soon',
    )
    if (changed === undefined || changed.after.nextAt === null) await deps.media.release(message.id)
  }

  /** Counts the attempt and stores its WhatsApp id, together with the pacing that follows from it. */
  async function claim(message: Message, sender: SenderRow): Promise<Outgoing | undefined> {
    const now = clock.now()
    const { min_seconds: min, max_seconds: max } = sender.settings.pacing
    const changed = await record.change(
      { seq: message.seq },
      (m) =>
        m.nextAt === null || m.nextAt > now
          ? null
          : {
              status: 'sending',
              at: now,
              nextAt: now + LEASE,
              attemptBegins: true,
              providerMessageId: m.providerMessageId ?? deps.newWhatsAppId(),
            },
      (m) => {
        const state = lanes.get(senderId)
        const day = localDay(now)
        const before = state.day === day ? state.sentOnDay : 0
        const pause = (min + (max - min) * deps.random()) * 1000
        lanes.set(senderId, { day, sentOnDay: before + (m.attempts === 1 ? 1 : 0), pacedUntil: now + pause })
      },
    )
    return changed?.after as Outgoing | undefined
  }

  async function fetchMedia(message: Message): Promise<{ file: MediaFile | null } | Outcome> {
    // What was given to WhatsApp once is kept: a second attempt must not bear other content under the same id.
    if (message.file === null || messages.content(message.seq) !== undefined) return { file: null }
    const patience = new AbortController()
    const late = sleep(clock, MEDIA_PATIENCE, patience.signal).then(() => 'late' as const)
    late.catch(() => undefined)
    try {
      const file = await Promise.race([deps.media.take(message.id, message.file), late])
      return file === 'late' ? { kind: 'not_sent', reason: 'the file is still being downloaded' } : { file }
    } catch (error) {
      if (!(error instanceof MediaFailure)) throw error
      const hint = error.hint === undefined ? {} : { hint: error.hint }
      return { kind: 'refused', code: error.code, detail: error.message, ...hint }
    } finally {
      patience.abort()
    }
  }

  /** Returns whether the lane may go on at once; not so without a connection. */
  async function sendOne(message: Message, sender: SenderRow): Promise<boolean> {
    const { restrictedUntil } = lanes.get(senderId)
    if (restrictedUntil > clock.now() && channel.isFirstContact(message)) {
      await stepAside(message, restrictedUntil)
      return true
    }
    const checked = await channel.check(message)
    if (checked !== 'go') return settleEarly(message, checked)
    const media = await fetchMedia(message)
    if ('kind' in media) return settleEarly(message, media)
    const outgoing = await claim(message, sender)
    if (outgoing === undefined) return true
    const flight = await channel.send(outgoing, media.file)
    inFlight.set(
      message.seq,
      flight.outcome
        .then((outcome) => settle(outgoing, outcome))
        .catch((error: unknown) =>
          deps.logger.error({ err: error, message: message.id }, 'could not record an outcome'),
        )
        .finally(() => {
          inFlight.delete(message.seq)
          waker.wake()
        }),
    )
    return true
  }

  /** No attempt was made: a clear no ends the message; without an answer it steps aside for a moment. */
  async function settleEarly(message: Message, outcome: Outcome): Promise<boolean> {
    if (outcome.kind === 'offline') return false
    if (outcome.kind === 'refused') await settle(message, outcome)
    else await stepAside(message, clock.now() + (deps.retry.waits[0] ?? 0))
    return true
  }

  async function stepAside(message: Message, nextAt: number): Promise<void> {
    await record.change({ seq: message.seq }, (m) => (m.nextAt === null ? null : { at: clock.now(), nextAt }))
  }

  /** One decision. Returns the time until which there is nothing to do; null: until something changes. */
  async function step(): Promise<number | null> {
    const now = clock.now()
    const sender = deps.sender()
    const ahead = messages.due(senderId, Number.MAX_SAFE_INTEGER, LOOK_AT)
    const [head] = ahead
    if (sender === undefined || head === undefined) return null
    if (head.expiresAt <= now && !inFlight.has(head.seq)) {
      await expire(head)
      return now
    }
    if (sender.paused || !channel.ready()) return inFlight.has(head.seq) ? null : head.expiresAt
    const gate = nextOpening(sender.settings, lanes.get(senderId), now)
    for (const m of ahead) {
      const soon = (m.nextAt ?? 0) <= Math.max(gate.at, now) + LOOK_AHEAD
      if (soon && m.file !== null && m.attempts === 0) deps.media.prefetch(m.id, m.file)
    }
    if (gate.at > now) return gate.at
    if (inFlight.size >= WINDOW) return null
    const isNext = (m: Message): boolean => (m.nextAt ?? 0) <= now && !inFlight.has(m.seq)
    // Rows in flight are due only when their lease ran out, so the long look is rarely needed.
    const next = ahead.find(isNext) ?? messages.due(senderId, now, inFlight.size + 1).find(isNext)
    if (next === undefined) {
      const due = messages.nextDue(senderId)
      return due !== null && due > now ? due : null
    }
    return (await sendOne(next, sender)) ? now : null
  }

  async function run(): Promise<void> {
    while (!stopped) {
      let until: number | null
      try {
        until = await step()
      } catch (error) {
        // A full or locked disk: nothing was decided, so the lane looks again soon.
        deps.logger.error({ err: error, sender: senderId }, 'a lane could not go on')
        until = clock.now() + 5_000
      }
      if (!stopped && (until === null || until > clock.now())) await waker.sleep(until)
    }
  }
  const running = run()

  return {
    wake: waker.wake,
    async stop(ms) {
      stopped = true
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
