import { z } from 'zod'
import type { Concern } from '../contract/concerns.ts'
import type { SenderView } from '../contract/senders.ts'
import { listensHereOnly } from '../lib/addresses.ts'
import { MINUTE } from '../lib/clock.ts'
import { daysBetween, localDay, startOfDay } from '../lib/local-time.ts'
import { StorageError, type StorageProblem } from '../lib/storage-error.ts'
import { areAllPaused, nextOpening, queueEnd } from '../messages/gates.ts'
import { pausedByReturn } from '../senders/service.ts'
import { isDown } from '../senders/states.ts'
import {
  type EndpointRow,
  type FigureStore,
  LAST_PLACE,
  type MetaStore,
  NOTHING_SENT,
  type QueueStore,
  type SenderRow,
  type SendingState,
  type Store,
} from '../store/index.ts'
import type { ConcernFacts, EndpointFacts, OutcomeCount, SenderFacts, StorageTrouble } from './concerns/facts.ts'
import { failuresToday } from './concerns/index.ts'
import type { HealthContext } from './context.ts'
import {
  FULL_DISK_BYTES,
  latelyOf,
  SENDING_LONG_AFTER,
  SILENCE_IS_NEWS_FOR,
  SILENT_AFTER,
  STUCK_AFTER,
  sendsDaily,
} from './thresholds.ts'

/** Reads the facts behind concerns, with a few indexed reads; the rest is in memory. */
export async function readFacts(context: HealthContext): Promise<ConcernFacts> {
  const { store, settings, run, clock } = context
  const now = clock.now()
  const freeBytes = run.freeBytes()
  const senders = store.senders.list().filter(({ kind }) => kind !== 'sandbox')
  const lanOpen = !listensHereOnly(run.host)
  const rows = await readRows(context, senders, now)
  const unread = typeof rows === 'string'
  const problem = unread ? rows : store.problem()
  return {
    now,
    storage: storageTrouble(problem, freeBytes, run.onServer),
    freeBytes,
    allPaused: areAllPaused(store),
    unread,
    ...(unread ? { senders: [], endpoints: [], outcomes: [], others: [] } : rows),
    failuresSeen: readFailuresSeen(store.meta, now),
    lanOpen,
    ownerPagesOpen: lanOpen && settings().remote_administration,
    keptForEver: settings().retention_days === null,
    clockWrongAt: store.time.lastSet()?.at ?? null,
    graphVersionEndsAt: senders.some(({ kind }) => kind === 'official') ? context.official.versionEndsAt() : null,
    update: run.updateReady(),
  }
}

interface ReadRows {
  senders: SenderFacts[]
  endpoints: EndpointFacts[]
  outcomes: OutcomeCount[]
  others: Concern[]
}

/** Resolves with the facts in the database, or with the reason why it cannot be read. */
async function readRows(
  context: HealthContext,
  senders: readonly SenderRow[],
  now: number,
): Promise<ReadRows | StorageProblem> {
  const { store } = context
  // The store looks for a lost server every second, so this call need not wait for a timeout.
  if (store.problem() === 'no_server') return 'no_server'
  try {
    const sending = await store.sendingState.all()
    const [read, endpoints, outcomes, others] = await Promise.all([
      readAtOnce(context, senders, sending, now),
      endpointFacts(store),
      readOutcomes(store, now),
      context.concernsOfOthers(),
    ])
    return { senders: senders.map((sender) => senderFacts(context, sender, read, now)), endpoints, outcomes, others }
  } catch (error) {
    if (error instanceof StorageError) return error.problem
    throw error
  }
}

type ReadAtOnce = Awaited<ReturnType<typeof readAtOnce>>

