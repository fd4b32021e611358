import type { Settings } from '../contract/settings.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from './index.ts'

const SEARCH_AFTER = 1_000
const CLEAN_EVERY = 3_600_000
const BATCH = 500
const DAY = 24 * 3_600_000

/** What is done beside the way of a message: filling the search, forgetting what is old. In small steps, so that nobody waits. */
export function startUpkeep(deps: { store: Store; settings: () => Settings; bus: Bus; clock: Clock; logger: Logger }) {
  const { store, bus, clock, logger } = deps
  const timers = new Map<string, () => void>()
  let work: Promise<void> = Promise.resolve()
  let stopped = false

  function later(name: string, ms: number, job: () => Promise<void>): void {
    if (stopped || timers.has(name)) return
    const cancel = clock.after(ms, () => {
      timers.delete(name)
      work = work.then(job).catch((error: unknown) => {
        if (!stopped) logger.warn({ err: error, name }, 'upkeep will be tried again')
      })
    })
    timers.set(name, cancel)
  }

  async function fillSearch(): Promise<void> {
    if (!stopped && (await store.search.step())) later('search', 10, fillSearch)
  }

  async function clean(): Promise<void> {
    // Planned first: whatever stops this time does not stop the next.
    later('clean', CLEAN_EVERY, clean)
    const now = clock.now()
    await store.idempotency.expire(now - DAY)
    const days = deps.settings().retention_days
    let removed = days === null ? 0 : BATCH
    while (removed >= BATCH && days !== null && !stopped)
      removed = await store.upkeep.removeBefore(now - days * DAY, BATCH)
  }

  const unsubscribe = bus.on('message', () => later('search', SEARCH_AFTER, fillSearch))
  later('search', SEARCH_AFTER, fillSearch)
  later('clean', 60_000, clean)

  return {
    async stop(): Promise<void> {
      stopped = true
      unsubscribe()
      for (const cancel of timers.values()) cancel()
      await work
    },
  }
}
