import { freeBytes } from '../data-folder/disk.ts'
import type { ConcernFacts } from '../health/concerns/facts.ts'
import { findConcerns } from '../health/concerns/index.ts'
import { readDiagnostics, readLog } from '../health/diagnostics.ts'
import { markFailuresSeen } from '../health/failures-seen.ts'
import { createHealth } from '../health/health.ts'
import { createOverview } from '../health/overview.ts'
import { readFacts } from '../health/read-facts.ts'
import { VERSION } from '../lib/version.ts'
import { areAllPaused } from '../messages/all-paused.ts'
import type { Core } from './core.ts'
import type { Sending } from './sending.ts'

interface Reporting {
  concernFacts?: () => Promise<Partial<ConcernFacts>>
}

/**
 * Reports about the whole program. `host`: the address that this run listens on. `slices`: those
 * that have something to report, as soon as they are plugged in.
 */
export function createHealthSide(core: Core, sending: Sending, host: string, slices: readonly Reporting[]) {
  const { deployment, config, overrides, store, settings, uptime, clock, logger } = core
  const disk = overrides.freeBytes ?? (() => freeBytes(config.home))
  const allPaused = () => areAllPaused(store)
  const deps = {
    store,
    states: sending.states,
    allPaused,
    settings: settings.get,
    host,
    freeBytes: disk,
    clock,
    linking: (senderId: number) => sending.connections.get(senderId)?.linking() ?? null,
    official: sending.official.concernFacts,
    graphVersionEndsAt: sending.official.versionEndsAt,
    awakeSince: () => core.awake.since,
    goneNodes: () => deployment.goneNodes(core.awake.since),
    onServer: deployment.node !== null,
    updateReady: () => core.update.version,
    ofSlices: async () => Object.assign({}, ...(await Promise.all(slices.map((slice) => slice.concernFacts?.())))),
  }
  const facts = () => readFacts(deps)
  const concerns = async () => findConcerns(await facts())
  const about = { store, allPaused, version: VERSION, uptime, freeBytes: disk, facts, clock }
  const readOverview = createOverview(about)
  return {
    concerns,
    readOverview,
    markFailuresSeen: async () => markFailuresSeen(store.meta, await facts()),
    readHealth: createHealth(about),
    readLog: (position?: string) => readLog(logger, position),
    readDiagnostics: () =>
      readDiagnostics({
        ...about,
        concerns,
        settings: settings.get,
        log: logger,
        ignoredFields: sending.official.ignoredFields,
      }),
  }
}
