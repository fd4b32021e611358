import { countryCodeOf } from '../contract/phone.ts'
import type { ConnectionState, FirstContacts } from '../contract/senders.ts'
import type { EventName } from '../contract/webhooks.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, isoTime, isoTimeOrNull, MINUTE, SECOND } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { SenderChange, SenderEvent, SenderRow, SenderStore } from '../store/index.ts'
import type { StateReport } from './ports.ts'
import { newChatsView } from './view.ts'

// Callers hear only of disconnections longer than this.
const REPORTED_AFTER = MINUTE
// Pause after a storage error.
const WRITTEN_AGAIN_AFTER = 5 * SECOND
// Number of a sender's unwritten states that are kept while the disk fails.
const MOST_UNWRITTEN = 100

/** Events for states that only the owner can end; callers hear of these states at once. */
const ENDED: Partial<Record<ConnectionState, EventName>> = {
  unlinked: 'sender.unlinked',
  logged_out: 'sender.unlinked',
  replaced: 'sender.disconnected',
  restricted: 'sender.disconnected',
}

export interface SenderStates {
  report(senderId: number, report: StateReport): void
  note(senderId: number, facts: NumberFacts): void
  /** Cancels timers; resolves when all reports are on disk, or the disk has refused them. */
  close(): Promise<void>
}

/** Facts about a number that do not concern its connection. */
type NumberFacts = Pick<SenderChange, 'firstContacts' | 'previousPhone'>

/**
 * News to be stored about a sender: a report of its connection, facts about its number, or a break
 * that is long enough for an event to callers.
 */
type News = (StateReport & { at: number }) | { facts: NumberFacts } | 'long_break'

const isFacts = (news: News): news is { facts: NumberFacts } => typeof news === 'object' && 'facts' in news

/** Creates the part that stores the states of senders and raises the events for callers. */
export function createSenderStates(senders: SenderStore, bus: Bus, clock: Clock, logger: Logger): SenderStates {
  /** News that are not on disk yet, in order, by sender. */
  const queues = new Map<number, News[]>()
  const writers = new Map<number, Promise<void>>()
  const timers = new Map<number, () => void>()
  const closing = new AbortController()

  function stopTimer(senderId: number): void {
    timers.get(senderId)?.()
    timers.delete(senderId)
  }

  /** Starts the timer of a break. Later attempts to connect do not restart it. */
  function startTimer(senderId: number): void {
    if (timers.has(senderId) || closing.signal.aborted) return
    const cancel = clock.after(REPORTED_AFTER, () => {
      timers.delete(senderId)
      enqueue(senderId, 'long_break')
    })
    timers.set(senderId, cancel)
  }

  async function write(senderId: number, news: News): Promise<void> {
    await change(senderId, (before) => changeOf(before, news))
    const sender = senders.get(senderId)
    if (sender === undefined) return
    if (sender.state !== 'connected' && sender.announced === 'sender.linked') startTimer(senderId)
    else stopTimer(senderId)
    await change(senderId, (before) => restrictionOf(before, clock.now()))
  }

  async function change(senderId: number, decide: (before: SenderRow) => SenderChange | null): Promise<void> {
    const endpoints = await senders.change(senderId, decide)
    const sender = senders.get(senderId)
    if (endpoints === undefined || sender === undefined) return
    bus.emit('sender', { code: sender.code })
    for (const endpointId of endpoints) bus.emit('deliveries', { endpointId })
  }

  /** Writes the queue, and retries after errors, because a connection reports each state once. */
  async function writeAll(senderId: number, queue: News[]): Promise<void> {
    for (let news = queue[0]; news !== undefined; news = queue[0]) {
      try {
        await write(senderId, news)
        queue.shift()
      } catch (error) {
        if (error instanceof StorageError && error.isInVain) queue.length = 0
        if (queue.length === 0) break
        logger.error({ err: error, sender: senderId }, "a sender's state could not be written yet")
        if (closing.signal.aborted) return
        await sleep(clock, WRITTEN_AGAIN_AFTER, closing.signal).catch(() => undefined)
      }
    }
    writers.delete(senderId)
  }

  function enqueue(senderId: number, news: News): void {
    const queue = queues.get(senderId) ?? []
    queues.set(senderId, queue)
    queue.push(news)
    // Drop the oldest report, but not the first, which is being written, and no facts, which no
    // later report repeats.
    const oldest = queue.findIndex((each, index) => index > 0 && !isFacts(each))
    if (queue.length > MOST_UNWRITTEN && oldest > 0) queue.splice(oldest, 1)
    if (!writers.has(senderId)) writers.set(senderId, writeAll(senderId, queue))
  }

  return {
    report: (senderId, report) => enqueue(senderId, { ...report, at: clock.now() }),
    note: (senderId, facts) => enqueue(senderId, { facts }),
    async close() {
      closing.abort()
      await Promise.all(writers.values())
      for (const senderId of [...timers.keys()]) stopTimer(senderId)
    },
  }
}

