import { z } from 'zod'
import { localDay } from '../lib/local-time.ts'
import type { MetaStore } from '../store/index.ts'
import type { ConcernFacts, FailureCount } from './concerns/facts.ts'
import { failuresToday } from './concerns/index.ts'

const seenFailures = z.object({ day: z.string(), failed: z.number(), ended: z.number() })

/** The failures of this day that the owner has marked as seen. */
export function readFailuresSeen(meta: MetaStore, now: number): FailureCount | undefined {
  const saved = meta.get('failures_seen')
  if (saved === undefined) return undefined
  const { day, ...count } = seenFailures.parse(JSON.parse(saved))
  return day === localDay(now) ? count : undefined
}

/** Marks the failures of this day as seen. */
export function markSeen(meta: MetaStore, facts: ConcernFacts): Promise<void> {
  return meta.save('failures_seen', JSON.stringify({ day: localDay(facts.now), ...failuresToday(facts) }))
}
