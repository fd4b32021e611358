import type { SenderState } from '../contract/senders.ts'
import type { EventName } from '../contract/webhooks.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Events } from '../store/sqlite/events.ts'
import type { SenderRow, Senders } from '../store/sqlite/senders.ts'
import type { StateReport } from './connection.ts'

// A short break is nobody's business; this long is told.
const TOLD_AFTER = 60_000

/** States that only the owner can end are told at once. */
const ENDED: Partial<Record<SenderState, EventName>> = {
  unlinked: 'sender.unlinked',
  logged_out: 'sender.unlinked',
  replaced: 'sender.disconnected',
  restricted: 'sender.disconnected',
}

export interface SenderStatesDeps {
  senders: Senders
  events: Events
  bus: Bus
  clock: Clock
  logger: Logger
}

export interface SenderStates {
  report(senderId: number, report: StateReport): void
  /** Whether callers were told that it is not connected: a short break does not count. */
  isDown(senderId: number): boolean
  /** Ends waiting timers; resolves when what was reported is on disk. */
  close(): Promise<void>
}

/** Writes down how senders' connections are, and tells the callbacks what matters of it. */
export function createSenderStates({ senders, events, bus, clock, logger }: SenderStatesDeps): SenderStates {
  /** What callers heard last of each sender. */
  const heard = new Map<number, EventName>()
  const timers = new Map<number, () => void>()
  let work = Promise.resolve()

  const eventOf = (type: EventName, sender: SenderRow) => ({
    events,
    event: {
      type,
      messageSeq: null,
      senderCode: sender.code,
      at: sender.since,
      data: JSON.stringify({
        sender_code: sender.code,
        name: sender.settings.name,
        kind: sender.kind,
        state: sender.state,
        reason: sender.reason,
        occurred_at: isoTime(sender.since),
      }),
    },
  })

  function stopTimer(senderId: number): void {
    timers.get(senderId)?.()
    timers.delete(senderId)
  }

  /** After a restart callers still believe what they heard last: a linked number is connected. */
  function heardBefore({ id, state, phone }: SenderRow): EventName {
    const known = phone !== null || state === 'connected' ? 'sender.linked' : 'sender.unlinked'
    return heard.get(id) ?? ENDED[state] ?? known
  }

  /** What callers hear of this step, if anything. */
  function toTell(before: EventName, state: SenderState): EventName | undefined {
    const type = state === 'connected' ? 'sender.linked' : ENDED[state]
    // Who was unlinked cannot be disconnected as well.
    if (type === before || (type === 'sender.disconnected' && before === 'sender.unlinked')) return undefined
    return type
  }

  async function apply(senderId: number, report: StateReport): Promise<void> {
    const before = senders.get(senderId)
    if (before === undefined) return
    const last = heardBefore(before)
    heard.set(senderId, last)
    const { state, ...change } = report
    const since = before.state === state ? before.since : clock.now()
    const type = toTell(last, state)
    if (state === 'connected' || type !== undefined) stopTimer(senderId)
    else if (last === 'sender.linked') startTimer(senderId)
    const event = type === undefined ? undefined : eventOf(type, { ...before, ...change, state, since })
    const told = await senders.change(senderId, { ...change, state, since }, event)
    if (type !== undefined) heard.set(senderId, type)
    announce(before.code, told)
  }

  /** The time runs from the first moment without a connection, whatever is tried in between. */
  function startTimer(senderId: number): void {
    if (timers.has(senderId)) return
    const cancel = clock.after(TOLD_AFTER, () => {
      timers.delete(senderId)
      enqueue(async () => {
        const sender = senders.get(senderId)
        if (sender === undefined || sender.state === 'connected' || heard.get(senderId) !== 'sender.linked') return
        const told = await senders.change(senderId, {}, eventOf('sender.disconnected', sender))
        heard.set(senderId, 'sender.disconnected')
        announce(sender.code, told)
      })
    })
    timers.set(senderId, cancel)
  }

  function announce(code: string, endpoints: number[]): void {
    bus.emit('sender', { code })
    for (const endpointId of endpoints) bus.emit('deliveries', { endpointId })
  }

  function enqueue(job: () => Promise<void>): void {
    work = work
      .then(job)
      .catch((error: unknown) => logger.error({ err: error }, "a sender's state could not be written"))
  }

  return {
    isDown: (senderId) => heard.get(senderId) === 'sender.disconnected',
    report: (senderId, report) => enqueue(() => apply(senderId, report)),
    async close() {
      await work
      for (const senderId of [...timers.keys()]) stopTimer(senderId)
    },
  }
}
