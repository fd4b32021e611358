import type { Concern } from '../contract/concerns.ts'
import { STATUSES } from '../contract/messages.ts'
import type { Figures, Overview } from '../contract/operation.ts'
import { localDay, startOfDay } from '../lib/local-time.ts'
import type { ConcernFacts } from './concerns/facts.ts'
import { findConcerns } from './concerns/index.ts'
import type { HealthContext } from './context.ts'
import { countCallbacks, countWaiting } from './counts.ts'
import { markSeen } from './failures-seen.ts'
import { readFacts } from './read-facts.ts'

const DAYS = 14

/** Everything that needs the owner now. */
export const readConcerns = async (context: HealthContext): Promise<Concern[]> => findConcerns(await readFacts(context))

/** Data of the first page. */
export async function readOverview(context: HealthContext): Promise<Overview> {
  const known = await readFacts(context)
  return {
    concerns: findConcerns(known),
    figures: known.unread ? null : await readFigures(context, known),
    free_bytes: context.run.freeBytes(),
    version: context.run.version,
  }
}

/** Marks the failures of this day as seen. */
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
