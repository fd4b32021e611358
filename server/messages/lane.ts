import { createWaker } from '../lib/waker.ts'
import type { MediaFile } from '../media/fetch.ts'
import type { Message } from '../store/rows.ts'
import type { Messages } from '../store/sqlite/messages.ts'
import type { SenderRow } from '../store/sqlite/senders.ts'
import type { Channel, Outcome, Outgoing } from './channel.ts'
import { nextOpening } from './gates.ts'
import { createLanding, type LandingDeps } from './landing.ts'
import { createMediaWait, type MediaWaitDeps } from './lane-media.ts'
import { failed } from './outcome.ts'

// Stanzas that may be unacknowledged at once where the owner wants no pacing.
const WINDOW = 16
// A claimed row is looked at again after this even if nobody remembers the attempt.
const LEASE = 5 * 60_000
// Where the owner wants no pacing, so many share the commit that counts their attempts.
const BATCH = 8
// How far ahead, in time and in messages, files are fetched.
const LOOK_AHEAD = 60_000
const LOOK_AT = 4
const FOREVER = Number.MAX_SAFE_INTEGER
// A disk that takes nothing, or a channel that finds no connection where it saw one, is not asked again at full speed.
const REST = 5_000

export interface LaneDeps extends LandingDeps, MediaWaitDeps {
  sender: () => SenderRow | undefined
  channel: Channel
  messages: Pick<Messages, 'find' | 'due' | 'repeats' | 'attempts' | 'content'>
  media: LandingDeps['media'] & MediaWaitDeps['media'] & { prefetch(messageId: string, url: string): void }
  newWhatsAppId: () => string
  random: () => number
}

interface Prepared {
  message: Message
  file: MediaFile | null
  isFirstContact: boolean
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
  const stopping = new AbortController()
  const { land } = createLanding(deps, stopping.signal)
  const fetchMedia = createMediaWait(deps)
  let restingSince = Number.NEGATIVE_INFINITY

  async function expire(message: Message): Promise<void> {
    await record.change({ seq: message.seq }, (m) =>
      m.nextAt === null ? null : failed(m, m.attempts > 0 ? 'not_acknowledged' : 'expired', clock.now()),
    )
    await deps.media.release(message.id)
  }

  /** Who has lost the connection wakes the lane when it is back. */
  function rest(): void {
    if (channel.ready()) restingSince = clock.now()
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
        if (m.attempts === 1) lanes.countSend(senderId, now)
        const pause = Math.round((min + (max - min) * deps.random()) * 1000)
        lanes.set(senderId, { pacedUntil: now + pause })
      },
    )
    return changed?.after as Outgoing | undefined
  }

  /** What must be known and at hand before an attempt is counted; null: the message was dealt with in another way. */
  async function prepare(message: Message): Promise<Prepared | null> {
    const { restrictedUntil } = lanes.get(senderId)
    const isFirstContact = channel.isFirstContact(message)
    if (restrictedUntil > clock.now() && isFirstContact) return stepAside(message, restrictedUntil)
    const checked = await channel.check(message)
    if (checked !== 'go') return settleEarly(message, checked)
    const media = await fetchMedia(message)
    return 'kind' in media ? settleEarly(message, media) : { message, file: media.file, isFirstContact }
  }

  async function launch({ message, file, isFirstContact }: Prepared, sender: SenderRow): Promise<() => Promise<void>> {
    const outgoing = await claim(message, sender)
    return async () => {
      if (outgoing === undefined) return
      const flight = await channel.send(outgoing, file)
      inFlight.set(
        message.seq,
        flight.outcome
          .then(async (outcome) => {
            await land(outgoing, outcome, isFirstContact)
            if (outcome.kind === 'offline') rest()
          })
          .finally(() => {
            inFlight.delete(message.seq)
            waker.wake()
          }),
      )
    }
  }

  /** Attempts that are counted together leave one after the other. */
  async function send(rows: Message[], sender: SenderRow): Promise<void> {
    const prepared: Prepared[] = []
    for (const row of rows) {
      const ready = await prepare(row)
      if (ready !== null) prepared.push(ready)
    }
    if (stopping.signal.aborted) return
    for (const write of await Promise.all(prepared.map((each) => launch(each, sender)))) await write()
  }

  /** The messages that may leave together with the first one: nothing about them takes time. None overtakes another. */
  function batchOf(head: Message, next: Message[], sender: SenderRow, now: number): Message[] {
    const { pacing, daily_cap } = sender.settings
    if (pacing.max_seconds > 0 || daily_cap !== null) return [head]
    const batch = [head]
    for (const m of next) {
      if (inFlight.has(m.seq) || batch.some(({ seq }) => seq === m.seq)) continue
      const isQuick = (m.nextAt ?? 0) <= now && m.file === null && !channel.isFirstContact(m)
      if (!isQuick || batch.length >= Math.min(BATCH, WINDOW - inFlight.size)) break
      batch.push(m)
    }
    return batch
  }

  /** No attempt was made: a clear no ends the message; without an answer it steps aside for a moment. */
  async function settleEarly(message: Message, outcome: Outcome): Promise<null> {
    if (outcome.kind === 'offline') rest()
    else if (outcome.kind === 'refused') await land(message, outcome, false)
    else await stepAside(message, clock.now() + (deps.retry.waits[0] ?? 0))
    return null
  }

  async function stepAside(message: Message, nextAt: number): Promise<null> {
    await record.change({ seq: message.seq }, (m) => (m.nextAt === null ? null : { at: clock.now(), nextAt }))
    return null
  }

  const firstFree = (rows: Message[]): Message | undefined => rows.find((m) => !inFlight.has(m.seq))

  /** One decision. Returns the time until which there is nothing to do; null: until something changes. */
  async function step(): Promise<number | null> {
    const now = clock.now()
    const sender = deps.sender()
    // Those that are sent once more come before the queue, so that nothing overtakes them again.
    const again = messages.repeats(senderId, now, inFlight.size + BATCH)
    const queue = messages.due(senderId, FOREVER, BATCH)
    // Rows in flight come late in this order (their lease is long), so the longer look is rarely needed.
    const head = firstFree(again) ?? firstFree(queue) ?? firstFree(messages.due(senderId, FOREVER, inFlight.size + 1))
    if (sender === undefined || head === undefined) return null
    if (head.expiresAt <= now) {
      await expire(head)
      return now
    }
    if (sender.paused || !channel.ready()) return head.expiresAt
    const gate = nextOpening(sender.settings, lanes.get(senderId), now)
    for (const m of queue.slice(0, LOOK_AT)) {
      const isNear = (m.nextAt ?? 0) <= Math.max(gate.at, now) + LOOK_AHEAD
      if (isNear && m.file !== null && m.attempts === 0) deps.media.prefetch(m.id, m.file)
    }
    if (gate.at > now) return gate.at
    if (inFlight.size >= WINDOW) return null
    if (head.nextAt !== null && head.nextAt > now) return head.nextAt
    if (restingSince <= now && now < restingSince + REST) return restingSince + REST
    await send(batchOf(head, [...again, ...queue], sender, now), sender)
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
