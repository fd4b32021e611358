import { KEPT_FOR } from '../contract/idempotency.ts'
import type { Settings } from '../contract/settings.ts'
import { createBackground } from '../lib/background.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../lib/time.ts'
import type { Store } from './store.ts'

const SEARCH_AFTER = SECOND
const CLEAN_FIRST_AFTER = MINUTE
const CLEAN_EVERY = HOUR
const BATCH = 500

export interface MaintenanceDeps {
  store: Pick<Store, 'search' | 'idempotency' | 'retention' | 'replies'>
  /** Files that no message needs any more. */
  sweepFiles: () => Promise<void>
  settings: () => Settings
  bus: Bus
  clock: Clock
  logger: Logger
}

/** Background maintenance: fills the search index and removes what is older than the owner wants to keep, in small steps. */
export function startMaintenance({ store, sweepFiles, settings, bus, clock, logger }: MaintenanceDeps) {
  const background = createBackground({ clock, logger })
  let stopped = false

  async function fillSearch(): Promise<void> {
    if (!stopped && (await store.search.step())) background.later('search', 10, fillSearch)
  }

  async function clean(): Promise<void> {
    // Planned first, so that an error now does not stop the next time.
    background.later('clean', CLEAN_EVERY, clean)
    const now = clock.now()
    await store.idempotency.expire(now - KEPT_FOR)
    await store.replies.expire(now)
    await sweepFiles()
    const days = settings().retention_days
    let removed = days === null ? 0 : BATCH
    while (removed >= BATCH && days !== null && !stopped)
      removed = await store.retention.removeBefore(now - days * DAY, BATCH)
  }

  const unsubscribe = bus.on('message', () => background.later('search', SEARCH_AFTER, fillSearch))
  background.later('search', SEARCH_AFTER, fillSearch)
  background.later('clean', CLEAN_FIRST_AFTER, clean)

  return {
    async stop(): Promise<void> {
      stopped = true
      unsubscribe()
      await background.stop()
    },
  }
}
