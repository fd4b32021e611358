import { countryCodeOf } from '../contract/phone.ts'
import type { ConnectionState } from '../contract/senders.ts'
import type { EventName } from '../contract/webhooks.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { MINUTE } from '../lib/time.ts'
import type { SenderChange, SenderRow, SenderStore } from '../store/index.ts'
import type { StateReport } from './connection.ts'

// Shorter disconnections are not reported to callers.
const REPORTED_AFTER = MINUTE

/** States that only the owner can end are reported at once. */
const ENDED: Partial<Record<ConnectionState, EventName>> = {
  unlinked: 'sender.unlinked',
  logged_out: 'sender.unlinked',
  replaced: 'sender.disconnected',
  restricted: 'sender.disconnected',
}

export interface SenderStatesDeps {
  senders: Pick<SenderStore, 'get' | 'change'>
  bus: Bus
  clock: Clock
  logger: Logger
}

export interface SenderStates {
  report(senderId: number, report: StateReport): void
  /** Whether callers heard that it is not connected: a short break does not count. */
  isDown(senderId: number): boolean
  /** Ends waiting timers; resolves when what was reported is on disk. */
  close(): Promise<void>
}

/** Stores how senders' connections are, and lets callbacks report what matters of it. */
export function createSenderStates({ senders, bus, clock, logger }: SenderStatesDeps): SenderStates {
  /** The event that callers heard last of each sender. */
  const heard = new Map<number, EventName>()
  const timers = new Map<number, () => void>()
  let work = Promise.resolve()

  function stopTimer(senderId: number): void {
    timers.get(senderId)?.()
    timers.delete(senderId)
  }

  /** After a restart callers still believe what they heard last: a linked number is connected. */
  function lastHeard({ id, state, phone }: SenderRow): EventName {
    const known = phone !== null || state === 'connected' ? 'sender.linked' : 'sender.unlinked'
    return heard.get(id) ?? ENDED[state] ?? known
  }

  async function apply(senderId: number, { state, ...report }: StateReport): Promise<void> {
    const sender = senders.get(senderId)
    if (sender === undefined) return
    const last = lastHeard(sender)
    heard.set(senderId, last)
    const type = newsFor(last, state)
    if (state === 'connected' || type !== undefined) stopTimer(senderId)
    else if (last === 'sender.linked') startTimer(senderId)
    const now = clock.now()
    await change(senderId, type, (before) => ({
      ...report,
      ...countryPreset(before, report),
      state,
      since: before.state === state ? before.since : now,
    }))
  }

  /** The time runs from the first moment without a connection, whatever is tried in between. */
  function startTimer(senderId: number): void {
    if (timers.has(senderId)) return
    const cancel = clock.after(REPORTED_AFTER, () => {
      timers.delete(senderId)
      enqueue(async () => {
        const sender = senders.get(senderId)
        if (sender === undefined || sender.state === 'connected' || heard.get(senderId) !== 'sender.linked') return
        await change(senderId, 'sender.disconnected', () => ({}))
      })
    })
    timers.set(senderId, cancel)
  }

  /** Writes a change together with the event that callers hear of it, if any. */
  async function change(
    senderId: number,
    type: EventName | undefined,
    decide: (before: SenderRow) => SenderChange,
  ): Promise<void> {
    const endpoints = await senders.change(senderId, (before) => {
      const changes = decide(before)
      return type === undefined ? changes : { ...changes, event: eventOf(type, { ...before, ...changes }) }
    })
    const sender = senders.get(senderId)
    if (endpoints === undefined || sender === undefined) return
    if (type !== undefined) heard.set(senderId, type)
    bus.emit('sender', { code: sender.code })
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

/** A number that is linked first says in which country the numbers are meant that begin with 0. */
function countryPreset(before: SenderRow, { phone }: Omit<StateReport, 'state'>): Pick<SenderChange, 'settings'> {
  if (before.phone !== null || before.settings.country_code !== null || typeof phone !== 'string') return {}
  return { settings: { ...before.settings, country_code: countryCodeOf(phone) } }
}

/** What callers hear of a new state, if anything. Pure. */
function newsFor(last: EventName, state: ConnectionState): EventName | undefined {
  const type = state === 'connected' ? 'sender.linked' : ENDED[state]
  // One that was unlinked cannot be disconnected as well.
  if (type === last || (type === 'sender.disconnected' && last === 'sender.unlinked')) return undefined
  return type
}

const eventOf = (type: EventName, sender: SenderRow): NonNullable<SenderChange['event']> => ({
  type,
  senderCode: sender.code,
  at: sender.since,
  data: {
    sender_code: sender.code,
    name: sender.settings.name,
    kind: sender.kind,
    state: sender.state,
    reason: sender.reason,
    occurred_at: isoTime(sender.since),
  },
})
