import type { StateReport } from '../channels/attached.ts'
import type { SenderState } from '../contract/senders.ts'
import type { EventName } from '../contract/webhooks.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Events } from '../store/sqlite/events.ts'
import type { SenderRow, Senders } from '../store/sqlite/senders.ts'

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
  /** Whether callers believe that the sender is connected. */
  const believed = new Map<number, boolean>()
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

  /** What callers hear of this step, if anything. */
  function toTell(before: SenderRow, state: SenderState): EventName | undefined {
    if (state === 'connected') return believed.get(before.id) === true ? undefined : 'sender.linked'
    if (state === before.state) return undefined
    const ended = ENDED[state]
    return ended === 'sender.disconnected' && believed.get(before.id) === false ? undefined : ended
  }

  async function apply(senderId: number, report: StateReport): Promise<void> {
    const before = senders.get(senderId)
    if (before === undefined) return
    // After a restart callers still believe what they heard last: a linked number is connected.
    if (!believed.has(senderId)) believed.set(senderId, before.phone !== null && ENDED[before.state] === undefined)
    const { state, ...change } = report
    const moved = before.state !== state
    const after = { ...before, ...change, state, since: moved ? clock.now() : before.since }
    const type = toTell(before, state)
    stopTimer(senderId)
    if (type !== undefined) believed.set(senderId, type === 'sender.linked')
    else if (believed.get(senderId) === true && state !== 'connected') startTimer(senderId)
    const told = await senders.change(
      senderId,
      { ...change, state, since: after.since },
      type === undefined ? undefined : eventOf(type, after),
    )
    announce(before.code, told)
  }

  function startTimer(senderId: number): void {
    const cancel = clock.after(TOLD_AFTER, () => {
      timers.delete(senderId)
      enqueue(async () => {
        const sender = senders.get(senderId)
        if (sender === undefined || sender.state === 'connected') return
        believed.set(senderId, false)
        announce(sender.code, await senders.change(senderId, {}, eventOf('sender.disconnected', sender)))
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
    isDown: (senderId) => believed.get(senderId) === false,
    report: (senderId, report) => enqueue(() => apply(senderId, report)),
    async close() {
      for (const senderId of [...timers.keys()]) stopTimer(senderId)
      await work
    },
  }
}
