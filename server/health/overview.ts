import type { Overview } from '../contract/overview.ts'
import type { Clock } from '../lib/clock.ts'
import { localDay, startOfDay } from '../lib/local-time.ts'
import type { Store } from '../store/index.ts'
import { type CountReads, countCallbacks, countWaiting } from './counts.ts'

const DAYS = 14

export interface OverviewDeps {
  store: CountReads & {
    messages: Pick<Store['messages'], 'acceptedSince'>
    dailyCounts: Store['dailyCounts']
  } & Pick<Store, 'bytes'>
  freeBytes: () => number | null
  version: string
  clock: Clock
}

export type ReadOverview = () => Promise<Overview>

/** What the first page shows. */
export function createOverview({ store, freeBytes, version, clock }: OverviewDeps): ReadOverview {
  async function days(now: number): Promise<Overview['days']> {
    const counts = await store.dailyCounts.since(localDay(startOfDay(now, 1 - DAYS)))
    return Array.from({ length: DAYS }, (_, i) => {
      const day = localDay(startOfDay(now, i + 1 - DAYS))
      const count = (status: string) => counts.find((row) => row.day === day && row.status === status)?.count ?? 0
      return { day, sent: count('sent'), delivered: count('delivered'), read: count('read'), failed: count('failed') }
    })
  }

  return async () => {
    const now = clock.now()
    const series = await days(now)
    const today = series.at(-1)
    return {
      today: {
        accepted: await store.messages.acceptedSince(startOfDay(now)),
        sent: today?.sent ?? 0,
        failed: today?.failed ?? 0,
        waiting: countWaiting(store),
      },
      days: series,
      callbacks: await countCallbacks(store.deliveries),
      disk: { database_bytes: await store.bytes(), free_bytes: freeBytes() },
      version,
    }
  }
}
