import { setTimeout as pause } from 'node:timers/promises'
import type { Settings } from '../contract/settings.ts'
import { createBackground } from '../lib/background.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from './store.ts'

/**
 * Words are split when callers have been quiet for SEARCH_AFTER, or at the latest after
 * SEARCH_AT_LATEST.
 */
const SEARCH_AFTER = SECOND / 4
const SEARCH_AT_LATEST = 10 * SECOND
const CLEAN_FIRST_AFTER = MINUTE
const CLEAN_EVERY = HOUR
/**
 * The mark tells the next start since when Kurir was off, and whether the clock was set back.
 * Writing it also reveals a disk that takes nothing.
 */
const MARK_EVERY = 10 * MINUTE
const BATCH = 500
// Smaller, because removing a message also removes its events, attempts and callbacks.
const RETENTION_BATCH = 50
// Callbacks wait this long for an endpoint that was switched off automatically, as for one that is
// down.
const ANSWER_KEPT_FOR_GONE = 3 * DAY
// WhatsApp keeps a message for 30 days, and Kurir waits as long for a status of a template.
const REPORTED_WITHIN = 31 * DAY

/**
 * Long enough for the current month in every time zone, even if its messages are removed sooner.
 */
const FIGURES_KEPT = 33 * DAY

/** An owner may want to go back to before an update or a restore for this long. */
const COPIES_KEPT = 30 * DAY

export interface MaintenanceDeps {
  store: Store
  /**
   * Removes up to `most` rows of slices that name people and are older than `before`; resolves with
   * their number.
   */
  forgetElsewhere: (before: number, most: number) => Promise<number>
  /** Removes files that no message needs. */
  sweepFiles: () => Promise<void>
  settings: () => Settings
  /** Returns the current time; shortly after a start, the time when Kurir was last open. */
  endTime: () => number
  bus: Bus
  clock: Clock
  logger: Logger
}

/**
 * Starts the background maintenance: fills the search index, removes in small steps what is older
 * than the owner wants to keep, and stores a mark of the time.
 */
export function startMaintenance(deps: MaintenanceDeps) {
  const { store, forgetElsewhere, sweepFiles, settings, endTime, bus, clock, logger } = deps
  const background = createBackground({ clock, logger })
  let stopped = false
  let quietSince = Number.NEGATIVE_INFINITY
  let unsearchedSince: number | undefined

  /**
   * Fills the search index in the pauses of a burst of messages, because splitting words costs as
   * much as a message itself.
   */
  async function fillSearch(): Promise<void> {
    if (stopped) return
    const now = clock.elapsed()
    unsearchedSince ??= now
    if (now - quietSince < SEARCH_AFTER && now - unsearchedSince < SEARCH_AT_LATEST)
      return background.later('search', SEARCH_AFTER, fillSearch)
    const began = performance.now()
    const more = await store.search.step()
    // Use a fifth of the time at most; the rest is for sending.
    if (more) background.later('search', Math.max(10, 4 * (performance.now() - began)), fillSearch)
    else unsearchedSince = undefined
  }

  async function removeCopies(now: number, days: number): Promise<void> {
    const copies = await store.removeCopies(now - Math.min(days * DAY, COPIES_KEPT))
    if (copies.length > 0) logger.info({ copies }, 'copies of older databases were removed')
  }

  async function removeMessages(now: number, days: number): Promise<void> {
    const ms = now - days * DAY
    const silent = Math.min(ms, now - REPORTED_WITHIN)
    const removed = await inBatches(() => store.retention.removeBefore({ ms, silent }, RETENTION_BATCH), 1)
    await inBatches(() => store.figures.forget(now - FIGURES_KEPT), 1)
    const people = await inBatches(() => store.retention.forgetPeople({ ms, now }, BATCH))
    const others = await inBatches(() => forgetElsewhere(ms, BATCH))
    if (removed + people + others > 0) await store.retention.scrub()
  }

  async function clean(): Promise<void> {
    background.later('clean', CLEAN_EVERY, clean)
    const now = clock.now()
    const days = settings().retention_days ?? Number.POSITIVE_INFINITY
    // Separate jobs, so that a file that cannot be deleted does not stop the other removals.
    background.run('what has expired', () => inBatches(() => store.retention.expire({ now, ended: endTime() }, BATCH)))
    background.run('files that nothing needs', sweepFiles)
    background.run('old copies', () => removeCopies(now, days))
    background.run('old callbacks and messages', async () => {
      await inBatches(() => store.deliveries.abandon(now - ANSWER_KEPT_FOR_GONE, BATCH))
      if (days < Number.POSITIVE_INFINITY) await removeMessages(now, days)
    })
  }

  /**
   * Repeats `step`; resolves with the number of removed rows.
   * @param least a step that removes fewer rows is the last one
   */
  async function inBatches(step: () => Promise<number>, least = BATCH): Promise<number> {
    let total = 0
    for (let removed = least; !stopped && removed >= least; total += removed) {
      const began = performance.now()
      removed = await step()
      // Rest as long as the step took; that time is for sending.
      await pause(performance.now() - began)
    }
    return total
  }

  const unsubscribe = bus.on('message', () => {
    quietSince = clock.elapsed()
    background.later('search', SEARCH_AFTER, fillSearch)
  })
  background.later('search', SEARCH_AFTER, fillSearch)
  const mark = () => store.meta.save('marked_at', String(clock.now()))
  background.later('clean', CLEAN_FIRST_AFTER, clean)
  background.run('the mark of the time', mark)
  background.every('the mark of the time', MARK_EVERY, mark)

  return {
    async stop(): Promise<void> {
      stopped = true
      unsubscribe()
      await background.stop()
      if (store.problem() === null) await mark().catch(() => undefined)
    },
  }
}
