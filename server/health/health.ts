import type { Health } from '../contract/health.ts'
import type { Clock } from '../lib/clock.ts'
import { shownState } from '../senders/view.ts'
import type { Store } from '../store/index.ts'
import { countConcerns } from './concern-counts.ts'
import type { ConcernFacts } from './concerns/facts.ts'
import { findConcerns } from './concerns/index.ts'
import { countCallbacks, countWaiting } from './counts.ts'

export interface HealthDeps {
  store: Store & { senders: Store['senders'] }
  allPaused: () => boolean
  version: string
  /** Milliseconds. */
  uptime: () => number
  clock: Clock
  facts: () => Promise<ConcernFacts>
}

export type ReadHealth = () => Promise<Health>

/**
 * Reports whether Kurir can accept messages. Read without a key, so it holds no names and no
 * numbers.
 */
export function createHealth({ store, allPaused, version, uptime, clock, facts }: HealthDeps): ReadHealth {
  function countStates(): Record<string, number> {
    const states: Record<string, number> = {}
    for (const sender of store.senders.list()) {
      if (sender.kind === 'sandbox') continue
      const state = shownState(sender, allPaused())
      states[state] = (states[state] ?? 0) + 1
    }
    return states
  }

  return async () => {
    // Programs that wait for this to become ready send nothing meanwhile: no write would show that
    // it is.
    const canWrite = store.problem() === null || (await store.probe())
    const known = await facts()
    const ready = canWrite && !known.unread
    const found = countConcerns(findConcerns(known), clock.now())
    const reasons = ready ? [] : found.flatMap(({ code, message }) => (code.startsWith('storage_') ? [message] : []))
    const callbacks = known.unread ? null : countCallbacks(known)
    return {
      success: ready,
      message: ready ? 'Kurir is ready.' : (reasons[0] ?? 'Messages cannot be stored.'),
      data: {
        status: ready ? 'ready' : 'not_ready',
        version,
        uptime_seconds: Math.round(uptime() / 1000),
        reasons,
        concerns: found,
        senders: known.unread ? null : countStates(),
        waiting: known.unread ? null : countWaiting(known),
        callbacks_pending: callbacks?.pending ?? null,
        callbacks_dead: callbacks?.dead ?? null,
      },
    }
  }
}
