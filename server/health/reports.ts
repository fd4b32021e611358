import { totalmem } from 'node:os'
import type { Concern, ConcernCount } from '../contract/concerns.ts'
import { STATUSES } from '../contract/messages.ts'
import type { Diagnostics, Figures, Health, Overview } from '../contract/operation.ts'
import { isoTime } from '../lib/clock.ts'
import { localDay, startOfDay } from '../lib/local-time.ts'
import type { LogPart } from '../lib/logger.ts'
import { scrub } from '../lib/scrub.ts'
import { areAllPaused } from '../messages/gates.ts'
import { shownState } from '../senders/view.ts'
import type { Store } from '../store/index.ts'
import { describeConcern } from '../words/concern-text.ts'
import { en } from '../words/en/index.ts'
import type { ConcernFacts } from './concerns/facts.ts'
import { findConcerns } from './concerns/index.ts'
import type { HealthContext } from './context.ts'
import { markSeen, readFacts } from './read-facts.ts'

/** Reports if Kurir accepts messages. Needs no key, so it holds no names and no phone numbers. */
export async function readHealth(context: HealthContext): Promise<Health> {
  const { store, run, clock } = context
  // Callers that wait for readiness send nothing, so no other write would find out that the storage
  // works again.
  const canWrite = store.problem() === null || (await store.probe())
  const known = await readFacts(context)
  const ready = canWrite && !known.unread
  const found = countConcerns(findConcerns(known), clock.now())
  const reasons = ready ? [] : found.flatMap(({ code, message }) => (code.startsWith('storage_') ? [message] : []))
  const callbacks = known.unread ? null : countCallbacks(known)
  return {
    success: ready,
    message: ready ? 'Kurir is ready.' : (reasons[0] ?? 'Messages cannot be stored.'),
    data: {
      status: ready ? 'ready' : 'not_ready',
      version: run.version,
      uptime_seconds: Math.round(run.uptime() / 1000),
      reasons,
      concerns: found,
      senders: known.unread ? null : countStates(store),
      waiting: known.unread ? null : countWaiting(known),
      callbacks_pending: callbacks?.pending ?? null,
      callbacks_dead: callbacks?.dead ?? null,
    },
  }
}

function countStates(store: Store): Record<string, number> {
  const states: Record<string, number> = {}
  for (const sender of store.senders.list()) {
    if (sender.kind === 'sandbox') continue
    const state = shownState(sender, areAllPaused(store))
    states[state] = (states[state] ?? 0) + 1
  }
  return states
}

const DAYS = 14

export const readConcerns = async (context: HealthContext): Promise<Concern[]> => findConcerns(await readFacts(context))

/** Reads the data of the first page. */
export async function readOverview(context: HealthContext): Promise<Overview> {
  const known = await readFacts(context)
  return {
    concerns: findConcerns(known),
    figures: known.unread ? null : await readFigures(context, known),
    free_bytes: context.run.freeBytes(),
    version: context.run.version,
  }
}

/** Marks the failures of this day as seen, so that they raise no alarm. */
export async function markFailuresSeen(context: HealthContext): Promise<void> {
  await markSeen(context.store.meta, await readFacts(context))
}

async function readFigures({ store, clock }: HealthContext, known: ConcernFacts): Promise<Figures> {
  const now = clock.now()
  const spans = Array.from({ length: DAYS }, (_, n) => {
    const [since, until] = [startOfDay(now, n + 1 - DAYS), startOfDay(now, n + 2 - DAYS)]
    return { since, until }
  })
  const [rows, { bytes }] = await Promise.all([store.figures.of(spans), store.about()])
  const days = spans.map(({ since }) => {
    const its = rows.filter((row) => row.since === since)
    const sum = (count: (row: (typeof rows)[number]) => number) => its.reduce((total, row) => total + count(row), 0)
    return {
      accepted: sum((row) => STATUSES.reduce((total, status) => total + row[status], 0)),
      day: localDay(since),
      sent: sum((row) => row.became_sent),
      delivered: sum((row) => row.became_delivered),
      read: sum((row) => row.became_read),
      failed: sum((row) => row.became_failed),
    }
  })
  const { accepted = 0, sent = 0, failed = 0 } = days.at(-1) ?? {}
  return {
    today: { accepted, sent, failed, waiting: countWaiting(known) },
    days: days.map(({ accepted: _, ...day }) => day),
    callbacks: countCallbacks(known),
    database_bytes: bytes,
  }
}

