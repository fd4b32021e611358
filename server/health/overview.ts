import type { Figures, Overview } from '../contract/overview.ts'
import type { Clock } from '../lib/clock.ts'
import { localDay, startOfDay } from '../lib/local-time.ts'
import type { OutcomeCount, Store } from '../store/index.ts'
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
  async function days(now: number): Promise<Figures['days']> {
    const counts = await store.dailyCounts.since(localDay(startOfDay(now, 1 - DAYS)))
    return Array.from({ length: DAYS }, (_, i) => {
      const day = localDay(startOfDay(now, i + 1 - DAYS))
      const count = (status: string) => counts.find((row) => row.day === day && row.status === status)?.count ?? 0
      return { day, sent: count('sent'), delivered: count('delivered'), read: count('read'), failed: count('failed') }
    })
  }

  async function figures(known: ConcernFacts): Promise<Figures> {
    const now = clock.now()
    const today = store.outcomes.since(startOfDay(now))
    const count = (kind: OutcomeCount['kind']) =>
      today.reduce((sum, outcome) => sum + (outcome.kind === kind ? outcome.count : 0), 0)
    const [lastDays, bytes] = await Promise.all([days(now), store.bytes()])
    return {
      today: {
        accepted: count('accepted'),
        sent: count('sent'),
        failed: count('failed'),
        waiting: countWaiting(known),
      },
      days: lastDays,
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