/** Reads facts by sender. `due`: has a long overdue message; `inLine`: number of due messages. */
async function readAtOnce(
  { store, official }: HealthContext,
  senders: readonly SenderRow[],
  sending: ReadonlyMap<number, SendingState>,
  now: number,
) {
  const [silentSince, due, sendingLong, inLine, officialFacts] = await Promise.all([
    readSilence(store.figures, sending, now),
    store.queues.withDue(now - STUCK_AFTER),
    store.queues.sendingSince(now - SENDING_LONG_AFTER),
    readLines(store.queues, senders, now),
    official.concernFacts(senders.filter(({ kind }) => kind === 'official')),
  ])
  return { sending, silentSince, due, sendingLong, inLine, officialFacts }
}

/** Counts the due messages of each sender with a queue. */
async function readLines(queues: QueueStore, senders: readonly SenderRow[], now: number): Promise<Map<number, number>> {
  const busy = senders.filter(({ id }) => queues.waiting(id) > 0)
  return new Map(
    await Promise.all(busy.map(async ({ id }) => [id, await queues.dueBefore(id, LAST_PLACE, now)] as const)),
  )
}

/**
 * Finds senders that sent on most days but not lately; resolves with their last time. Reads figures
 * only for senders that are quiet.
 */
async function readSilence(
  figures: FigureStore,
  sending: ReadonlyMap<number, SendingState>,
  now: number,
): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  for (const [id, { lastSentAt }] of sending) {
    if (lastSentAt === null || now - lastSentAt <= SILENT_AFTER || now - lastSentAt >= SILENCE_IS_NEWS_FOR) continue
    const days = daysBetween(startOfDay(lastSentAt, -13), startOfDay(lastSentAt, 1))
    const rows = (await figures.of(days)).filter(({ senderId, became_sent }) => senderId === id && became_sent > 0)
    if (sendsDaily(new Set(rows.map(({ since }) => since)).size)) found.set(id, lastSentAt)
  }
  return found
}

/**
 * Reads the outcomes since the start of this day or of the last hour, whichever is earlier, as two
 * adjoining spans.
 */
async function readOutcomes({ figures }: Store, now: number): Promise<OutcomeCount[]> {
  const [first = 0, second = 0] = [startOfDay(now), latelyOf(now)].toSorted((a, b) => a - b)
  const rows = await figures.of([
    { since: first, until: second },
    { since: second, until: Number.MAX_SAFE_INTEGER },
  ])
  return rows.flatMap(({ since, senderId, reason, became_sent, became_failed }): OutcomeCount[] => [
    { at: since, senderId, kind: 'sent', reason: null, count: became_sent },
    { at: since, senderId, kind: 'failed', reason, count: became_failed },
  ])
}

function storageTrouble(
  problem: ReturnType<Store['problem']>,
  free: number | null,
  onServer: boolean,
): StorageTrouble | null {
  switch (problem) {
    case null:
      return null
    case 'no_server':
    case 'in_doubt':
      return 'storage_server_away'
    case 'standby':
    case 'refused':
    case 'moved':
      return 'storage_server_refuses'
    case 'newer':
      return 'storage_server_newer'
    case 'full':
      return onServer ? 'storage_server_full' : 'storage_full'
    case 'gone':
      return 'storage_gone'
    case 'read_only':
      return 'storage_read_only'
    default:
      return free !== null && free < FULL_DISK_BYTES ? 'storage_full' : 'storage_unavailable'
  }
}

function senderFacts(context: HealthContext, sender: SenderRow, read: ReadAtOnce, now: number): SenderFacts {
  const { store } = context
  const { id, code, state, reason, since, until, paused, settings, previousPhone } = sender
  const sending = read.sending.get(id) ?? NOTHING_SENT
  const gate = nextOpening(settings, sending, now)
  const heldBy = gate.heldBy === 'pacing' ? null : gate.heldBy
  const firstContacts = heldContacts(sender, sending, now)
  const isHeld = gate.heldBy !== null || firstContacts !== null
  return {
    ...{ id, code, state, reason, since, until, paused, heldBy, firstContacts },
    name: settings.name,
    pausedByReturn: pausedByReturn(store).includes(code),
    waiting: store.queues.waiting(id),
    detail: sender.reasonDetail,
    kind: sender.kind === 'official' ? 'official' : 'linked',
    isDown: isDown(sender),
    hasPhone: sender.phone !== null,
    heldUntil: heldBy === null ? null : gate.at,
    queueEndsAt: queueEnd(settings, sending, read.inLine.get(id) ?? 0, now),
    silentSince: read.silentSince.get(id),
    isStuck: !isHeld && read.due.has(id) && isIdle(context, sender, sending, now),
    sendingLong: read.sendingLong.get(id),
    newChatsNearlyUsed: nearlyUsed(sender.firstContacts?.newChats ?? null),
    otherPhone: previousPhone === null ? null : sender.phone,
    linkingTrouble: troubleOf(context.linking(id)),
    official: read.officialFacts.get(id) ?? null,
  }
}

