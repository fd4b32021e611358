import { STATUSES } from '../contract/messages.ts'
import type { Figures, Overview } from '../contract/overview.ts'
import type { Clock } from '../lib/clock.ts'
import { localDay, startOfDay } from '../lib/local-time.ts'
import type { Store } from '../store/index.ts'
import type { ConcernFacts } from './concerns/facts.ts'
import { findConcerns } from './concerns/index.ts'
import { countCallbacks, countWaiting } from './counts.ts'

const DAYS = 14

export interface OverviewDeps {
  store: Store
  facts: () => Promise<ConcernFacts>
  freeBytes: () => number | null
  version: string
  clock: Clock
}

export type ReadOverview = () => Promise<Overview>

/** Data of the first page. */
export function createOverview({ store, facts, freeBytes, version, clock }: OverviewDeps): ReadOverview {
  async function figures(known: ConcernFacts): Promise<Figures> {
    const now = clock.now()
    const spans = Array.from({ length: DAYS }, (_, n) => {
      const [since, until] = [startOfDay(now, n + 1 - DAYS), startOfDay(now, n + 2 - DAYS)]
      return { since, until }
    })
    const [rows, bytes] = await Promise.all([store.figures.of(spans), store.bytes()])
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

  return async () => {
    const known = await facts()
    return {
      concerns: findConcerns(known),
      figures: known.unread ? null : await figures(known),
      free_bytes: freeBytes(),
      version,
    }
  }
}
