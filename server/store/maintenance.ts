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
/** Days for which an owner may want to go back behind an update or a restore. */
const COPIES_KEPT = 30

export interface MaintenanceDeps {
  store: Pick<Store, 'search' | 'idempotency' | 'retention' | 'removeCopies'>
  settings: () => Settings
  bus: Bus
  clock: Clock
  logger: Logger
}

/** Background maintenance: fills the search index and removes what is older than the owner wants to keep, in small steps. */
export function startMaintenance({ store, settings, bus, clock, logger }: MaintenanceDeps) {
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
    const days = settings().retention_days
    const copies = await store.removeCopies(now - Math.min(days ?? COPIES_KEPT, COPIES_KEPT) * DAY)
    if (copies.length > 0) logger.info({ copies }, 'copies of older databases were removed')
    let removed = days === null ? 0 : BATCH
    let total = 0
    while (removed >= BATCH && days !== null && !stopped) {
      removed = await store.retention.removeBefore(now - days * DAY, BATCH)
      total += removed
    }
    if (total > 0) await store.retention.scrub()
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