/** Counts the waiting messages of all senders; the facts leave out the sandbox. Pure. */
const countWaiting = ({ senders }: ConcernFacts): number => senders.reduce((sum, { waiting }) => sum + waiting, 0)

const countCallbacks = ({ endpoints }: ConcernFacts): { pending: number; dead: number } => ({
  pending: endpoints.reduce((sum, { pending }) => sum + pending, 0),
  dead: endpoints.reduce((sum, { dead }) => sum + dead, 0),
})

/** Returns concerns in a form that anybody may read: one row per code, in the same order. Pure. */
export function countConcerns(concerns: readonly Concern[], now: number): ConcernCount[] {
  return [...Map.groupBy(concerns, ({ code }) => code)].flatMap(([code, [first, ...others]]) => {
    if (first === undefined) return []
    const all = [first, ...others]
    return {
      code,
      weight: first.weight,
      message: describeConcern(anonymous(first), en, now).event,
      count: all.length,
      messages: all.reduce((sum, { waiting, failed }) => sum + waiting + failed, 0),
    }
  })
}

// A detail is kept only where it names a check or a version; others may hold phone numbers or words
// of another program.
const anonymous = (concern: Concern): Concern => ({
  ...concern,
  sender_name: null,
  host: null,
  program: null,
  detail: concern.code === 'checks_failing' || concern.code === 'update_available' ? concern.detail : null,
})

/** Returns the newest log lines, or all after a position, without secrets, numbers and names. */
export function readLog({ logger }: HealthContext, position?: string): LogPart {
  const part = logger.linesAfter(position)
  return { ...part, lines: part.lines.map((line) => scrub(line.trimEnd())) }
}

/**
 * Reads a report for a person who helps the owner. It holds no secret, phone number, name or text
 * of a message.
 */
export async function readDiagnostics(context: HealthContext): Promise<Diagnostics> {
  const { store, run, official, clock } = context
  const { allowed_hosts, cors_origins, media_allowed_hosts, public_webhook_url, file_folders, ...settings } =
    context.settings()
  const { versions, bytes } = await store.about()
  return {
    made_at: isoTime(clock.now()),
    version: run.version,
    uptime_seconds: Math.round(run.uptime() / 1000),
    runtime: { ...process.versions },
    platform: `${process.platform} ${process.arch}`,
    memory: { total_bytes: totalmem(), used_by_kurir_bytes: process.memoryUsage.rss() },
    disk: { database_bytes: bytes, free_bytes: run.freeBytes() },
    database_versions: versions,
    // Only counts, because host names are private and paths may hold the names of people.
    settings: {
      ...settings,
      allowed_hosts: allowed_hosts.length,
      cors_origins: cors_origins.length,
      media_allowed_hosts: media_allowed_hosts.length,
      public_webhook_url: public_webhook_url !== null,
      file_folders: file_folders.length,
    },
    concerns: countConcerns(await readConcerns(context), clock.now()),
    senders: store.senders.list().map((sender) => ({
      sender_code: sender.code,
      kind: sender.kind,
      state: shownState(sender, areAllPaused(store)),
      reason: sender.reason,
      since: isoTime(sender.since),
      waiting: store.queues.waiting(sender.id),
    })),
    webhooks: store.endpoints.list().map(({ id, enabled, disabledReason, lastError }) => ({
      webhook_id: String(id),
      enabled,
      disabled_reason: disabledReason,
      last_error: lastError === null ? null : scrub(lastError),
    })),
    callbacks: (await store.deliveries.counts()).map(({ endpointId, state, count }) => ({
      webhook_id: String(endpointId),
      state,
      count,
    })),
    meta_fields_ignored: official.ignoredFields(),
    log: readLog(context).lines,
  }
}
