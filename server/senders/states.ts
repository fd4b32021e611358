import type { ConnectionState } from '../contract/senders.ts'
import type { EventName } from '../contract/webhooks.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { MINUTE } from '../lib/time.ts'
import type { SenderChange, SenderRow, SenderStore } from '../store/index.ts'
import type { StateReport } from './connection.ts'
import { newChatsView } from './view.ts'

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
  /** What WhatsApp says of the number besides its connection. */
  note(senderId: number, facts: Pick<SenderChange, 'firstContacts' | 'previousPhone'>): void
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
      ...NOTHING_MORE,
      ...report,
      state,
      since: before.state === state ? before.since : now,
    }))
    await applyRestriction(senderId)
  }

  /** Callers hear when a number or its first contacts are restricted, and when that ends. */
  async function applyRestriction(senderId: number): Promise<void> {
    const sender = senders.get(senderId)
    if (sender === undefined) return
    const isRestricted = isRestrictedNow(sender)
    if (isRestricted === sender.heardRestricted) return
    const type = isRestricted ? 'sender.restricted' : 'sender.unrestricted'
    await write(senderId, type, () => ({ heardRestricted: isRestricted }), clock.now())
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
    const written = await write(senderId, type, decide)
    if (written && type !== undefined) heard.set(senderId, type)
  }

  /** @param at when what the event says happened; default: when the state began */
  async function write(
    senderId: number,
    type: EventName | undefined,
    decide: (before: SenderRow) => SenderChange,
    at?: number,
  ): Promise<boolean> {
    const endpoints = await senders.change(senderId, (before) => {
      const changes = decide(before)
      return type === undefined ? changes : { ...changes, event: eventOf(type, { ...before, ...changes }, at) }
    })
    const sender = senders.get(senderId)
    if (endpoints === undefined || sender === undefined) return false
    bus.emit('sender', { code: sender.code })
    for (const endpointId of endpoints) bus.emit('deliveries', { endpointId })
    return true
  }

  function enqueue(job: () => Promise<void>): void {
    work = work
      .then(job)
      .catch((error: unknown) => logger.error({ err: error }, "a sender's state could not be written"))
  }

  return {
    isDown: (senderId) => heard.get(senderId) === 'sender.disconnected',
    report: (senderId, report) => enqueue(() => apply(senderId, report)),
    note: (senderId, facts) =>
      enqueue(async () => {
        await write(senderId, undefined, () => facts)
        await applyRestriction(senderId)
      }),
    async close() {
      await work
      for (const senderId of [...timers.keys()]) stopTimer(senderId)
    },
  }
}

/** What callers hear of a new state, if anything. Pure. */
function newsFor(last: EventName, state: ConnectionState): EventName | undefined {
  const type = state === 'connected' ? 'sender.linked' : ENDED[state]
  // One that was unlinked cannot be disconnected as well.
  if (type === last || (type === 'sender.disconnected' && last === 'sender.unlinked')) return undefined
  return type
}

/** Absent members of a report. */
const NOTHING_MORE = { reasonDetail: null, until: null, noConnectionBefore: null }

/** By WhatsApp: the number, or its messages to people it never wrote to. Pure. */
const isRestrictedNow = ({ state, firstContacts }: SenderRow): boolean =>
  state === 'restricted' || firstContacts?.heldBy === 'lock' || firstContacts?.heldBy === 'cap'

const eventOf = (
  type: EventName,
  sender: SenderRow,
  at: number = sender.since,
): NonNullable<SenderChange['event']> => ({
  type,
  senderCode: sender.code,
  at,
  data: {
    sender_code: sender.code,
    name: sender.settings.name,
    kind: sender.kind,
    state: sender.state,
    reason: sender.reason,
    until: isoTimeOrNull(sender.until ?? sender.firstContacts?.until ?? null),
    new_chats: newChatsView(sender),
    occurred_at: isoTime(at),
  },
})