function heldContacts({ firstContacts }: SenderRow, { restrictedUntil }: SendingState, now: number) {
  const until = Math.max(restrictedUntil, firstContacts?.until ?? 0)
  return until > now ? { until, why: firstContacts?.heldBy ?? 'lock' } : null
}

/** True if a sender has been able to send for a long time, and has sent nothing. */
function isIdle({ store, run }: HealthContext, sender: SenderRow, { lastSentAt }: SendingState, now: number): boolean {
  const { state, since, paused, previousPhone } = sender
  if (state !== 'connected' || previousPhone !== null || paused || areAllPaused(store)) return false
  // A time in the future was stored before the clock was set back.
  const setAt = store.time.lastSet()?.at ?? now
  const past = (at: number) => (at > now + MINUTE ? Math.min(setAt, now) : at)
  return now - Math.max(past(since), past(run.awakeSince()), past(lastSentAt ?? 0)) > STUCK_AFTER
}

/** Returns the cap on new chats while WhatsApp warns that it is near; null: no warning. */
function nearlyUsed(newChats: NonNullable<SenderRow['firstContacts']>['newChats']) {
  if (newChats === null || newChats.warning === 'none' || newChats.warning === 'capped') return null
  return { detail: `${newChats.used ?? '?'} / ${newChats.total ?? '?'}`, until: newChats.resetsAt }
}

function troubleOf(linking: SenderView['linking']) {
  const reason = linking?.reason === 'passkey_refused' ? 'passkey_required' : linking?.reason
  return reason === 'passkey_required' || reason === 'pairing_code_refused'
    ? { code: reason, detail: linking?.reason_detail ?? null }
    : null
}

async function endpointFacts({ endpoints, deliveries }: Store): Promise<EndpointFacts[]> {
  const counts = await deliveries.counts()
  const countOf = (endpointId: number, state: 'pending' | 'dead') =>
    counts.find((row) => row.endpointId === endpointId && row.state === state)?.count ?? 0
  return endpoints.list().map(({ id, url, enabled, disabledReason, lastError, failingSince }: EndpointRow) => ({
    id,
    host: URL.parse(url)?.host ?? url,
    isGone: !enabled && disabledReason === 'gone',
    enabled,
    isFailing: lastError !== null,
    failingSince,
    pending: countOf(id, 'pending'),
    dead: countOf(id, 'dead'),
  }))
}

const seenFailures = z.object({ day: z.string(), at: z.number().default(0), failed: z.number(), ended: z.number() })

/** Returns the failures of this day that the owner has marked as seen; undefined: never marked. */
function readFailuresSeen(meta: MetaStore, now: number): ConcernFacts['failuresSeen'] {
  const saved = meta.get('failures_seen')
  if (saved === undefined) return undefined
  const { day, ...seen } = seenFailures.parse(JSON.parse(saved))
  return day === localDay(now) ? seen : { at: seen.at, failed: 0, ended: 0 }
}

export function markSeen(meta: MetaStore, facts: ConcernFacts): Promise<void> {
  const { now: at } = facts
  return meta.save('failures_seen', JSON.stringify({ day: localDay(at), at, ...failuresToday(facts) }))
}
