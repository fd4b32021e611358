import type { Health } from '../contract/operation.ts'
import { areAllPaused } from '../messages/all-paused.ts'
import { shownState } from '../senders/view.ts'
import type { Store } from '../store/index.ts'
import { findConcerns } from './concerns/index.ts'
import type { HealthContext } from './context.ts'
import { countCallbacks, countConcerns, countWaiting } from './counts.ts'
import { readFacts } from './read-facts.ts'

/** Reports whether Kurir accepts messages. Read without a key: no names, no numbers. */
export async function readHealth(context: HealthContext): Promise<Health> {
  const { store, run, clock } = context
  // Programs that wait for this to become ready send nothing meanwhile: no write would show that it
  // is.
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