/** True if callers were told that the sender is disconnected; a short break does not count. */
export const isDown = ({ announced }: SenderRow): boolean => announced === 'sender.disconnected'

/** Returns the change of a sender's row, with the event for callers if there is one. Pure. */
function changeOf(before: SenderRow, news: News): SenderChange | null {
  if (news === 'long_break') {
    if (before.state === 'connected' || before.announced !== 'sender.linked') return null
    return announcing('sender.disconnected', before)
  }
  if (isFacts(news)) return news.facts
  const { at, ...report } = news
  const after = { ...before, ...NOTHING_MORE, ...report, since: before.state === report.state ? before.since : at }
  const type = newsFor(before.announced, after.state)
  const { state, reason, reasonDetail, since, until, noConnectionBefore, phone, accountName } = after
  const connection = { state, reason, reasonDetail, since, until, noConnectionBefore, phone, accountName }
  const settings = countryPreset(before, report.phone)
  const phoneSince = before.phone === null || phone === before.phone ? before.phoneSince : at
  return { ...connection, phoneSince, ...settings, ...(type === undefined ? {} : announcing(type, after)) }
}

/** Values of the members that a report leaves out. */
const NOTHING_MORE = { reasonDetail: null, until: null, noConnectionBefore: null }

/**
 * Returns the change with the event for callers when WhatsApp begins or ends a restriction: of a
 * number, or of its messages to people it never wrote to. Null: callers know already. Pure.
 */
function restrictionOf(sender: SenderRow, now: number): SenderChange | null {
  const isRestricted = sender.state === 'restricted' || isLimited(sender)
  if (isRestricted === sender.heardRestricted) return null
  const type = isRestricted ? 'sender.restricted' : 'sender.unrestricted'
  return { heardRestricted: isRestricted, event: senderEvent(type, sender, now) }
}

/** True if WhatsApp restricts messages to people whom the number never wrote to. */
const isLimited = (sender: SenderRow): sender is SenderRow & { firstContacts: FirstContacts } =>
  sender.firstContacts?.heldBy === 'lock' || sender.firstContacts?.heldBy === 'cap'

const announcing = (type: EventName, sender: SenderRow): SenderChange => ({
  announced: type,
  event: senderEvent(type, sender),
})

/** Takes the country code for numbers that begin with 0 from the first number that is linked. */
function countryPreset(before: SenderRow, phone: StateReport['phone']): SenderChange {
  if (before.phone !== null || before.settings.country_code !== null || typeof phone !== 'string') return {}
  return { settings: { ...before.settings, country_code: countryCodeOf(phone) } }
}

/** Returns the event that a new state means for callers; undefined: none. Pure. */
function newsFor(last: EventName, state: ConnectionState): EventName | undefined {
  const type = state === 'connected' ? 'sender.linked' : ENDED[state]
  // An unlinked sender cannot be disconnected as well.
  if (type === last || (type === 'sender.disconnected' && last === 'sender.unlinked')) return undefined
  return type
}

/** Builds an event for callers about a sender. @param at default: when its state began */
export const senderEvent = (type: EventName, sender: SenderRow, at = sender.since): SenderEvent => ({
  type,
  senderCode: sender.code,
  at,
  data: {
    sender_code: sender.code,
    name: sender.settings.name,
    kind: sender.kind,
    state: sender.state,
    reason: sender.reason,
    until: isoTimeOrNull(sender.until ?? (isLimited(sender) ? sender.firstContacts.until : null)),
    new_chats: newChatsView(sender),
    occurred_at: isoTime(at),
  },
})
